"""python -m tablebases: what the commands print."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tablebases.__main__ import main
from tablebases.folders import BUILT_IN

pytestmark = pytest.mark.jit_only  # what the commands say does not depend on the way to run


def test_probe(tablebases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", "--path", str(tablebases), "4k3/8/8/8/8/1Q6/8/K3n3 w - - 0 1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "White to move: win, DTZ 3"
    assert lines[4].split() in (["b3e6", "win", "3"], ["b3e3", "win", "3"])
    assert len([line for line in lines if line.split()[1:2] == ["draw"]]) == 6


@pytest.mark.parametrize(
    "fen, reason",
    [
        ("8/8/8/8 w - - 0 1", "8 ranks"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "castling"),
        ("rnbqkbnr/8/8/8/8/8/8/RNBQKBNR w - - 0 1", "16 men"),
    ],
)
def test_probe_says_why_not(
    tablebases: Path, capsys: pytest.CaptureFixture[str], fen: str, reason: str
) -> None:
    assert main(["probe", "--path", str(tablebases), fen]) == 2
    assert reason in capsys.readouterr().err


def test_probe_says_which_table_is_damaged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = tmp_path / "KQvK.rtbw"
    damaged.write_bytes((BUILT_IN / "KQvK.rtbw").read_bytes()[:-64])
    assert main(["probe", "--path", str(tmp_path), "8/8/8/8/3k4/8/8/KQ6 w - - 0 1"]) == 1
    said = capsys.readouterr()
    assert str(damaged) in said.out
    assert "a table for KQvK" in said.err


def test_probe_tells_which_castling_it_drops(
    tablebases: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fen = "8/8/8/8/8/2k5/1R6/4K3 w Q - 0 1"
    assert main(["probe", fen, "--path", str(tablebases)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "castling Q ignored: king or rook is not in its place"
    assert said[1] == fen.replace("Q", "-")


def test_info_of_a_few_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sizes = {".rtbw": 0, ".rtbz": 0}
    for name in ("KQvK.rtbw", "KQvK.rtbz", "KRvK.rtbw"):
        content = (BUILT_IN / name).read_bytes()
        (tmp_path / name).write_bytes(content)
        sizes[name[-5:]] += len(content)
    assert main(["info", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    wdl, dtz = (f"{size:,}" for size in sizes.values())
    assert lines[1].split() == ["3", "5", "2", wdl, "1", dtz]
    assert lines[lines.index("WDL without DTZ: moves are ranked by result only:") + 1].split() == [
        "KRvK"
    ]


def test_info_names_a_table_that_cannot_be_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(BUILT_IN / "KQvK.rtbw", tmp_path)
    try:
        (tmp_path / "KRvK.rtbw").symlink_to(tmp_path / "nowhere")
    except OSError:
        pytest.skip("no links here")
    assert main(["info", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split()[:3] == ["3", "5", "1"]
    assert any(line.startswith(f"{tmp_path / 'KRvK.rtbw'}: ") for line in lines)


def test_info(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", f"{data / 'syzygy'};{data / 'syzygy-5'}"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["3", "5", "5", "8,464", "5", "17,936"]
    assert lines[lines.index("WDL without DTZ: moves are ranked by result only:") + 1].split() == [
        "KBNvKN"
    ]


def test_verify(tablebases: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("KQvK.rtbw", "KQvK.rtbz", "KRvK.rtbw"):
        content = bytearray((tablebases / name).read_bytes())
        if name == "KRvK.rtbw":
            content[-1] ^= 1
        (tmp_path / name).write_bytes(content)
    assert main(["verify", "--positions", "50", str(tmp_path)]) == 1
    (problem,) = capsys.readouterr().out.splitlines()[-1:]
    assert problem == f"{tmp_path / 'KRvK.rtbw'}: the checksum is wrong"
    (tmp_path / "KRvK.rtbw").unlink()
    assert main(["verify", "--positions", "50", str(tmp_path)]) == 0


def test_nothing_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(tmp_path)]) == 1
    assert "there are no tables in" in capsys.readouterr().err


def test_nothing_built_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tablebases.commands.BUILT_IN", tmp_path)
    assert main(["info"]) == 1
    assert "there are no tables built in" in capsys.readouterr().err
