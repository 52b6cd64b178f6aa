"""The memory of the evaluation: weights, which all threads share, and a cache for each thread."""

from __future__ import annotations

from engine.native.memory import Struct, array_of, inline, int64, pointer_to

PAWN_ENTRIES = 8192  # of the pawn cache, a power of two


class Weights(Struct):
    """Packed scores, middlegame and endgame. Their numbers are in weights.py.

    Material and piece-square tables are not here but in Tables.piece_square, because `make`
    keeps their sum.
    """

    tempo = int64
    bishop_pair = int64
    mobility = int64[6, 28]  # [piece kind, squares reached]
    passed_pawn = int64[8]  # by rank, seen by the owner
    passed_king_near = int64[8]  # by distance of the own king to the square before the pawn
    passed_king_far = int64[8]  # the same for the enemy's king
    passed_blocked = int64[8]  # by rank; an enemy piece stands before the pawn
    isolated_pawn = int64
    doubled_pawn = int64
    backward_pawn = int64
    defended_pawn = int64[8]  # by rank
    phalanx_pawn = int64[8]  # by rank
    rook_open_file = int64
    rook_half_open_file = int64
    shelter = int64[8]  # by rank of the own pawn nearest the king on a file near it, 0 for none
    storm = int64[8]  # by rank of the enemy pawn nearest on such a file, 0 for none
    king_attack = int64[6]  # by kind, for each square next to the king that it attacks


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


class Evaluator(Struct):
    """What one thread needs to evaluate positions."""

    weights = pointer_to(Weights)
    masks = pointer_to(PawnMasks)
    pawn_entries = array_of(PawnEntry, PAWN_ENTRIES)
    attacks = inline(AttackMap)
