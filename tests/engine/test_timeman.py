"""Time for a move: never more than there is, never nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.constants import BLACK, WHITE
from engine.limits import Limits
from engine.timeman import NodeClock, budget, soft_factor

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


# --- Worked by hand, with 60,000 ms left after the overhead ------------------------------------

CLOCK = Limits(white_time_ms=60_030)


@pytest.mark.parametrize(
    "limits, soft_ms, hard_ms",
    [
        (CLOCK, 60_000 / 28, 5 * 60_000 / 28),
        (replace(CLOCK, white_increment_ms=1000), 60_000 / 28 + 750, 5 * (60_000 / 28 + 750)),
        (replace(CLOCK, white_increment_ms=-9), 60_000 / 28, 5 * 60_000 / 28),
        (Limits(black_time_ms=60_030), 60_000 / 28, 5 * 60_000 / 28),  # the only clock there is
        (Limits(white_time_ms=1030, white_increment_ms=5000), 700, 700),  # never more than 7/10
        (Limits(white_time_ms=20), 1 / 28, 5 / 28),  # less than the overhead: 1 ms
        # Nine more overheads are kept, and half a share.
        (replace(CLOCK, moves_to_go=10), 59_730 / 10.5, 5 * 59_730 / 10.5),
        (replace(CLOCK, moves_to_go=2), 59_970 / 2.5, 42_000),
        (replace(CLOCK, moves_to_go=1), 40_000, 54_000),
        (replace(CLOCK, moves_to_go=-3), 40_000, 54_000),
        (replace(CLOCK, moves_to_go=300), 58_830 / 40.5, 5 * 58_830 / 40.5),  # as for 40
        (Limits(white_time_ms=100, moves_to_go=40), 1 / 40.5, 5 / 40.5),
    ],
)
def test_budgets(limits: Limits, soft_ms: float, hard_ms: float) -> None:
    found = budget(limits, WHITE, 30)
    assert (found.soft_ms, found.hard_ms) == pytest.approx((soft_ms, hard_ms))


def test_the_only_clock_counts_for_both_sides() -> None:
    assert budget(CLOCK, BLACK, 30) == budget(CLOCK, WHITE, 30)


def test_who_ponders_may_spend_a_fifth_more() -> None:
    assert budget(CLOCK, WHITE, 30, ponders=True).soft_ms == pytest.approx(1.2 * 60_000 / 28)


@pytest.mark.parametrize(
    "movetime_ms, overhead_ms, hard_ms",
    [(1000, 30, 970), (1000, 100, 949), (100, 30, 94), (0, 30, 1), (2, 30, 1), (3, 0, 3)],
)
def test_movetime_keeps_the_overhead_but_not_much_of_a_short_time(
    movetime_ms: int, overhead_ms: int, hard_ms: float
) -> None:
    found = budget(Limits(movetime_ms=movetime_ms), WHITE, overhead_ms)
    assert found.soft_ms is None and found.hard_ms == pytest.approx(hard_ms)


def test_time_grows_and_shrinks_with_what_the_iterations_show() -> None:
    # All nodes for the best move: 0.75. None: 1.6.
    stability = [soft_factor(iterations, 0, 1.0) / 0.75 for iterations in (0, 1, 2, 3, 4, 5, 99)]
    assert stability == pytest.approx([1.7, 1.25, 1.0, 0.85, 0.75, 0.75, 0.75])
    assert soft_factor(2, 0, 0.0) == pytest.approx(1.6)
    assert soft_factor(2, 0, 0.5) == pytest.approx((1.6 + 0.75) / 2)
    drops = [soft_factor(2, drop_cp, 1.0) / 0.75 for drop_cp in (-80, 0, 1, 50, 100, 101, 900)]
    assert drops == pytest.approx([1.0, 1.0, 1.006, 1.3, 1.6, 1.6, 1.6])


class TestNodeClock:
    LIMITS = Limits(
        white_time_ms=5000, black_time_ms=7000, white_increment_ms=10, black_increment_ms=20
    )

    def test_runs_by_nodes_whatever_the_real_clock_says(self) -> None:
        clock = NodeClock()
        assert clock.shown(self.LIMITS, WHITE) == self.LIMITS
        assert clock.shown(self.LIMITS, BLACK) == self.LIMITS
        clock.spend(200, WHITE)
        clock.spend(500, BLACK)
        later = replace(self.LIMITS, white_time_ms=1, black_time_ms=2)
        assert clock.shown(later, WHITE) == replace(later, white_time_ms=5000 - 200 + 10)
        assert clock.shown(later, BLACK) == replace(later, black_time_ms=7000 - 500 + 20)
        without = Limits(white_time_ms=1)
        assert clock.shown(without, WHITE) == replace(without, white_time_ms=4810)

    def test_a_new_game_starts_it_again(self) -> None:
        clock = NodeClock()
        clock.shown(self.LIMITS, WHITE)
        clock.spend(3000, WHITE)
        clock.new_game()
        assert clock.shown(self.LIMITS, WHITE) == self.LIMITS

    def test_without_a_clock_there_is_nothing_to_show_or_spend(self) -> None:
        clock = NodeClock()
        limits = Limits(depth=5, black_time_ms=100)
        assert clock.shown(limits, WHITE) is limits
        clock.spend(1000, WHITE)
        assert clock.shown(self.LIMITS, WHITE) == self.LIMITS
