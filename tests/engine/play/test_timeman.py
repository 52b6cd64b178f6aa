"""Time for a move: never more than there is, never nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.constants import BLACK, WHITE
from engine.limits import Limits
from engine.play.timeman import (
    MOST_DELAY_MS,
    NO_DELAY,
    Budget,
    Delay,
    DelayMeter,
    NodeClock,
    budget,
    soft_factor,
)

OVERHEAD_MS = 30
HICCUP_MS = 3.0 * OVERHEAD_MS

clock = st.one_of(st.none(), st.integers(-10_000, 10_000_000))
increment = st.one_of(st.none(), st.integers(0, 10_000_000))
count = st.one_of(st.none(), st.integers(1, 200))


@given(clock, clock, increment, increment, count, st.integers(0, 5000))
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


# --- Worked by hand, with 59,910 ms above the reserve of four overheads -------------------------

CLOCK = Limits(white_time_ms=60_030)


@pytest.mark.parametrize(
    "limits, soft_ms, hard_ms",
    [
        # Without an increment, 6 ms are kept for each of 100 moves.
        (CLOCK, 59_310 / 28, 5 * 59_310 / 28),
        (replace(CLOCK, white_increment_ms=1000), 59_910 / 28 + 750, 5 * (59_910 / 28 + 750)),
        (replace(CLOCK, white_increment_ms=4), 59_710 / 28 + 3, 5 * (59_710 / 28 + 3)),
        (Limits(black_time_ms=60_030), 59_310 / 28, 5 * 59_310 / 28),  # the only clock there is
        (Limits(white_time_ms=1030, white_increment_ms=5000), 637, 637),  # never more than 7/10
        # Less than the overhead: a quarter of 1 ms, and a tenth of it.
        (Limits(white_time_ms=20), 0.025 / 28, 5 * 0.025 / 28),
        # Nine more overheads are kept, and half a share.
        (replace(CLOCK, moves_to_go=10), 59_640 / 10.5, 5 * 59_640 / 10.5),
        (replace(CLOCK, moves_to_go=2), 59_880 / 2.5, 41_937),
        (replace(CLOCK, moves_to_go=1), 39_940, 53_919),
        (replace(CLOCK, moves_to_go=300), 58_740 / 40.5, 5 * 58_740 / 40.5),  # as for 40
        # Within the reserve: a quarter of what is above the overhead, shared out as sparingly.
        (Limits(white_time_ms=100, moves_to_go=40), 17.5 / 4 / 28, 5 * 17.5 / 4 / 28),
    ],
)
def test_budgets(limits: Limits, soft_ms: float, hard_ms: float) -> None:
    found = budget(limits, WHITE, 30)
    assert (found.soft_ms, found.hard_ms) == pytest.approx((soft_ms, hard_ms))


def test_each_side_has_its_own_clock_and_the_only_one_counts_for_both() -> None:
    both = replace(CLOCK, black_time_ms=1030)
    assert budget(both, BLACK, 30) == budget(Limits(black_time_ms=1030), BLACK, 30)
    assert budget(both, WHITE, 30) == budget(CLOCK, WHITE, 30) == budget(CLOCK, BLACK, 30)


def test_who_ponders_may_spend_a_fifth_more() -> None:
    assert budget(CLOCK, WHITE, 30, ponders=True).soft_ms == pytest.approx(1.2 * 59_310 / 28)


@pytest.mark.parametrize(
    "movetime_ms, overhead_ms, hard_ms",
    [(1000, 30, 970), (1000, 100, 949), (100, 30, 94), (1, 30, 1), (2, 30, 1), (3, 0, 3)],
)
def test_movetime_keeps_the_overhead_but_not_much_of_a_short_time(
    movetime_ms: int, overhead_ms: int, hard_ms: float
) -> None:
    found = budget(Limits(movetime_ms=movetime_ms), WHITE, overhead_ms)
    assert found.soft_ms is None and found.hard_ms == pytest.approx(hard_ms)


def test_movetime_does_not_run_the_clock_out() -> None:
    for time_ms, allowed_ms in ((100, 70), (10, 1), (999, 969), (5000, 970), (0, 970)):
        limits = Limits(movetime_ms=1000, white_time_ms=time_ms, black_time_ms=time_ms)
        assert budget(limits, WHITE, 30) == budget(limits, BLACK, 30) == Budget(None, allowed_ms)


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


# --- The reserve


@given(
    st.integers(4 * OVERHEAD_MS, 100_000),
    st.integers(0, 2_000),
    st.one_of(st.none(), st.integers(1, 60)),
    st.floats(0, HICCUP_MS),
)
def test_a_hiccup_of_several_overheads_never_flags(
    time_ms: int, increment_ms: int, moves_to_go: int | None, delay_ms: float
) -> None:
    limits = Limits(white_time_ms=time_ms, white_increment_ms=increment_ms, moves_to_go=moves_to_go)
    hard = budget(limits, WHITE, OVERHEAD_MS).hard_ms
    assert hard is not None and time_ms - hard - delay_ms > 0


class GuiClock:
    """One side's clock, as a GUI keeps it."""

    def __init__(self, time_ms: float, increment_ms: int) -> None:
        self.time_ms, self.increment_ms = time_ms, increment_ms
        self.lowest_ms = time_ms
        self._meter = DelayMeter()
        self._full_move = 0

    def move(self, share_of_hard: float, delay_ms: float, least_ms: float = 0.0) -> None:
        """A move between the soft limit and the hard one, or of `least_ms` if that is more; it
        takes off `delay_ms` besides."""
        self._full_move += 1
        limits = Limits(white_time_ms=int(self.time_ms), white_increment_ms=self.increment_ms)
        self._meter.see_clock(limits, WHITE, self._full_move)
        planned = budget(limits, WHITE, OVERHEAD_MS, delay=self._meter.delay)
        assert planned.soft_ms is not None and planned.hard_ms is not None
        spent_ms = planned.soft_ms + share_of_hard * (planned.hard_ms - planned.soft_ms)
        spent_ms = max(spent_ms, least_ms)
        answered_ms = min(spent_ms, planned.hard_ms)
        first_ms = min(least_ms, answered_ms)
        self._meter.answer(limits, WHITE, self._full_move, answered_ms, first_ms)
        self.time_ms -= spent_ms + delay_ms
        self.lowest_ms = min(self.lowest_ms, self.time_ms)
        self.time_ms += self.increment_ms


