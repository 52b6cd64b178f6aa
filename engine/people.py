"""What people make of a score: the points they score from it, and what a move costs them.

A side expects 1 / (1 + exp(-score / spread)) points of a game. `spread`, in centipawns as users see
them, is e to the power of a polynomial of the rating: the lower the rating, the less a lead is
worth. `wadjet-tune calibrate people` fits the constants to games of people.

Points are of 100 here, scores White's or the side's that one asks for.
"""

from __future__ import annotations

import math

# Written by `wadjet-tune emit`. Logarithms of centipawns; powers 0 and 1 of the rating.
SPREAD = (5.5000, -0.2000)

LEAST_RATING, MOST_RATING = 600, 2800  # below and above, nothing changes
MIDDLE_RATING = 1800  # counts as 0 in the polynomial, and where no rating is known
RATING_UNIT = 400.0  # so much more counts as 1

DECIDED = 90.0  # a side with so many points, before and after a move, has nothing left to prove
FORGIVING = 25.0  # the accuracy of a move falls e-fold for so many points lost


def expected_points(centipawns: int, rating: int) -> float:
    """Of 100, what a side scores on average from a score, against an equal opponent."""
    argument = centipawns / spread(rating)
    return 100 / (1 + math.exp(-max(-50.0, min(argument, 50.0))))


def spread(rating: int) -> float:
    """In centipawns as users see them."""
    at = (min(max(rating, LEAST_RATING), MOST_RATING) - MIDDLE_RATING) / RATING_UNIT
    return math.exp(sum(factor * at**exponent for exponent, factor in enumerate(SPREAD)))


def is_decided(before: float, after: float) -> bool:
    """Whether a side's points, before and after its move, say that the game was over."""
    return min(before, after) >= DECIDED or max(before, after) <= 100 - DECIDED


def move_accuracy(lost: float) -> float:
    """Percent: 100 for a move that loses nothing."""
    return 100 * math.exp(-max(0.0, lost) / FORGIVING)
