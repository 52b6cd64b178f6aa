"""The tasks of a test suite, by EPD operation: `dm n` or `bm #n`, a mate of that length;
`c8` and `c9`, points for several moves (the Strategic Test Suite); `bm` and `am`, best moves and
moves to avoid.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import chess

from tuning.data.epd import Epd


@dataclass(frozen=True)
class Found:
    """A move and score of an engine, during a search or at its end."""

    move: chess.Move | None
    mate: int | None  # moves, negative if the side to move is mated
    score: str
    depth: int
    nodes: int
    time_ms: int


class Task(Protocol):
    """A task, and how many points a move is worth."""

    most_points: int
    wanted: str
    settled: bool  # a full answer is final

    def points(self, found: Found) -> int: ...


class BestMove:
    most_points = 1
    settled = False

    def __init__(self, position: Epd):
        self.best, self.avoid = position.moves("bm"), position.moves("am")
        words = [f"{name} {position.operations[name]}" for name in ("bm", "am")
                 if name in position.operations]  # fmt: skip
        self.wanted = ", ".join(words)

    def points(self, found: Found) -> int:
        return int(found.move not in self.avoid and (not self.best or found.move in self.best))


class Points:
    settled = False

    def __init__(self, position: Epd):
        values = [int(word) for word in position.operations["c8"].split()]
        moves = position.moves("c9")
        if len(values) != len(moves):
            raise ValueError("c8 and c9 differ in length")
        self._points = dict(zip(moves, values, strict=True))
        self.most_points = max(values)
        self.wanted = position.operations.get("c0") or position.operations["c9"]

    def points(self, found: Found) -> int:
        return self._points.get(found.move, 0) if found.move else 0


class Mate:
    most_points = 1
    settled = True

    def __init__(self, moves: int):
        self.moves = moves
        self.wanted = f"mate in {moves}" if moves > 0 else f"mated in {-moves}"

    def points(self, found: Found) -> int:
        """The attacker needs a mate at least as short, the defender the longest defence."""
        if found.mate is None:
            return 0
        if self.moves > 0:
            return int(0 < found.mate <= self.moves)
        return int(found.mate == self.moves)


def task_of(position: Epd) -> Task:
    """The task of a position. ValueError if its operations contain none."""
    if position.mate is not None:
        if position.mate == 0:
            raise ValueError("a mate in 0 is not a task")
        return Mate(position.mate)
    if "c8" in position.operations and "c9" in position.operations:
        return Points(position)
    if position.moves("bm") or position.moves("am"):
        return BestMove(position)
    raise ValueError("no bm, am, dm, or c8 with c9")