@pytest.mark.parametrize(("time_ms", "increment_ms"), [(1000, 10), (500, 5), (8000, 80)])
@given(
    usual=st.floats(0, 0.3),  # delay of each move, in increments
    moves=st.lists(st.floats(0, 0.2), min_size=20, max_size=300),
    hiccups=st.sets(st.integers(0, 14), max_size=15),
)
def test_with_increments_no_game_is_lost_on_time(
    time_ms: int, increment_ms: int, usual: float, moves: list[float], hiccups: set[int]
) -> None:
    clock = GuiClock(time_ms, increment_ms)
    for number, share in enumerate(moves):
        late = number % 20 == 19 and number // 20 in hiccups
        clock.move(share, HICCUP_MS if late else usual * increment_ms)
    assert clock.lowest_ms > 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=100), st.integers(0, 99))
def test_in_sudden_death_no_game_is_lost_on_time(moves: list[float], late: int) -> None:
    clock = GuiClock(2000, 0)
    for number, share in enumerate(moves):
        clock.move(share, HICCUP_MS if number == late else 0.25)
    assert clock.lowest_ms > 0


@pytest.mark.parametrize(("time_ms", "moves"), [(1000, 150), (5000, 200), (60_000, 300)])
def test_in_sudden_death_there_is_time_for_a_long_game(time_ms: int, moves: int) -> None:
    """5+0 was lost at move 102 on a busy machine, where the shortest move took 4 to 8 ms."""
    clock = GuiClock(time_ms, 0)
    for _ in range(moves):
        clock.move(0.1, 1.0, least_ms=3.0)
    assert clock.lowest_ms > 0


