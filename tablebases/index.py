"""From a position to its index in a table. The rules are in layout.py."""

from __future__ import annotations

from engine.native.bits import popcount, squares
from engine.native.jit import entry, kernel
from tablebases.layout import PAWNS, THREE_SINGLES
from tablebases.material import SIGNATURE_BITS
from tablebases.tables import Encoding, IndexTables, Men

FLIP_FILES, FLIP_RANKS = 7, 56


@entry
def signature(men: Men) -> int:
    """A number for the material, with at most 7 pieces of a colour and kind."""
    total = 0
    for colour in range(2):
        for kind in range(5):
            total += popcount(men.pieces[colour, kind]) << (SIGNATURE_BITS * (5 * colour + kind))
    return total


@entry
def table_index(encoding: Encoding, men: Men, exchanged: int) -> int:
    """The index of a position, or -1 if it has none.

    `men` must hold the material of the encoding's table; `exchanged`: 1 if White on the
    board is the table's Black.
    With pawns, the encoding is that of `leading_file(men, ...)`.
    """
    list_squares(encoding, men, 0, encoding.men, exchanged)
    index = leading_number(encoding, men)
    if index < 0:
        return -1
    index *= encoding.factor[0]
    first = encoding.group_length[0]
    for group in range(1, encoding.group_count):
        length = encoding.group_length[group]
        reserved = 8 if group == 1 and encoding.other_pawns else 0  # no pawns on the first rank
        number = group_number(encoding.tables, men, first, length, reserved)
        index += number * encoding.factor[group]
        first += length
    return index if index < encoding.index_count else -1


@entry
def leading_file(encoding: Encoding, men: Men, exchanged: int) -> int:
    """0 to 3: the file of the leading pawn, or its mirror image, which selects the sub-table.

    Any encoding of the table is valid here, because all begin with the same pawns.
    """
    list_squares(encoding, men, 0, encoding.group_length[0], exchanged)
    return first_file(encoding, men)


@kernel
def first_file(encoding: Encoding, men: Men) -> int:
    """The same, where `men.squares` are known."""
    first = 64
    for i in range(encoding.group_length[0]):
        first = min(first, encoding.tables.pawn_rank[men.squares[i]])
    return first // 6


@kernel
def leading_number(encoding: Encoding, men: Men) -> int:
    """The number of the leading group, -1 if it is impossible; reflects the board for it."""
    if encoding.leading == PAWNS:
        return pawns_number(encoding, men)
    reflect(encoding, men)
    if encoding.leading == THREE_SINGLES:
        return triple_number(encoding.tables, men)
    return encoding.tables.king_pairs[encoding.tables.triangle[men.squares[0]], men.squares[1]]


@kernel
def list_squares(encoding: Encoding, men: Men, first: int, end: int, exchanged: int) -> None:
    """Write the squares of the table's pieces from number `first` up to `end`."""
    colour_change = 0
    flip = 0
    if exchanged:
        colour_change = 1
        if encoding.leading == PAWNS:
            flip = FLIP_RANKS
    while first < end:
        code = encoding.pieces[first]
        before = first
        for square in squares(men.pieces[(code >> 3) ^ colour_change, (code & 7) - 1]):
            if first < end:
                men.squares[first] = square ^ flip
                first += 1
        if first == before:
            return  # not the table's material


@kernel
def above_diagonal(square: int) -> int:
    """How far a square lies above the diagonal a1-h8; negative below it."""
    return (square >> 3) - (square & 7)


@kernel
def flip_all(encoding: Encoding, men: Men, flip: int) -> None:
    for i in range(encoding.men):
        men.squares[i] ^= flip


@kernel
def reflect(encoding: Encoding, men: Men) -> None:
    """Bring the first piece into the triangle a1-d1-d4. If it stands on the diagonal, the next
    leading piece that does not stands below it."""
    if men.squares[0] & 4:
        flip_all(encoding, men, FLIP_FILES)
    if men.squares[0] & 32:
        flip_all(encoding, men, FLIP_RANKS)
    for leader in range(encoding.group_length[0]):
        side = above_diagonal(men.squares[leader])
        if side > 0:
            for i in range(encoding.men):
                square = men.squares[i]
                men.squares[i] = (square >> 3) | ((square & 7) << 3)
        if side != 0:
            break


@kernel
def triple_number(tables: IndexTables, men: Men) -> int:
    """The number of three different pieces, the first one in the triangle."""
    one = men.squares[0]
    two = men.squares[1]
    three = men.squares[2]
    third = three - (three > one) - (three > two)
    if above_diagonal(one) != 0:
        return (tables.triangle[one] * 63 + two - (two > one)) * 62 + third
    # From here on a square of the diagonal is given by its rank alone.
    base = 6 * 63 * 62
    if above_diagonal(two) != 0:
        return base + ((one >> 3) * 28 + tables.below_diagonal[two]) * 62 + third
    base += 4 * 28 * 62
    second = (one >> 3) * 7 + (two >> 3) - (two > one)
    if above_diagonal(three) != 0:
        return base + second * 28 + tables.below_diagonal[three]
    return base + 4 * 7 * 28 + second * 6 + (three >> 3) - (three > one) - (three > two)


@kernel
def pawns_number(encoding: Encoding, men: Men) -> int:
    """The number of the leading pawns; reflects the board if the first stands on the right."""
    tables = encoding.tables
    length = encoding.group_length[0]
    for i in range(1, length):
        if tables.pawn_rank[men.squares[i]] < tables.pawn_rank[men.squares[0]]:
            swap(men, 0, i)
    if men.squares[0] & 4:
        flip_all(encoding, men, FLIP_FILES)
    for i in range(1, length):
        for j in range(i + 1, length):
            if tables.pawn_order[men.squares[i]] < tables.pawn_order[men.squares[j]]:
                swap(men, i, j)
    number = tables.leading_pawns[length - 1, tables.pawn_rank[men.squares[0]]]
    for i in range(1, length):
        number += tables.binomial[length - i, tables.pawn_order[men.squares[i]]]
    return number


@kernel
def group_number(tables: IndexTables, men: Men, first: int, length: int, reserved: int) -> int:
    """The number of a group of like pieces on the squares that the groups before leave free,
    not counting the first `reserved`."""
    for i in range(first, first + length):
        for j in range(i + 1, first + length):
            if men.squares[j] < men.squares[i]:
                swap(men, i, j)
    number = 0
    for i in range(first, first + length):
        square = men.squares[i]
        taken = reserved
        for j in range(first):
            taken += men.squares[j] < square
        number += tables.binomial[i - first + 1, max(square - taken, 0)]
    return number


@kernel
def swap(men: Men, one: int, other: int) -> None:
    square = men.squares[one]
    men.squares[one] = men.squares[other]
    men.squares[other] = square
