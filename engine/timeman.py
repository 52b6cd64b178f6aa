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
PONDER_FACTOR = 1.2  # who thinks in the opponent's time too may spend more of the own

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
    """The time for one move of `side`, which may be one that also thinks in the opponent's."""
    if limits.movetime_ms is not None:
        # Spend it, but for the little that sending the answer takes.
        allowed = max(1.0, limits.movetime_ms - min(overhead_ms, 1 + limits.movetime_ms / 20))
        return Budget(None, allowed)

    times = (limits.white_time_ms, limits.black_time_ms)
    increments = (limits.white_increment_ms, limits.black_increment_ms)
    if side != WHITE:
        times, increments = times[::-1], increments[::-1]
    # A program that sends one clock only means it, whoever is to move.
    time_ms = times[0] if times[0] is not None else times[1]
    if time_ms is None:
        return Budget()
    increment_ms = max(0, increments[0] or 0)
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
    """What to multiply the soft limit with.

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
    whatever the real clock says. Milliseconds here are nodes / `nodes_per_ms`.
    """

    def __init__(self) -> None:
        self.nodes_per_ms = 0  # 0: real time
        self._left: dict[int, float] = {}  # by side: milliseconds in this game

    def new_game(self) -> None:
        self._left.clear()

    def shown(self, limits: Limits, side: int) -> Limits:
        """The limits with the time that is left by this clock, after the increment was added."""
        times = (limits.white_time_ms, limits.black_time_ms)
        increments = (limits.white_increment_ms, limits.black_increment_ms)
        time_ms, increment_ms = times[side], increments[side] or 0
        if time_ms is None:
            return limits
        left_ms = self._left.get(side)
        self._left[side] = time_ms if left_ms is None else left_ms + increment_ms
        left = int(self._left[side])
        if side == WHITE:
            return replace(limits, white_time_ms=left)
        return replace(limits, black_time_ms=left)

    def spend(self, nodes: int, side: int) -> None:
        if side in self._left:
            self._left[side] -= nodes / self.nodes_per_ms
