"""The list of all weights: which features the evaluation counts, and where each weight lies.

A feature is declared in one line. What the line returns is the index of its first weight, which
the kernels use; the numbers stand in weights.py under the same name in capitals, each a
(middlegame, endgame) pair; and everything that goes through all weights (filling the memory,
counting features for tuning, writing weights.py) goes through FEATURES.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple


class Feature(NamedTuple):
    """A named array of weights."""

    name: str
    group: str  # a theme: what is shown together, switched off or frozen together
    shape: tuple[int, ...]  # () for a single weight
    first: int  # index of its first weight; the others follow in C order

    @property
    def indices(self) -> slice:
        return slice(self.first, self.first + prod(self.shape))


FEATURES: dict[str, Feature] = {}  # by name, in the order of their weights


def _feature(group: str, name: str, *shape: int) -> int:
    """Declare a feature, right behind the one before it. Returns the index of its first weight."""
    last = next(reversed(FEATURES.values()), None)
    first = last.indices.stop if last else 0
    FEATURES[name] = Feature(name, group, shape, first)
    return first


# "By rank" is always the rank seen by the owner; "by kind" goes from pawn to king.
MATERIAL = _feature("Material", "material", 6)  # by kind
PIECE_SQUARE = _feature("Piece squares", "piece_square", 6, 64)  # by kind and square

TEMPO = _feature("Tempo", "tempo")

ISOLATED_PAWN = _feature("Pawns", "isolated_pawn")
DOUBLED_PAWN = _feature("Pawns", "doubled_pawn")
BACKWARD_PAWN = _feature("Pawns", "backward_pawn")
DEFENDED_PAWN = _feature("Pawns", "defended_pawn", 8)  # by rank
PHALANX_PAWN = _feature("Pawns", "phalanx_pawn", 8)  # by rank

PASSED_PAWN = _feature("Passed pawns", "passed_pawn", 8)  # by rank
PASSED_BLOCKED = _feature("Passed pawns", "passed_blocked", 8)  # by rank
PASSED_KING_NEAR = _feature("Passed pawns", "passed_king_near", 8)  # by distance of the own king
PASSED_KING_FAR = _feature("Passed pawns", "passed_king_far", 8)  # the same for the enemy's king

BISHOP_PAIR = _feature("Pieces", "bishop_pair")
ROOK_OPEN_FILE = _feature("Pieces", "rook_open_file")
ROOK_HALF_OPEN_FILE = _feature("Pieces", "rook_half_open_file")

# By squares reached
KNIGHT_MOBILITY = _feature("Mobility", "knight_mobility", 9)
BISHOP_MOBILITY = _feature("Mobility", "bishop_mobility", 14)
ROOK_MOBILITY = _feature("Mobility", "rook_mobility", 15)
QUEEN_MOBILITY = _feature("Mobility", "queen_mobility", 28)

SHELTER = _feature("King shelter", "shelter", 8)  # by rank of the own pawn nearest the king
STORM = _feature("King shelter", "storm", 8)  # by rank of the enemy pawn nearest

# What follows is summed for each side apart and enters the score through `attack_score`, king.py.
KING_ATTACK = _feature("King attack", "king_attack", 6)  # by kind, each square next to the king

LINEAR_COUNT = KING_ATTACK
WEIGHT_COUNT = next(reversed(FEATURES.values())).indices.stop
ATTACK_COUNT = WEIGHT_COUNT - LINEAR_COUNT
