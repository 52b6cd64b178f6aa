"""Labels come from the engine and the limits that were asked for, also after an interruption."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from tests.tuning.fake_engine import COMMAND
from tests.tuning.positions import random_positions
from tuning.__main__ import main
from tuning.data.dataset import NO_SCORE, RECORD, Dataset, load

NAME = Path(sys.executable).name  # of the fake engine, whose scores are the nodes it may search
OLD = 7  # a score by an engine of the same name
DYING = f"{COMMAND} --dies-at 4"  # after 3 positions


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "old.positions"
    records = random_positions(8, longest=30).view(RECORD).copy()
    records["score"] = NO_SCORE
    Dataset(records, [NAME]).save(path)
    return path


def label(source: Path, output: Path, *words: str) -> int:
    return main(["label", str(source), "-o", str(output), *words])


def scores(path: Path) -> list[int]:
    # The fake engine tells its own view.
    return [abs(score) for score in load(path).records["score"].tolist()]


def test_only_what_has_no_score_is_labelled(source: Path, tmp_path: Path) -> None:
    output = tmp_path / "new.positions"
    dataset = load(source)
    dataset.records["score"][np.arange(8) != 5] = OLD
    dataset.save(source)
    assert label(source, output, "--engine", COMMAND, "--nodes", "100") == 0
    assert scores(output) == [OLD] * 5 + [100] + [OLD] * 2
    assert label(source, output, "--engine", COMMAND, "--nodes", "50") == 0
    assert scores(output) == [OLD] * 5 + [100] + [OLD] * 2
    record = load(output).records[5]
    assert (record["score"] < 0) == (record["side"] == 1)


@pytest.mark.parametrize("in_place", [True, False])
def test_a_run_goes_on_where_it_was_interrupted(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], in_place: bool
) -> None:
    output = source if in_place else tmp_path / "new.positions"
    words = ("--engine", DYING, "--nodes", "100")
    assert label(source, output, *words) == 1
    assert scores(output)[:3] == [100] * 3 and 100 not in scores(output)[3:]

    for other in (
        (*words, "--nodes", "50"),
        ("--engine", COMMAND, *words[2:]),
    ):
        before = output.read_bytes()
        capsys.readouterr()
        assert label(source, output, *other) == 1
        assert f"{output}: was begun with " in capsys.readouterr().err
        assert output.read_bytes() == before
    assert label(source, output, *words) == 1
    assert scores(output)[:6] == [100] * 6 and 100 not in scores(output)[6:]
    assert label(source, output, *words) == 0
    assert scores(output) == [100] * 8


def test_several_engines_leave_nothing_out(source: Path, tmp_path: Path) -> None:
    output = tmp_path / "new.positions"
    words = ("--engine", DYING, "--nodes", "100", "--concurrency", "2")
    runs = 1
    while label(source, output, *words) and runs < 8:
        assert 100 in scores(output) and {100, -NO_SCORE} >= set(scores(output))
        runs += 1
    assert scores(output) == [100] * 8 and runs > 1


def test_an_engine_that_does_not_start_leaves_nothing(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "new.positions"
    assert label(source, output, "--engine", "'/no such/engine'") == 1
    assert "/no such/engine" in capsys.readouterr().err
    assert not output.exists()


def test_other_positions_are_refused(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "new.positions"
    dataset = load(source)
    dataset.only(np.arange(8) < 5).save(output)
    assert label(source, output, "--engine", COMMAND) == 1
    assert "not the positions of" in capsys.readouterr().err
