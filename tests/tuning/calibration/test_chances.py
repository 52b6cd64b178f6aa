"""The fit of the chances: it finds what made the results, and measures what it predicts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine import chances
from tuning.__main__ import main
from tuning.calibration.calibration import calibration_error, held_out
from tuning.calibration.chances import (
    DRAW,
    LOSS,
    WIN,
    Sample,
    draw,
    fit,
    predict,
    read_sample,
    tables_of,
)
from tuning.data.games import GameFile, GameRecord

HALF, SPREAD = np.array([4.9, -0.2, 0.1]), np.array([4.5, 0.15, 0.0])


@pytest.fixture(scope="module")
def sample() -> Sample:
    """Results drawn with known constants."""
    chance = np.random.default_rng(7)
    count = 40_000
    scores = chance.integers(-500, 501, count)
    material = chance.integers(10, 79, count)
    games = np.arange(count) // 40
    empty = Sample(scores, material, np.zeros(count, int), games)
    shares = predict((HALF, SPREAD), empty)
    drawn = chance.random(count)
    results = np.where(
        drawn < shares[:, 0], WIN, np.where(drawn < shares[:, :2].sum(1), DRAW, LOSS)
    )
    return Sample(scores, material, results, games)


def test_the_fit_finds_the_constants_behind_the_results(sample: Sample) -> None:
    half, spread = fit(sample)
    assert np.allclose(half, HALF, atol=0.06)
    assert np.allclose(spread, SPREAD, atol=0.06)


def test_what_is_predicted_for_other_games_comes(sample: Sample) -> None:
    predicted = held_out(sample, fit, predict)
    assert np.allclose(predicted.sum(axis=1), 1)
    tables = tables_of(predicted, sample.results)
    assert calibration_error(np.concatenate(tables)) < 0.01
    assert sum(table[:, 0].sum() for table in tables) == 3 * len(sample)


def test_wrong_predictions_have_a_large_error(sample: Sample) -> None:
    wrong = predict((HALF + 0.7, SPREAD), sample)
    assert calibration_error(np.concatenate(tables_of(wrong, sample.results))) > 0.04


def test_the_model_of_the_engine_is_the_one_that_was_fitted() -> None:
    scores = np.arange(-600, 601, 50)
    at = Sample(scores, np.full_like(scores, 30), np.zeros_like(scores), np.zeros_like(scores))
    shares = predict((np.array(chances.HALF), np.array(chances.SPREAD)), at)
    for score, share in zip(scores.tolist(), shares, strict=True):
        assert np.allclose(chances.chances(score, 30), 1000 * share, atol=1.1)


def test_positions_are_seen_by_the_side_to_move(tmp_path: Path) -> None:
    path = tmp_path / "own.games"
    # e2e4 e7e5, won by White; Black's score is kept in White's view
    game = GameRecord("4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1", [4876, 6516], [30, 50], 2)
    with GameFile(path, {}) as file:
        for number in range(5):
            file.add(number, game)
    with pytest.raises(ValueError, match="there are 1 games"):
        read_sample([path])  # one game, five times
    path.unlink()
    with GameFile(path, {}) as file:
        for number in range(5):
            file.add(number, replace(game, fen=game.fen[:-1] + str(number + 1)))
    found = read_sample([path])
    assert found.scores[:2].tolist() == [30, -50]
    assert found.results[:2].tolist() == [WIN, LOSS]
    assert found.material[:2].tolist() == [2, 2]
    assert found.games.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]


def test_few_games_are_refused(tmp_path: Path) -> None:
    with GameFile(tmp_path / "own.games", {}):
        pass
    with pytest.raises(ValueError, match="thousands"):
        read_sample([tmp_path / "own.games"])


def test_constants_are_written_as_source(tmp_path: Path) -> None:
    run, copy = tmp_path / "run.json", tmp_path / "chances.py"
    run.write_text(
        json.dumps({"kind": "chances", "half": [*HALF], "spread": [*SPREAD]}), encoding="utf-8"
    )
    assert main(["emit", str(run), "-o", str(copy)]) == 0
    found: dict[str, object] = {}
    exec(compile(copy.read_text(encoding="utf-8"), str(copy), "exec"), found)
    assert found["HALF"] == tuple(HALF) and found["SPREAD"] == tuple(SPREAD)


def test_the_calibration_is_drawn(tmp_path: Path, sample: Sample) -> None:
    fitted = HALF, SPREAD
    draw(tables_of(predict(fitted, sample), sample.results), fitted, 0.01, tmp_path / "c.png")
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")
