"""How long to think: a soft limit, after which no new iteration starts, and a hard one.

All times are milliseconds. Written so that a legal move is always sent in time: every share is
taken from the time left after the overhead, the delay between us and the clock that counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.board.constants import WHITE
from engine.limits import Limits

EXPECTED_MOVES = 28  # the part of the remaining time a move gets in sudden death
INCREMENT_SHARE = 0.75
HARD_FACTOR = 5.0
LARGEST_SHARE = 0.7  # of the remaining time, for a single move
MOST_MOVES_TO_GO = 40
PONDER_FACTOR = 1.2  # an engine that also thinks in the opponent's time may spend more of its own

# How the soft limit changes with what the iterations show.
STABILITY_FACTORS = (1.7, 1.25, 1.0, 0.85, 0.75)  # by iterations the best move has held
LARGEST_DROP_CP = 100  # a score that falls by so much ...
DROP_FACTOR = 1.6  # ... multiplies the time by this
EFFORT_FACTORS = (1.6, 0.75)  # if the best move took none, or all, of the nodes


@dataclass(frozen=True)
class Budget:
    """None: no limit."""

    soft_ms: float | None = None
    hard_ms: float | None = None


def budget(limits: Limits, side: int, overhead_ms: int, ponders: bool = False) -> Budget:
    """The time for one move of `side`; `ponders`: the engine also thinks in the opponent's time."""
    if limits.movetime_ms is not None:
        # Spend it, but for the little that sending the answer takes.
        allowed = max(1.0, limits.movetime_ms - min(overhead_ms, 1 + limits.movetime_ms / 20))
        return Budget(None, allowed)

    time_ms, increment_ms = limits.clock_ms(side)
    if time_ms is None:  # a program that sends only one clock means it, whoever is to move
        time_ms, _ = limits.clock_ms(side ^ 1)
    if time_ms is None:
        return Budget()
    increment_ms = max(0, increment_ms)
    left_ms = max(1.0, time_ms - overhead_ms)
    if limits.moves_to_go is not None:
        moves = max(1, min(limits.moves_to_go, MOST_MOVES_TO_GO))
        # Keep an overhead for each move still to make, and a reserve before the control.
        share_ms = max(1.0, left_ms - overhead_ms * (moves - 1)) / (moves + 0.5)
        largest = LARGEST_SHARE if moves > 1 else 0.9
    else:
        share_ms = left_ms / EXPECTED_MOVES
        largest = LARGEST_SHARE
    share_ms += INCREMENT_SHARE * increment_ms
    if ponders:
        share_ms *= PONDER_FACTOR
    soft_ms = min(share_ms, largest * left_ms)
    return Budget(soft_ms, min(HARD_FACTOR * soft_ms, largest * left_ms))


def soft_factor(stable_iterations: int, score_drop_cp: int, effort: float) -> float:
    """What to multiply the soft limit by.

    More time while the best move changes, while the score falls, and while the best move took a
    small share of the nodes (`effort`, 0 to 1); less when all is clear.
    """
    stability = STABILITY_FACTORS[min(stable_iterations, len(STABILITY_FACTORS) - 1)]
    drop = max(0, min(score_drop_cp, LARGEST_DROP_CP)) / LARGEST_DROP_CP
    none, everything = EFFORT_FACTORS
    return stability * (1 + (DROP_FACTOR - 1) * drop) * (none + (everything - none) * effort)


class NodeClock:
    """Time measured in nodes (`nodestime`), so that games with a clock can be repeated exactly.

    At the first move of a game the clock's time becomes nodes; from then on they are what is left,
    whatever the real clock says. A millisecond here is the setting `nodes_per_ms`.
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