@pytest.mark.parametrize("cost_ms", [(6.0, 6.5), (1.0, 11.0), (11.0, 1.0)])
def test_with_moves_that_cost_more_than_the_increment_there_is_time_for_a_long_game(
    cost_ms: tuple[float, float],
) -> None:
    """1+0.01, three games on one processor: the shortest move took 12.3 ms."""
    without_move_ms, delay_ms = cost_ms
    clock = GuiClock(1000, 10)
    for _ in range(150):
        clock.move(0.1, delay_ms, least_ms=without_move_ms)
    assert clock.lowest_ms > 0


def test_with_tiny_increments_the_clock_stays_at_the_reserve() -> None:
    clock = GuiClock(1000, 10)
    for _ in range(200):
        clock.move(0.1, 3.0)
    assert clock.lowest_ms > 4 * OVERHEAD_MS


@pytest.mark.parametrize(
    ("time_ms", "largest_loss"), [(8000, 0.01), (4000, 0.02), (2000, 0.03), (600, 0.05)]
)
def test_with_time_the_reserve_costs_little(time_ms: int, largest_loss: float) -> None:
    limits = Limits(white_time_ms=time_ms, white_increment_ms=80)
    with_it = budget(limits, WHITE, OVERHEAD_MS).soft_ms
    without = (time_ms - OVERHEAD_MS) / 28 + 0.75 * 80
    assert with_it is not None and with_it > (1 - largest_loss) * without


# --- The delay


def test_the_delay_is_learnt_from_the_clocks() -> None:
    meter, time_ms = DelayMeter(), 10_000
    for full_move in range(1, 60):
        limits = Limits(black_time_ms=time_ms, black_increment_ms=100)
        meter.see_clock(limits, BLACK, full_move)
        meter.answer(limits, BLACK, full_move, 70.0, 5.0)
        time_ms += 100 - 70 - (90 if full_move == 30 else 12)
    assert meter.delay.mean_ms == pytest.approx(12, abs=3)
    assert meter.delay.least_move_ms == pytest.approx(5 + meter.delay.mean_ms, abs=0.1)
    assert 30 < meter.delay.worst_ms < 90
    meter.new_game()
    assert meter.delay == NO_DELAY


@pytest.mark.parametrize(
    ("side", "full_move", "time_ms", "delay"),
    [
        (WHITE, 2, 890, Delay(1, 10)),
        (WHITE, 3, 890, NO_DELAY),  # another move was made in between
        (BLACK, 2, 890, NO_DELAY),
        (WHITE, 2, 5000, NO_DELAY),  # time was added
        (WHITE, 2, -99_999, Delay(MOST_DELAY_MS / 10, MOST_DELAY_MS)),  # set by hand
    ],
)
def test_only_the_clock_of_the_next_move_counts(
    side: int, full_move: int, time_ms: int, delay: Delay
) -> None:
    meter = DelayMeter()
    meter.answer(Limits(white_time_ms=1000), WHITE, 1, 100.0, 0.0)
    meter.see_clock(Limits(white_time_ms=time_ms, black_time_ms=time_ms), side, full_move)
    assert meter.delay.mean_ms == pytest.approx(delay.mean_ms)
    assert meter.delay.worst_ms == pytest.approx(delay.worst_ms)


def test_with_long_delays_less_is_spent() -> None:
    limits = Limits(white_time_ms=1000, white_increment_ms=10)
    usual = budget(limits, WHITE, OVERHEAD_MS)
    late = budget(limits, WHITE, OVERHEAD_MS, delay=Delay(mean_ms=8, worst_ms=150))
    assert usual.soft_ms is not None and late.soft_ms is not None
    assert 0 < late.soft_ms < usual.soft_ms - 8
