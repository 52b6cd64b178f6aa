"""Ratings from games."""

from __future__ import annotations

from random import Random

import pytest

from tuning.calibration.ratings import Result, ratings

TRUE = {"a": 800.0, "b": 1000.0, "c": 1150.0, "d": 1500.0}


def games(count: int, white_advantage: float = 30.0) -> list[Result]:
    chance = Random(5)
    found = []
    for _ in range(count):
        white, black = chance.sample(sorted(TRUE), 2)
        difference = TRUE[white] - TRUE[black] + white_advantage
        expected = 1 / (1 + 10 ** (-difference / 400))
        found.append(Result(white, black, 2 * (chance.random() < expected)))
    return found


def test_ratings_are_found_within_their_errors() -> None:
    found = ratings(games(6000), {"b": 1000.0, "c": 1150.0})
    for name, rating in found.items():
        assert abs(rating.value - TRUE[name]) < 1.5 * rating.error < 60


def test_errors_shrink_with_the_root_of_the_games() -> None:
    few, many = ratings(games(500), {}), ratings(games(8000), {})
    assert few["a"].error / many["a"].error == pytest.approx(4, rel=0.15)


def test_anchors_keep_their_mean() -> None:
    found = ratings(games(1000), {"a": 2000.0, "d": 2600.0, "absent": 5.0})
    assert (found["a"].value + found["d"].value) / 2 == pytest.approx(2300)


def test_without_anchors_the_mean_is_zero() -> None:
    found = ratings(games(1000), {})
    assert sum(rating.value for rating in found.values()) == pytest.approx(0, abs=1e-6)
    assert ratings([], {}) == {}


def test_who_has_won_every_game_has_a_rating_with_a_large_error() -> None:
    found = ratings([Result("a", "b", 2)] * 3 + [Result("b", "a", 0)] * 3, {})
    assert 100 < found["a"].value - found["b"].value < 3000
    assert found["a"].error > 300
    assert (found["a"].games, found["a"].points, found["b"].points) == (6, 6.0, 0.0)


def test_a_draw_is_half_a_win() -> None:
    found = ratings([Result("a", "b", 1)] * 20, {})
    assert found["a"].value == pytest.approx(found["b"].value, abs=1)
