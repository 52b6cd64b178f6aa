"""What a move costs: chances, marks and accuracy. The formulas are in docs/analysing.md."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum

FORGIVING = 25.0  # accuracy falls e-fold for so many points lost


class Mark(Enum):
    """A judgement of a move: from how many points lost, sign, NAG of PGN, name, its plural."""

    INACCURACY = (5.0, "?!", 6, "Inaccuracy", "inaccuracies")
    MISTAKE = (10.0, "?", 2, "Mistake", "mistakes")
    BLUNDER = (20.0, "??", 4, "Blunder", "blunders")

    def __init__(self, least: float, sign: str, nag: int, title: str, plural: str) -> None:
        self.least = least
        self.sign = sign
        self.nag = nag
        self.title = title
        self.plural = plural

    def counted(self, count: int) -> str:
        return f"{count} {self.title.lower() if count == 1 else self.plural}"


def expected_points(win_draw_loss: tuple[int, int, int]) -> float:
    """Of 100: what a side scores on average whose chances, per mille, are these."""
    win, draw, _ = win_draw_loss
    return (win + draw / 2) / 10


def mark(lost: float) -> Mark | None:
    """For a move that loses so many of 100 points."""
    return next((one for one in reversed(Mark) if lost >= one.least), None)


def move_accuracy(lost: float) -> float:
    """Percent: 100 for a move that loses nothing."""
    return 100 * math.exp(-max(0.0, lost) / FORGIVING)


def accuracy(lost: Sequence[float]) -> float | None:
    """Percent: the mean over a side's moves; None if it had no choice to make."""
    return sum(map(move_accuracy, lost)) / len(lost) if lost else None
