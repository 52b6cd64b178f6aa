"""How long to think: a soft limit, after which no new iteration starts, and a hard one.

All times are milliseconds. Every share is taken from the time above a reserve: several times the
delay between us and the clock that counts. A hiccup of the machine, one move late by much more than
usual, then costs a part of the reserve and not the game.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from engine.board.constants import WHITE
from engine.limits import Limits

EXPECTED_MOVES = 28  # in sudden death a move gets this part of the remaining time
LONG_GAME_MOVES = 100  # more moves that may follow, each of which costs some time however short
LEAST_COST_OVERHEADS = 0.2  # what such a move costs, if those seen did not cost more
LEAST_USABLE_SHARE = 0.1  # of the time above the reserve, however much such moves may cost
INCREMENT_SHARE = 0.75
HARD_FACTOR = 5.0
LARGEST_SHARE = 0.7  # of the remaining time, for a single move
MOST_MOVES_TO_GO = 40
RESERVE_OVERHEADS = 4  # what the clock is brought down to
RESERVE_DELAYS = 3  # the same in the longest delays seen in this game
LEAST_SPARE_SHARE = 0.25  # of the time above the overhead, however large the reserve
FULL_INCREMENT_RESERVES = 2  # with less on the clock, a part of each increment is saved
DELAY_MEMORY = 0.9  # weight of the mean delay so far against a new one
WORST_DELAY_MEMORY = 0.97  # the longest delay fades by this with each move
MOST_DELAY_MS = 2000.0  # who sets a clock by hand takes more
PONDER_FACTOR = 1.2  # an engine that also thinks in the opponent's time may spend more of its own

# How the iterations change the soft limit.
STABILITY_FACTORS = (1.7, 1.25, 1.0, 0.85, 0.75)  # by iterations the best move has held
LARGEST_DROP_CP = 100  # a score that falls by so much ...
DROP_FACTOR = 1.6  # ... multiplies the time by this
EFFORT_FACTORS = (1.6, 0.75)  # if the best move took none, or all, of the nodes


class Budget(NamedTuple):
    """None: no limit."""

    soft_ms: float | None = None
    hard_ms: float | None = None


class Delay(NamedTuple):
    """What the clock that counts takes for a move beyond what we plan."""

    mean_ms: float = 0.0
    worst_ms: float = 0.0
    least_move_ms: float = 0.0  # on average, with the time until there is a move: none costs less


NO_DELAY = Delay()


def budget(
    limits: Limits,
    side: int,
    overhead_ms: int,
    ponders: bool = False,
    delay: Delay = NO_DELAY,
) -> Budget:
    """The time for one move of `side`; `ponders`: the engine also thinks in the opponent's time."""
    time_ms, increment_ms = limits.clock_ms(side)
    if time_ms is None:  # a program that sends one clock means the mover's
        time_ms, _ = limits.clock_ms(side ^ 1)
    left_ms = max(1.0, (time_ms or 0) - overhead_ms)
    if limits.movetime_ms is not None:
        # All of it except the little that sending the answer takes; a clock must not run out.
        allowed = max(1.0, limits.movetime_ms - min(overhead_ms, 1 + limits.movetime_ms / 20))
        return Budget(None, min(allowed, left_ms) if time_ms else allowed)
    if time_ms is None:
        return Budget()
    reserve_ms = max(RESERVE_OVERHEADS * overhead_ms, RESERVE_DELAYS * delay.worst_ms)
    spare_ms = max(time_ms - reserve_ms, LEAST_SPARE_SHARE * left_ms)
    if limits.moves_to_go is not None:
        moves = min(limits.moves_to_go, MOST_MOVES_TO_GO)
        # Keep an overhead for each move still to make, and the reserve before the control.
        lost_ms = max(overhead_ms, delay.least_move_ms) * (moves - 1)
        share_ms = max(1.0, spare_ms - lost_ms) / (moves + 0.5)
        largest = LARGEST_SHARE if moves > 1 else 0.9
    else:
        # What no increment pays for must still be there at the end of a long game.
        cost_ms = max(LEAST_COST_OVERHEADS * overhead_ms, delay.least_move_ms)
        lost_ms = LONG_GAME_MOVES * max(0.0, cost_ms - increment_ms)
        spare_ms = max(spare_ms - lost_ms, LEAST_USABLE_SHARE * spare_ms)
        share_ms = spare_ms / EXPECTED_MOVES
        largest = LARGEST_SHARE
    least_ms = LEAST_SPARE_SHARE * spare_ms / EXPECTED_MOVES
    # Near the reserve the clock must rise, also if each move takes longer than planned.
    part = min(1.0, left_ms / (FULL_INCREMENT_RESERVES * reserve_ms)) if reserve_ms else 1.0
    share_ms += INCREMENT_SHARE * part * increment_ms
    share_ms = max(share_ms - delay.mean_ms, least_ms)
    if ponders:
        share_ms *= PONDER_FACTOR
    soft_ms = min(share_ms, largest * spare_ms)
    return Budget(soft_ms, min(HARD_FACTOR * soft_ms, largest * spare_ms))


