"""The memory of the weighted sum: weights, which all threads share, and a cache for each thread."""

from __future__ import annotations

from engine.eval.classical.features import WEIGHT_COUNT
from engine.native.structs import Struct, array_of, inline, int64, pointer_to

PAWN_ENTRIES = 8192  # of the pawn cache, a power of two


class Weights(Struct):
    """Packed scores, middlegame and endgame: what features.py lists. Numbers: weights.py."""

    values = int64[WEIGHT_COUNT]


class PawnMasks(Struct):
    """Sets of squares that are filled once."""

    front = int64[2, 64]  # [colour, square]: squares ahead on the same file
    passed = int64[2, 64]  # squares ahead where an enemy pawn stops a passed pawn
    behind = int64[2, 64]  # squares of the adjacent files from which a pawn can give support
    adjacent_files = int64[64]
    king_zone = int64[2, 64]  # squares next to the king, and three before them
    king_files = int64[8]  # by file: the three files around a king
    king_flank = int64[2, 64]  # the own ranks of the three files around the king


NO_KING = 64


class PawnEntry(Struct):
    """Cached results for one arrangement of pawns, and for two kings behind it."""

    key = int64
    score = int64  # packed, White's view
    passed = int64  # passed pawns of both colours
    king = int64[2]  # where the kings stood last, or NO_KING
    shelter = int64[2]  # [colour]: packed score for a king there
    shelter_danger = int64[2]  # [colour]: packed danger for it


class AttackMap(Struct):
    """Scratch space of one evaluation."""

    by_kind = int64[2, 6]  # [colour, piece kind]: attacked squares
    all = int64[2]
    twice = int64[2]  # attacked by two pieces or more
    mobility_area = int64[2]
    outposts = int64[2]  # squares where enemy pawns can never attack, fourth to sixth rank
    king_zone = int64[2]  # squares near the king of that colour, but for those two pawns defend
    attackers = int64[2]  # pieces of that colour that attack the other king's zone
    danger = int64[2]  # packed sum of the attack features of that colour so far


class Classical(Struct):
    """What one thread needs for the weighted sum."""

    weights = pointer_to(Weights)
    masks = pointer_to(PawnMasks)
    pawn_entries = array_of(PawnEntry, PAWN_ENTRIES)
    attacks = inline(AttackMap)
