"""The chances of a win, draw and loss at a score.

The two constants have the highest likelihood for 65,000 positions of games at 20,000 nodes a move
between versions of Wadjet.
"""

from __future__ import annotations

import math

from engine.scores import MATE_IN_RANGE

WIN_AT_HALF = 155.0  # centipawns at which half of the games are won
SPREAD = 119.0  # centipawns over which the chance of winning grows e-fold


def win_draw_loss(score: int) -> tuple[int, int, int]:
    """Per mille for the side to move; two logistic curves, one seen from each side."""
    if abs(score) >= MATE_IN_RANGE:
        return (1000, 0, 0) if score > 0 else (0, 0, 1000)
    win = round(1000 / (1 + math.exp((WIN_AT_HALF - score) / SPREAD)))
    loss = round(1000 / (1 + math.exp((WIN_AT_HALF + score) / SPREAD)))
    return win, 1000 - win - loss, loss
