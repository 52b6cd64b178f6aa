"""What people make of a score: the points they score from it, and what a move costs them.

A side expects 1 / (1 + exp(-score / spread)) points of a game. `spread`, in centipawns as users see
them, is e to the power of a polynomial of the rating: the lower the rating, the less a lead is
worth. `wadjet-tune calibrate people` fits the constants to games of people.

Points are of 100 here. Marks are measured with the curve of the players' rating, accuracies all
with that of MIDDLE_RATING, so that those of different players can be compared.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

# Written by `wadjet-tune emit`. Logarithms of centipawns; powers 0 and 1 of the rating.
SPREAD = (5.4415, -0.3755)

MIDDLE_RATING = 1800  # counts as 0 in the polynomial, and where no rating is known
# Below and above, nothing changes: few ratings are lower, and by the curve of masters a quarter of
# a pawn would be an inaccuracy.
LEAST_RATING, MOST_RATING = 600, MIDDLE_RATING
RATING_UNIT = 400.0  # so much more counts as 1

INACCURACY, MISTAKE, BLUNDER = 5.0, 10.0, 20.0  # points lost, at least
DECIDED = 85.0  # points from which on a game is won, unless the move gives them away
FORGIVING = 15.0  # points lost for which the accuracy of a move falls e-fold


def expected_points(centipawns: int, rating: int = MIDDLE_RATING) -> float:
    """Of 100, what a side scores on average from a score, against an equal opponent."""
    argument = centipawns / spread(rating)
    return 100 / (1 + math.exp(-max(-50.0, min(argument, 50.0))))


def spread(rating: int) -> float:
    """In centipawns as users see them."""
    at = (min(max(rating, LEAST_RATING), MOST_RATING) - MIDDLE_RATING) / RATING_UNIT
    return math.exp(sum(factor * at**exponent for exponent, factor in enumerate(SPREAD)))


def is_decided(before: float, after: float) -> bool:
    """Whether a side's points before and after its move, for MIDDLE_RATING, say that the game was
    over: the move tells nothing about the player."""
    return min(before, after) >= DECIDED or max(before, after) <= 100 - DECIDED


def accuracy(lost: Sequence[float]) -> float | None:
    """Percent, from the points that each move lost, for MIDDLE_RATING; 100 if nothing was lost.
    None if there is no move."""
    shares = [math.exp(-max(0.0, points) / FORGIVING) for points in lost]
    return 100 * sum(shares) / len(shares) if shares else None
