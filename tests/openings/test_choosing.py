"""openings.choosing: between always the best and in proportion."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from openings.choosing import choose

WEIGHTS = [10, 60, 0, 30]


def shares(variety: int) -> list[float]:
    chance = random.Random(7)
    found = Counter(choose(WEIGHTS, variety, chance) for _ in range(4000))
    return [found[index] / 4000 for index in range(4)]


def test_in_proportion() -> None:
    assert shares(100) == pytest.approx([0.1, 0.6, 0, 0.3], abs=0.03)


def test_always_the_first_of_the_best() -> None:
    assert shares(0) == [0, 1, 0, 0]
    assert choose([5, 9, 9], 0, random.Random()) == 1


def test_between() -> None:
    # weights to the power 2
    assert shares(50) == pytest.approx([1 / 46, 36 / 46, 0, 9 / 46], abs=0.03)
    assert shares(1)[1] == 1


def test_large_weights_and_one_move() -> None:
    assert choose([65535], 1, random.Random()) == 0
    assert choose([0, 1], 37, random.Random()) == 1
