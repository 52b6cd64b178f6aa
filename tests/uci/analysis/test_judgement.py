"""Marks and accuracy."""

from __future__ import annotations

import math

import pytest

from uci.analysis.judgement import Mark, accuracy, expected_points, mark, move_accuracy


def test_a_draw_is_half_a_point() -> None:
    assert expected_points((1000, 0, 0)) == 100
    assert expected_points((0, 1000, 0)) == 50
    assert expected_points((250, 500, 250)) == 50
    assert expected_points((100, 300, 600)) == 25


@pytest.mark.parametrize(
    "lost, expected",
    [
        (0, None), (4.9, None), (5, Mark.INACCURACY), (9.9, Mark.INACCURACY), (10, Mark.MISTAKE),
        (19.9, Mark.MISTAKE), (20, Mark.BLUNDER), (100, Mark.BLUNDER),
    ],
)  # fmt: skip
def test_marks_begin_where_the_manual_says(lost: float, expected: Mark | None) -> None:
    assert mark(lost) is expected


def test_signs_and_numbers_are_those_of_pgn() -> None:
    assert [(one.sign, one.nag) for one in Mark] == [("?!", 6), ("?", 2), ("??", 4)]


def test_counts_are_good_english() -> None:
    assert [mark.counted(count) for count, mark in enumerate(Mark)] == [
        "0 inaccuracies", "1 mistake", "2 blunders",
    ]  # fmt: skip


def test_accuracy_is_the_mean_of_a_falling_function() -> None:
    assert move_accuracy(0) == 100
    assert move_accuracy(25) == pytest.approx(100 / math.e)
    assert move_accuracy(10) > move_accuracy(11) > 0
    assert accuracy([0, 25]) == pytest.approx((100 + 100 / math.e) / 2)


def test_who_had_no_choice_has_no_accuracy() -> None:
    assert accuracy([]) is None
