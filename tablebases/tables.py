"""The memory of open tables, and of the positions to look up."""

from __future__ import annotations

from engine.native.structs import (
    Struct,
    array_of,
    inline,
    int8,
    int16,
    int32,
    int64,
    pointer_to,
    pointer_to_array,
)

SLOT_COUNT = 8192  # a power of two, more than twice the materials of 3 to 7 men in both colours


class Men(Struct):
    """A position as bitboards, and scratch memory. Each thread has its own."""

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


# Elements of arrays of numbers, signed and little-endian.


class Byte(Struct):
    value = int8


class Half(Struct):
    value = int16


class Word(Struct):
    value = int32


class Long(Struct):
    value = int64


class Symbol(Struct):
    """What a code word stands for: one value, or two symbols, one after the other."""

    left = int16  # a symbol, or the value
    right = int16  # a symbol, or -1: there is only a value
    length = int16  # how many values it stands for


class Part(Struct):
    """A sub-table: the compressed values of one side to move and, with pawns, of one file.

    Everything here was checked against the length of the file: `reading.py` says how.
    """

    encoding = inline(Encoding)
    halves = pointer_to_array(Half)  # the whole file
    words = pointer_to_array(Word)  # the same
    word_count = int64
    flags = int64  # DTZ: BLACK_TO_MOVE ... WIDE_MAP (layout.py)
    is_constant = int64  # 1: all positions have `constant`, and nothing of what follows is there
    constant = int64
    map_start = int64[4]  # DTZ with MAPPED: bytes into the file, by class of WDL
    map_length = int64[4]
    span_bits = int64  # a span of 2^span_bits positions has one entry in the list of spans
    spans = int64  # where that list begins, in halves
    sizes = int64  # where the list of positions a block holds begins, in halves
    size_count = int64  # its length; there may be some for which there is no block
    blocks = int64  # where the compressed data begin, in words
    block_bits = int64  # a block has 2^block_bits words
    block_count = int64
    shortest_code = int64  # bits
    first_code = int64[33]  # by bits of a code: the smallest code word, its first bit in bit 31
    first_symbol = int64[33]  # by bits of a code: the symbol of that code word
    symbols = pointer_to_array(Symbol)
    symbol_count = int64


class Table(Struct):
    """One file."""

    signature = int64  # of its material, the side that is White in the table first
    is_symmetric = int64
    has_pawns = int64
    sides = int64  # 2: parts for White and for Black to move
    parts = pointer_to_array(Part)  # side + sides * file of the leading pawn


class Slot(Struct):
    """A material and its tables."""

    signature = int64  # as on the board; 0: this slot is empty
    has_wdl = int64  # 1: `wdl` may be used
    has_dtz = int64
    wdl = pointer_to(Table)
    dtz = pointer_to(Table)


class TableSet(Struct):
    """The tables that are ready for probing, found by material. Shared by all threads."""

    slots = array_of(Slot, SLOT_COUNT)
