"""The command `openings`: balanced, different, and readable by others."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import chess
import chess.pgn
import pytest

from tuning.__main__ import main

pytestmark = pytest.mark.jit_only  # searches

LINES = """#result\tmoves
*\td4 Nf6 c4 e6
*\tc4 Nf6 d4 e6
*\te4 e5 Nf3 Nc6
*\te4 e5 Qh5 Ke7
*\te4 e5
"""


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "lines.tsv"
    path.write_text(LINES, encoding="utf-8")
    return path


def make(*arguments: object) -> int:
    return main(["openings", *map(str, arguments)])


def test_a_suite(lines: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    epd, pgn = tmp_path / "o.epd", tmp_path / "o.pgn"
    flags = ["--ply", 4, "--nodes", 2000, "--unbalanced", 0, 100, "-o", epd, pgn]
    assert make(lines, *flags) == 0
    assert "3 different positions, 3 searched, 2 kept" in capsys.readouterr().out
    boards = {
        chess.Board.from_epd(row)[0].fen() for row in epd.read_text(encoding="utf-8").splitlines()
    }
    with pgn.open(encoding="utf-8") as file:
        played = [chess.pgn.read_game(file), chess.pgn.read_game(file)]
        assert chess.pgn.read_game(file) is None
    assert {game.end().board().fen() for game in played if game is not None} == boards
    assert len(boards) == 2
    assert all(chess.Board(fen).fullmove_number == 3 for fen in boards)
    # The mate in one is the one outside.
    assert not any("4k3" in fen.split()[0] or "ppppkppp" in fen for fen in boards)


def test_a_full_disk_leaves_nothing(
    lines: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert make(lines, "--ply", 4, "--nodes", 200, "-o", tmp_path / "o.epd") == 1
    assert list(tmp_path.iterdir()) == [lines]


def test_positions_as_the_source(tmp_path: Path) -> None:
    source, epd, pgn = tmp_path / "in.epd", tmp_path / "o.epd", tmp_path / "o.pgn"
    source.write_text(
        "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - \n"
        'bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - id "again";\n'
        "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - \n"
        "8/8/8/8/8/5k2/5q2/5K2 w - - \n",  # mate: no opening
        encoding="utf-8",
    )
    flags = ["--nodes", 500, "--unbalanced", 0, 300, "-o", epd, pgn]
    assert make(source, *flags) == 0
    assert len(epd.read_text(encoding="utf-8").splitlines()) == 2
    headers = []
    with pgn.open(encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            headers.append((game.board().epd(), game.headers.get("Variant")))
    assert sorted(variant or "" for _, variant in headers) == ["", "Chess960"]
    assert {position.split()[0] for position, _ in headers} == {
        "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR",
        "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R",
    }


def test_the_count_and_the_seed(lines: Path, tmp_path: Path) -> None:
    epd = tmp_path / "o.epd"
    texts = []
    for seed in (1, 1, 2, 3, 4):
        flags = ["--ply", 2, "--nodes", 200, "--unbalanced", 0, 300, "--count", 1]
        assert make(lines, *flags, "--seed", seed, "-o", epd) == 0
        texts.append(epd.read_text(encoding="utf-8"))
    assert texts[0] == texts[1]
    assert len(set(texts)) > 1


@pytest.mark.parametrize(
    "flags, message, status",
    [
        (["-o", "o.txt"], "written as .epd or .pgn", 2),
        (["-o", "o.epd", "--unbalanced", 9, 1], "the larger lead comes last", 2),
        (["-o", "o.epd", "--unbalanced", 5000, 6000, "--nodes", 100], "no position", 1),
        (["-o", "o.epd", "--ply", 50, "--nodes", 100], "no position", 1),
    ],
)
def test_what_cannot_be(
    lines: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    flags: list[object],
    message: str,
    status: int,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert make(lines, *flags) == status
    assert message in capsys.readouterr().err
    assert not (tmp_path / "o.epd").exists()


def test_unbalanced_openings_favour_either_side(tmp_path: Path) -> None:
    source, epd = tmp_path / "in.epd", tmp_path / "o.epd"
    ranks = "rnb{}kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB{}KBNR {} KQkq -"
    sides = [ranks.format(*queens, side) for queens in ("1Q", "q1") for side in "wb"]
    source.write_text("\n".join([*sides, chess.Board().epd()]) + "\n", encoding="utf-8")
    assert make(source, "--nodes", 500, "-o", epd, "--unbalanced", 400, 3000) == 0
    assert sorted(
        row.split(" hmvc")[0] for row in epd.read_text(encoding="utf-8").splitlines()
    ) == sorted(sides)
