"""The points that people score, and the accuracy made of them."""

from __future__ import annotations

import pytest

from engine.people import MIDDLE_RATING, accuracy, expected_points, is_decided, spread

RATINGS = (600, 1000, 1400, 1800)


@pytest.mark.parametrize("rating", RATINGS)
def test_points_rise_with_the_score_and_both_sides_share_them(rating: int) -> None:
    points = [expected_points(score, rating) for score in range(-20_000, 20_001, 50)]
    assert points == sorted(points) and points[0] >= 0 and points[-1] <= 100
    assert expected_points(0, rating) == 50
    assert expected_points(170, rating) + expected_points(-170, rating) == pytest.approx(100)


def test_a_lead_is_worth_the_less_the_lower_the_rating() -> None:
    points = [expected_points(200, rating) for rating in RATINGS]
    assert points == sorted(points) and points[0] < points[-1] - 10
    # Engines would win almost all games. In games of people rated 1,200 to 1,599 a side that led by
    # 1.5 to 2.5 scored 68 of 100 points, without its lead in rating 66, ± 5 (two standard errors of
    # 247 games).
    assert expected_points(200, 1400) == pytest.approx(66, abs=5)


def test_ratings_beyond_those_that_are_known_change_nothing() -> None:
    assert spread(1) == spread(600) and spread(2850) == spread(MIDDLE_RATING)


@pytest.mark.parametrize(
    "before, after, decided",
    [(99, 86, True), (99, 84, False), (14, 3, True), (16, 3, False), (90, 10, False)],
)
def test_a_decided_game_stays_decided(before: float, after: float, decided: bool) -> None:
    assert is_decided(before, after) is decided


def test_the_accuracy_is_the_mean_that_the_manual_describes() -> None:
    found = [accuracy([lost]) for lost in (0, 5, 10, 20)]
    assert [round(percent or 0) for percent in found] == [100, 72, 51, 26]
    assert accuracy([0, 0, 20, 0]) == pytest.approx((300 + (found[3] or 0)) / 4)
    assert accuracy([]) is None
