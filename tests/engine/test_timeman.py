"""Time for a move: never more than there is, never nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.constants import BLACK, WHITE
from engine.limits import Limits
from engine.timeman import budget

clock = st.one_of(st.none(), st.integers(-10_000, 10_000_000))


@given(clock, clock, clock, clock, st.one_of(st.none(), st.integers(-5, 200)), st.integers(0, 5000))
def test_the_hard_limit_leaves_the_overhead(
    white: int | None,
    black: int | None,
    white_increment: int | None,
    black_increment: int | None,
    moves_to_go: int | None,
    overhead_ms: int,
) -> None:
    limits = Limits(
        white_time_ms=white,
        black_time_ms=black,
        white_increment_ms=white_increment,
        black_increment_ms=black_increment,
        moves_to_go=moves_to_go,
    )
    result = budget(limits, WHITE, overhead_ms)
    time_ms = white if white is not None else black
    if time_ms is None:
        assert result.soft_ms is None and result.hard_ms is None
        return
    assert result.soft_ms is not None and result.hard_ms is not None
    assert 0 < result.soft_ms <= result.hard_ms <= max(1, time_ms - overhead_ms)


def test_a_game_is_spread_over_its_moves() -> None:
    soft = budget(Limits(white_time_ms=60_000, black_time_ms=1), WHITE, 30).soft_ms
    assert soft is not None and 1000 < soft < 4000
    with_increment = budget(
        Limits(white_time_ms=60_000, white_increment_ms=1000), WHITE, 30
    ).soft_ms
    assert with_increment is not None and with_increment > soft + 500


def test_each_side_has_its_own_clock() -> None:
    limits = Limits(white_time_ms=60_000, black_time_ms=1_000)
    white, black = budget(limits, WHITE, 30), budget(limits, BLACK, 30)
    assert white.soft_ms is not None and black.soft_ms is not None
    assert white.soft_ms > 20 * black.soft_ms


def test_the_last_move_before_the_control_may_use_most_of_the_time() -> None:
    last = budget(Limits(white_time_ms=10_000, moves_to_go=1), WHITE, 30).hard_ms
    assert last is not None and 8000 < last < 9970


@pytest.mark.parametrize("movetime_ms", [0, 1, 10, 50, 1000, 100_000])
def test_movetime_is_used_but_for_the_answer(movetime_ms: int) -> None:
    hard = budget(Limits(movetime_ms=movetime_ms), WHITE, 30).hard_ms
    assert hard is not None and 0 < hard <= max(1, movetime_ms)
    assert hard >= 0.9 * movetime_ms - 2
