"""The memory of the evaluation: weights, which all threads share, and a cache for each thread."""

from __future__ import annotations

from engine.eval.features import WEIGHT_COUNT
from engine.native.memory import Struct, array_of, inline, int64, pointer_to

PAWN_ENTRIES = 8192  # of the pawn cache, a power of two


class Weights(Struct):
    """Packed scores, middlegame and endgame: what features.py lists. Numbers: weights.py."""

    values = int64[WEIGHT_COUNT]


class PawnMasks(Struct):
    """Sets of squares that only depend on a square. Filled once."""

    front = int64[2, 64]  # [colour, square]: squares ahead on the same file
    passed = int64[2, 64]  # squares ahead where an enemy pawn stops a passed pawn
    behind = int64[2, 64]  # squares of the adjacent files from which a pawn can give support
    adjacent_files = int64[64]
    king_zone = int64[2, 64]  # squares next to the king, and three before them


class PawnEntry(Struct):
    """What is known of one arrangement of pawns."""

    key = int64
    score = int64  # packed, White's view
    passed = int64  # passed pawns of both colours


class AttackMap(Struct):
    """Scratch space of one evaluation."""

    by_pawns = int64[2]
    mobility_area = int64[2]
    king_zone = int64[2]  # of the king of that colour
    danger = int64[2]  # packed sum of the king attack features of that colour


class Trace(Struct):
    """What the tracing copy of the evaluation counts; see trace.py."""

    counts = int64[2, WEIGHT_COUNT]  # [colour, weight]


class Evaluator(Struct):
    """What one thread needs to evaluate positions."""

    weights = pointer_to(Weights)
    masks = pointer_to(PawnMasks)
    pawn_entries = array_of(PawnEntry, PAWN_ENTRIES)
    attacks = inline(AttackMap)
    trace = pointer_to(Trace)  # the tracing copy only
