"""The chances of a win, draw and loss at a score, and scores in units of these chances.

The side to move wins with chance 1 / (1 + exp((half - score) / spread)); the chance to lose is the
same at the opposite score. `half`, the score at which half of the games are won, and `spread`
depend on the material: e to the power of a polynomial. `wadjet-tune calibrate` fits the constants
to games of Wadjet against itself, with the shipped network. The idea is Stockfish's.
"""

from __future__ import annotations

import math

from engine.board.constants import BISHOP, KNIGHT, PAWN, QUEEN, ROOK
from engine.board.position import Position
from engine.native.bits import popcount
from engine.scores import TABLEBASE_WIN_IN_RANGE

# Written by `wadjet-tune emit`. Logarithms of centipawns; powers 0, 1, 2 of the material.
HALF = (4.5279, -0.1885, 0.1415)
SPREAD = (3.8571, 0.3611, 0.1221)

PIECE_VALUES = ((PAWN, 1), (KNIGHT, 3), (BISHOP, 3), (ROOK, 5), (QUEEN, 9))
LEAST_MATERIAL, MOST_MATERIAL = 10, 78  # below and above, nothing changes
MIDDLE_MATERIAL = 44.0  # counts as 0 in the polynomials ...
MATERIAL_UNIT = 34.0  # ... and so much more as 1
HALF_SHOWN = 100  # what is shown where half of the games are won
LARGEST_SHOWN_CP = 15_000  # won tablebase positions are shown above


def material_of(pos: Position) -> int:
    """The men of both sides by the usual count: pawn 1, minor pieces 3, rook 5, queen 9."""
    pieces = pos.pieces
    return sum(
        value * int(popcount(pieces[0, kind] | pieces[1, kind])) for kind, value in PIECE_VALUES
    )


def chances(score_cp: int, material: int) -> tuple[int, int, int]:
    """Per mille to win, draw and lose for the side to move, at its score in internal centipawns."""
    if abs(score_cp) >= TABLEBASE_WIN_IN_RANGE:
        return (1000, 0, 0) if score_cp > 0 else (0, 0, 1000)
    half, spread = half_and_spread(material)
    win = round(1000 * _logistic((score_cp - half) / spread))
    loss = round(1000 * _logistic((-score_cp - half) / spread))
    return win, max(0, 1000 - win - loss), min(loss, 1000 - win)


def normalised(score_cp: int, material: int) -> int:
    """A score as it is shown: 100 is a chance of 50 % to win."""
    shown = round(score_cp * factor_shown(material))
    return max(-LARGEST_SHOWN_CP, min(shown, LARGEST_SHOWN_CP))


def factor_shown(material: int) -> float:
    """What an internal score is multiplied with to be shown."""
    half, _ = half_and_spread(material)
    return HALF_SHOWN / half


def half_and_spread(material: int) -> tuple[float, float]:
    """Both in centipawns."""
    return _power(HALF, material), _power(SPREAD, material)


def _power(factors: tuple[float, ...], material: int) -> float:
    at = (min(max(material, LEAST_MATERIAL), MOST_MATERIAL) - MIDDLE_MATERIAL) / MATERIAL_UNIT
    return math.exp(sum(factor * at**exponent for exponent, factor in enumerate(factors)))


def _logistic(x: float) -> float:
    if x < -50:
        return 0.0
    return 1 / (1 + math.exp(-x))
