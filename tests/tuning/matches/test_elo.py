"""Statistics of matches against what fastchess printed for the same pairs."""

from __future__ import annotations

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuning.matches.elo import (
    LARGEST_BOUND,
    Sprt,
    elo,
    elo_of,
    likelihood_of_superiority,
    moments,
    normalised_elo,
)

# Published results of fastchess: pairs, Elo, its error, normalised Elo, its error.
KNOWN = [
    ((1, 10, 78, 48, 13), 72.85, 22.33, 132.30, 39.32),
    ((352, 579, 1264, 743, 464), 19.83, 6.77, 24.25, 8.26),
    ((0, 0, 1, 8, 1), 190.85, 65.54, 549.34, 152.27),
]


@pytest.mark.parametrize("pairs, value, error, normalised, normalised_error", KNOWN)
def test_elo_as_fastchess_prints_it(
    pairs: tuple[int, ...],
    value: float,
    error: float,
    normalised: float,
    normalised_error: float,
) -> None:
    assert str(elo(pairs)) == f"{value} +/- {error}"
    found = normalised_elo(pairs)
    assert found.value == pytest.approx(normalised, abs=0.006)
    assert found.error == pytest.approx(normalised_error, abs=0.006)


def test_llr_as_fastchess_prints_it() -> None:
    strict = Sprt(9, 16, alpha=0.01, beta=0.01)
    assert strict.llr((352, 579, 1264, 743, 464)) == pytest.approx(4.60, abs=0.006)
    assert (strict.lower, strict.upper) == pytest.approx((-4.595, 4.595), abs=0.001)
    assert strict.verdict((352, 579, 1264, 743, 464)) == "H1"
    assert Sprt(0, 50).llr((0, 0, 1, 8, 1)) == pytest.approx(1.24, abs=0.006)


def test_an_sprt_is_wrong_as_seldom_as_it_promises() -> None:
    random, test = Random(1), Sprt(0, 60, alpha=0.1, beta=0.1)
    weights = (1, 4, 8, 4, 1)  # no difference
    wrong = 0
    for _ in range(60):
        pairs = [0] * 5
        while not test.verdict(pairs):
            for half_points in random.choices(range(5), weights, k=5):
                pairs[half_points] += 1
        wrong += test.verdict(pairs) == "H1"
    assert wrong <= 14  # 6 expected; more than 14 in one case of a thousand


@given(st.lists(st.integers(0, 300), min_size=5, max_size=5))
def test_both_players_see_the_same_match(pairs: list[int]) -> None:
    mirrored = pairs[::-1]
    assert likelihood_of_superiority(pairs) == pytest.approx(
        1 - likelihood_of_superiority(mirrored)
    )
    value = elo(pairs).value
    if math.isfinite(value):
        assert value == pytest.approx(-elo(mirrored).value, abs=1e-6)
    assert Sprt(-5, 5).llr(pairs) == pytest.approx(-Sprt(-5, 5).llr(mirrored), abs=1e-5)


def test_matches_without_news() -> None:
    assert Sprt(0, 5).llr((0, 0, 0, 0, 0)) == 0
    assert likelihood_of_superiority((0, 0, 0, 0, 0)) == 0.5
    assert likelihood_of_superiority((0, 0, 9, 0, 0)) == 0.5
    assert likelihood_of_superiority((0, 0, 0, 0, 9)) == 1
    assert elo((0, 0, 0, 0, 3)).value == math.inf
    assert elo_of(0.75) == pytest.approx(190.85, abs=0.01)


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="elo0 < elo1"):
        Sprt(5, 0)
    with pytest.raises(ValueError, match="pairs"):
        moments((1, 2, 3))


@pytest.mark.parametrize("pairs", [(0, 0, 0, 1, 20), (2000, 0, 3, 0, 0), (1, 2, 3, 4, 5)])
def test_the_widest_bounds_have_a_ratio(pairs: tuple[int, ...]) -> None:
    assert math.isfinite(Sprt(-LARGEST_BOUND, LARGEST_BOUND).llr(pairs))
    with pytest.raises(ValueError, match="200 Elo"):
        Sprt(-1000, 1000)
