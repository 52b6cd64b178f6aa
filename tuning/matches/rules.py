"""What a match is: who plays, under what conditions, and when a game is over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import chess

from engine.command_line import UsageError


def outcome_of(board: chess.Board) -> chess.Outcome | None:
    """How a game has ended. A draw has to stand on the board.

    python-chess's `claim_draw` also ends a game if the next move could draw it, even where that
    move would be a blunder.
    """
    if (outcome := board.outcome()) is not None:
        return outcome
    if board.is_fifty_moves():
        return chess.Outcome(chess.Termination.FIFTY_MOVES, None)
    if board.is_repetition(3):
        return chess.Outcome(chess.Termination.THREEFOLD_REPETITION, None)
    return None


@dataclass(frozen=True)
class Contender:
    name: str
    command: str
    options: dict[str, str] = field(default_factory=dict)  # beside those of the match


@dataclass(frozen=True)
class Conditions:
    """How a match is played. `time_control` is "seconds+increment"."""

    openings: Path
    rounds: int  # pairs of games
    time_control: str = "2+0.02"
    nodes: int | None = None  # instead of time
    options: dict[str, str] = field(default_factory=dict)  # of both engines
    concurrency: int = 1
    seed: int = 1  # of the order of the openings
    adjudicate: bool = False
    chess960: bool = False
    ponder: bool = False
    log: Path | None = None  # to which a tool's own words are appended

    @property
    def clock_s(self) -> tuple[float, float]:
        """Time and increment. ValueError if it is no time control."""
        time_text, _, increment_text = self.time_control.partition("+")
        try:
            seconds, increment = float(time_text), float(increment_text or 0)
        except ValueError:
            raise UsageError(f"{self.time_control}: a time control looks like 8+0.08") from None
        if not (seconds > 0 and increment >= 0):
            raise UsageError(f"{self.time_control}: the time must be more than 0")
        return seconds, increment


@dataclass(frozen=True)
class Playing:
    """A match under way in the background."""

    is_over: Callable[[], bool]
    has_failed: Callable[[], bool]  # once it is over
    complaint: Callable[[], str]  # what went wrong
