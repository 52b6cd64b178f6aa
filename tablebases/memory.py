"""The memory that kernels use to turn positions into indices."""

from __future__ import annotations

from engine.native.memory import Struct, int16, int64, pointer_to


class Men(Struct):
    """A position, as bitboards, and room to work on it: each thread has its own."""

    pieces = int64[2, 6]  # [colour, kind]: pawns 0 ... kings 5
    side = int64  # to move: 0 White, 1 Black
    squares = int64[8]  # scratch: one by one, in the order of a table


class IndexTables(Struct):
    """The numbering of squares and pairs of squares that the format prescribes; see layout.py."""

    triangle = int64[64]  # squares of the triangle a1-d1-d4, those on the diagonal last
    below_diagonal = int64[64]  # squares below the diagonal a1-h8
    king_pairs = int16[10, 64]  # [triangle of one king, square of the other], -1: impossible
    pawn_rank = int64[64]  # leading pawns, those on the files a to d: the smallest leads
    pawn_order = int64[64]  # the pawns behind the leading one, 47 to 0
    leading_pawns = int64[6, 24]  # [how many follow, pawn_rank of the leading one]: first index
    binomial = int64[7, 64]  # [k, n]: ways to choose k of n


class Encoding(Struct):
    """How the positions of one sub-table are numbered: groups of like pieces, one after the other.

    The index of a position is the sum over all groups of the group's number times its factor. The
    first group is the leading one: the kings, three single pieces, or the pawns of one side.
    """

    men = int64
    leading = int64  # what leads: THREE_SINGLES, TWO_KINGS or PAWNS (layout.py)
    pieces = int64[8]  # codes, in the order in which squares are taken
    group_count = int64
    group_length = int64[8]  # by group
    factor = int64[8]  # by group
    other_pawns = int64  # 1: the second group are pawns, which have 48 squares
    index_count = int64
    tables = pointer_to(IndexTables)
