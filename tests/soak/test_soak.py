"""`soak`: parts are played, resumed, audited and written to the page."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.soak.__main__ import main
from tests.soak.page import read
from tests.soak.parts import PARTS
from tests.soak.playing import on_cores
from tests.tuning.fake_engine import COMMAND
from tuning.matches.score import GameReader

FAKE = f"{COMMAND} --score 0"


def soak(folder: Path, *words: str, engine: str = FAKE) -> int:
    sides = ["--tool", "built-in", "--engine", engine, "--opponents", FAKE]
    places = ["--folder", str(folder), "--report", str(folder / "page.md")]
    book = folder / "book.epd"
    book.write_text("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n", encoding="utf-8")
    return main([*sides, *places, "--book", str(book), *words])


@pytest.fixture(autouse=True)
def _no_clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine must not decide these games."""
    for name, part in PARTS.items():
        monkeypatch.setitem(PARTS, name, replace(part, nodes=1, games=2))


def games(folder: Path) -> int:
    return sum(len(GameReader(path).new_games(all_written=True)) for path in folder.glob("*.pgn"))


def test_a_part_is_played_and_goes_on_where_it_stopped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = ["--only", "sudden-death", "--book", str(tmp_path / "book.epd"), "--report"]
    monkeypatch.setattr("sys.argv", ["soak", *typed, "--games", "4"])
    assert soak(tmp_path, "--only", "sudden-death", "--short") == 0
    assert games(tmp_path) == 2
    assert soak(tmp_path, "--only", "sudden-death", "--games", "4") == 0
    assert games(tmp_path) == 4
    (row,) = read(tmp_path / "page.md")
    assert row.test == "soak: sudden-death" and row.faults == 0
    assert row.size.startswith("4 games at 1 nodes a move by built-in")
    assert row.result == "0 time losses"
    named = "--only sudden-death --book book.epd --games 4"  # no folder of this machine
    assert row.command == f"python -m tests.soak {named}"
    assert "| Games | End |" in capsys.readouterr().out


def test_an_engine_that_dies_is_a_fault(tmp_path: Path) -> None:
    assert soak(tmp_path, "--only", "bullet", "--short", engine=f"{FAKE} --dies-at 3") == 1
    (row,) = read(tmp_path / "page.md")
    assert row.faults >= 1 and any("disconnect" in line for line in row.details)


def test_chess960_and_pondering(tmp_path: Path) -> None:
    assert soak(tmp_path, "--only", "chess960", "ponder", "--short") == 0
    assert [row.test for row in read(tmp_path / "page.md")] == ["soak: chess960", "soak: ponder"]


def test_the_games_of_a_crowd_share_the_processors(tmp_path: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("programs are not bound to processors")
    usual = os.sched_getaffinity(0)
    with on_cores(1):
        assert int(subprocess.check_output(["nproc"])) == 1
    assert os.sched_getaffinity(0) == usual
    assert soak(tmp_path, "--only", "crowded", "--short") == 0
    (row,) = read(tmp_path / "page.md")
    assert row.test == "soak: crowded" and "by built-in" in row.size


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not tell")
def test_the_memory_of_a_process(tmp_path: Path) -> None:
    assert soak(tmp_path, "--only", "memory", "--games", "3") in (0, 1)
    (row,) = read(tmp_path / "page.md")
    assert row.size.startswith("3 games of one process") and "MB after" in row.result


def test_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert soak(tmp_path, "--games", "1") == 1
    assert soak(tmp_path, engine="no-such-engine") == 1
    assert "no-such-engine: no such program" in capsys.readouterr().err


@pytest.mark.skipif(not shutil.which("fastchess"), reason="fastchess is not installed")
def test_this_engine_is_compliant(tmp_path: Path) -> None:
    assert soak(tmp_path, "--only", "compliance", engine="wadjet") == 0
