"""Tables of levels."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from tests.tuning import fake_engine
from tuning.__main__ import main
from tuning.calibration.ratings import Rating, rating_table, replace_table

FAKE_ENGINE = Path(str(fake_engine.__file__))


def test_ratings_rise_in_the_table_and_other_rows_are_left_out() -> None:
    found = {
        "level aa": Rating(1200.4, 30.2, 100, 45.0),
        "Toga": Rating(2300.0, 12.0, 50, 40.0),
        "level old": Rating(1000.0, 30.0, 100, 45.0),
        "level bb": Rating(900.0, 31.0, 80, 20.0),
    }
    table = rating_table({"level aa": 1100, "level bb": 800}, found, 1234)
    rows = table.splitlines()
    assert rows[0] == "1,234 games."
    assert rows[4:] == [
        "| Wadjet | 800 | 900 ± 31 | 80 | 25% |",
        "| Wadjet | 1100 | 1200 ± 30 | 100 | 45% |",
        "| Toga |  | 2300 ± 12 | 50 | 80% |",
    ]


def test_tables_replace_what_is_between_their_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- ratings -->\nold\n<!-- end of ratings -->\nb\n", encoding="utf-8")
    replace_table(page, "ratings", r"new \1")
    expected = "a\n<!-- ratings -->\nnew \\1\n<!-- end of ratings -->\nb\n"
    assert page.read_text(encoding="utf-8") == expected
    with pytest.raises(ValueError, match="people"):
        replace_table(page, "people", "x")
    assert page.read_text(encoding="utf-8") == expected


@pytest.mark.jit_only
def test_the_command_plays_writes_and_resumes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results, page = tmp_path / "levels.jsonl", tmp_path / "page.md"
    page.write_text("<!-- ratings --><!-- end of ratings -->\n", encoding="utf-8")
    words = ["calibrate", "levels", "-o", str(results), "--no-anchors", "--seed", "1"]
    words += ["--elo", "500", "600"]
    assert main([*words, "--minutes", "0.02", "--concurrency", "2"]) == 0
    games = len(results.read_text(encoding="utf-8").splitlines())
    assert games >= 2
    assert main([*words, "--write", str(page)]) == 0
    assert f"{games} games." in capsys.readouterr().out
    assert "| Wadjet | 600 |" in page.read_text(encoding="utf-8")


@pytest.mark.jit_only
@pytest.mark.skipif(sys.platform == "win32", reason="a shell script there")
def test_an_engine_that_dies_plays_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "gnuchess"
    fake = [sys.executable, str(FAKE_ENGINE), "--score", "0", "--dies-at", "2"]
    program.write_text(f"#!/bin/sh\nexec {shlex.join(fake)}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    words = ["calibrate", "levels", "-o", str(tmp_path / "levels.jsonl"), "--seed", "1"]
    assert main([*words, "--elo", "1600", "1700", "--minutes", "0.1"]) == 0
    said = capsys.readouterr().out
    assert said.count("GNU Chess 6.2.7, depth 2 plays no more: engine process died") == 1
    results = (tmp_path / "levels.jsonl").read_text(encoding="utf-8").splitlines()
    assert results and not any("GNU Chess" in line for line in results)


def test_levels_outside_the_scale_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["calibrate", "levels", "-o", str(tmp_path / "r.jsonl"), "--elo", "9000"]) == 2
    assert "not to 9000" in capsys.readouterr().err
    assert not (tmp_path / "r.jsonl").exists()