def soft_factor(stable_iterations: int, score_drop_cp: int, effort: float) -> float:
    """What to multiply the soft limit by.

    More time while the best move changes, while the score falls, and while the best move took a
    small share of the nodes (`effort`, 0 to 1); less when the choice is clear.
    """
    stability = STABILITY_FACTORS[min(stable_iterations, len(STABILITY_FACTORS) - 1)]
    drop = max(0, min(score_drop_cp, LARGEST_DROP_CP)) / LARGEST_DROP_CP
    none, everything = EFFORT_FACTORS
    return stability * (1 + (DROP_FACTOR - 1) * drop) * (none + (everything - none) * effort)


class _Answer(NamedTuple):
    side: int
    full_move: int
    left_ms: float  # on the clock, by our plan
    without_move_ms: float  # of the time we took


class DelayMeter:
    """Learns the delay from the clocks of successive moves: what the GUI took off, less what we
    took within our limit. It covers pipes, a busy GUI, and waiting for the processor on either
    side."""

    def __init__(self) -> None:
        self.new_game()

    def new_game(self) -> None:
        self.delay = NO_DELAY
        self._answered: _Answer | None = None

    def see_clock(self, limits: Limits, side: int, full_move: int) -> None:
        """The clock before our move. It counts if we answered the move before."""
        answered, self._answered = self._answered, None
        time_ms, increment_ms = limits.clock_ms(side)
        if answered is None or time_ms is None:
            return
        if (answered.side, answered.full_move) != (side, full_move - 1):
            return
        delay_ms = answered.left_ms + increment_ms - time_ms
        # A negative delay: time was added, at a control or by the opponent.
        if delay_ms < 0:
            return
        delay_ms = min(delay_ms, MOST_DELAY_MS)
        old, least_ms = self.delay, delay_ms + answered.without_move_ms
        self.delay = Delay(
            DELAY_MEMORY * old.mean_ms + (1 - DELAY_MEMORY) * delay_ms,
            max(delay_ms, WORST_DELAY_MEMORY * old.worst_ms),
            DELAY_MEMORY * old.least_move_ms + (1 - DELAY_MEMORY) * least_ms,
        )

    def answer(
        self, limits: Limits, side: int, full_move: int, spent_ms: float, without_move_ms: float
    ) -> None:
        """Our move, after `spent_ms`, not more than the hard limit, in the first `without_move_ms`
        of which there was no move to give."""
        time_ms, _ = limits.clock_ms(side)
        if time_ms is not None:
            self._answered = _Answer(side, full_move, time_ms - spent_ms, without_move_ms)


class NodeClock:
    """Time measured in nodes (`nodestime`), so that games with a clock can be repeated exactly.

    At the first move of a game it takes its time from the GUI's clock; after that it ignores the
    real clock. A millisecond is `nodes_per_ms` nodes.
    """

    def __init__(self) -> None:
        self._left: dict[int, float] = {}  # by side: milliseconds in this game

    def new_game(self) -> None:
        self._left.clear()

    def shown(self, limits: Limits, side: int) -> Limits:
        """The limits with the time left by this clock, after the increment was added."""
        time_ms, increment_ms = limits.clock_ms(side)
        if time_ms is None:
            return limits
        left_ms = self._left.get(side)
        self._left[side] = time_ms if left_ms is None else left_ms + increment_ms
        left = int(self._left[side])
        if side == WHITE:
            return replace(limits, white_time_ms=left)
        return replace(limits, black_time_ms=left)

    def spend(self, ms: float, side: int) -> None:
        if side in self._left:
            self._left[side] -= ms
