"""Which of the book's moves to play."""

from __future__ import annotations

import random
from collections.abc import Sequence


def choose(weights: Sequence[int], variety: int, chance: random.Random) -> int:
    """The index of the chosen move. At least one weight must be greater than 0.

    `variety` goes from 0, always the first of the greatest weight, to 100, in proportion to the
    weights. Between the two the weights are raised to the power 100 / variety, which favours
    the better moves the more the smaller it is.
    """
    best = max(weights)
    if variety <= 0:
        return weights.index(best)
    shares = [(weight / best) ** (100 / variety) for weight in weights]
    return chance.choices(range(len(weights)), shares)[0]
