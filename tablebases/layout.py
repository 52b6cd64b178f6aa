"""Plain Python: the rules of the Syzygy format, for reading and writing tables.

A position of a table is numbered in three steps:

1. Colours: the side that the name of the table puts first is White. If it is Black on the board,
   the colours are exchanged and, if there are pawns, the ranks turned over. The same is done in
   symmetric materials (KRvKR) if Black is to move.
2. Symmetry: without pawns the board is reflected until the first piece stands in the triangle
   a1-d1-d4; with pawns until the leading pawn stands on the files a to d. That file selects one of
   four sub-tables.
3. Groups: the like pieces of each group are one number, and the index is the sum of these numbers
   times factors. Which piece comes first, and which group changes fastest, is the table's own
   choice, made for compression: `fill_encoding` computes the factors.

Reading: fill an Encoding from the bytes of a file, and `index.table_index` numbers positions. To
write, choose `pieces` and `order`, fill an Encoding, and put the value of each position where
`index.table_index` says; indices that no legal position has may hold anything.

The format is Ronald de Man's (2013).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, prod

from tablebases.material import FormatError, counts, men, sides
from tablebases.tables import Encoding, IndexTables

# --- The file -------------------------------------------------------------------------------------

WDL_SUFFIX, DTZ_SUFFIX = ".rtbw", ".rtbz"
WDL_MAGIC, DTZ_MAGIC = bytes.fromhex("71e8235d"), bytes.fromhex("d7660ca5")
MAGIC_OF = {WDL_SUFFIX: WDL_MAGIC, DTZ_SUFFIX: DTZ_MAGIC}
CHECKSUM_BYTES = 16  # at the end of the file, see checksum.py
DATA_ALIGNMENT = 64  # of each block of compressed data, counted from the beginning of the file

# The byte behind the magic number; its upper half is the number of men.
BOTH_SIDES = 1  # a WDL table of an asymmetric material: values for White and for Black to move
HAS_PAWNS = 2  # four sub-tables, by the file of the leading pawn

# The first byte of a sub-table's header.
ONE_VALUE = 0x80  # all positions have the value in the next byte
BLACK_TO_MOVE = 1  # DTZ has only one side to move: this one
MAPPED = 2  # DTZ values are indices of a list by WDL, most frequent first
WIN_IN_PLIES, LOSS_IN_PLIES = 4, 8  # else in pairs of plies
WIDE_MAP = 16  # the lists have two bytes an element

WDL_OFFSET = 2  # WDL values are stored as 0 (loss) to 4 (win)
NO_RIGHT_CHILD = 0xFFF  # of a symbol that is one value, not a pair
NO_ORDER = 15

# --- Piece codes: kind + 1, and 8 for Black -------------------------------------------------------

PAWN, KING = 1, 6
BLACK = 8

# --- What leads -----------------------------------------------------------------------------------

THREE_SINGLES, TWO_KINGS, PAWNS = range(3)

TRIANGLE_SQUARES = (1, 2, 3, 10, 11, 19, 0, 9, 18, 27)  # below the diagonal, then on it
KING_PAIRS = 462
SINGLE_TRIPLES = 31332  # three different pieces


def _file(square: int) -> int:
    return square & 7


def _rank(square: int) -> int:
    return square >> 3


def _adjacent(one: int, other: int) -> bool:
    """Or equal."""
    return max(abs(_file(one) - _file(other)), abs(_rank(one) - _rank(other))) <= 1


def new_index_tables() -> IndexTables:
    tables = IndexTables()
    for number, square in enumerate(TRIANGLE_SQUARES):
        tables.triangle[square] = number
    below = [square for square in range(64) if _rank(square) < _file(square)]
    tables.below_diagonal[below] = range(len(below))
    _number_king_pairs(tables)
    for n in range(64):
        tables.binomial[:, n] = [comb(n, k) for k in range(7)]
    _number_pawns(tables)
    return tables


def _number_king_pairs(tables: IndexTables) -> None:
    """One king in the triangle, the other anywhere; pairs on the diagonal come last, and a king on
    the diagonal faces one on or below it."""
    tables.king_pairs[...] = -1
    pairs = [
        (triangle, other)
        for triangle, king in enumerate(TRIANGLE_SQUARES)
        for other in range(64)
        if not _adjacent(king, other)
        and (_file(king) != _rank(king) or _rank(other) <= _file(other))
    ]
    pairs.sort(key=lambda pair: pair[0] >= 6 and _file(pair[1]) == _rank(pair[1]))
    for number, pair in enumerate(pairs):
        tables.king_pairs[pair] = number
    assert len(pairs) == KING_PAIRS


def _number_pawns(tables: IndexTables) -> None:
    for square in range(8, 56):
        edge = min(_file(square), 7 - _file(square))  # 0 on the files a and h, 3 on d and e
        tables.pawn_rank[square] = 6 * edge + _rank(square) - 1
        tables.pawn_order[square] = 47 - 12 * edge - 2 * (_rank(square) - 1) - (_file(square) > 3)
    for following in range(6):
        for file in range(4):
            first = 0
            for rank in range(6):
                tables.leading_pawns[following, 6 * file + rank] = first
                first += comb(int(tables.pawn_order[8 * rank + 8 + file]), following)


def leading_pawn_count(following: int, file: int) -> int:
    """The number of placements of the leading pawns, the first of them on `file` (0 to 3)."""
    orders = [47 - 12 * file - 2 * rank for rank in range(6)]
    return sum(comb(order, following) for order in orders)


# --- A table's own numbering ----------------------------------------------------------------------


def pawn_counts(name: str) -> tuple[int, int]:
    """Pawns of the leading side and of the other. The side with fewer pawns leads, if it has any;
    if both have as many, White does."""
    white, black = (side.count("P") for side in sides(name))
    return (black, white) if black and (not white or black < white) else (white, black)


def leading_pawn_code(name: str) -> int:
    """The piece code of the leading pawns."""
    white, black = (side.count("P") for side in sides(name))
    return PAWN | BLACK if black and (not white or black < white) else PAWN


def leading_of(name: str) -> int:
    """What leads in the tables of a material."""
    if "P" in name:
        return PAWNS
    singles = sum(count == 1 for _, count in counts(name))
    return THREE_SINGLES if singles >= 3 else TWO_KINGS


def fill_encoding(
    encoding: Encoding,
    tables: IndexTables,
    name: str,
    pieces: Sequence[int],
    order: int,
    second_order: int = NO_ORDER,
    file: int = 0,
) -> None:
    """Compute how a sub-table numbers its positions.

    `pieces`: codes in the table's order; like pieces stand together, pawns come first. `order`:
    how many groups change faster than the leading one. `second_order`: the same for the second
    group, where both sides have pawns. `file`: of the leading pawn, 0 to 3.

    Raises FormatError if that is not an order of the pieces of the material `name`.
    """
    leading = leading_of(name)
    both_have_pawns = leading == PAWNS and pawn_counts(name)[1] > 0
    lengths = _groups(name, pieces, leading)
    if order >= len(lengths) or (both_have_pawns and second_order >= len(lengths)):
        raise FormatError(f"group order {order}, {second_order} of {len(lengths)} groups")
    if both_have_pawns and order == second_order:
        raise FormatError(f"two groups with order {order}")

    encoding.tables = tables
    encoding.men = men(name)
    encoding.leading = leading
    encoding.pieces[:] = 0
    encoding.pieces[: len(pieces)] = pieces
    encoding.group_count = len(lengths)
    encoding.group_length[:] = 0
    encoding.group_length[: len(lengths)] = lengths
    encoding.other_pawns = int(both_have_pawns)

    if leading == PAWNS:
        choices = [leading_pawn_count(lengths[0] - 1, file)]
        if both_have_pawns:
            choices.append(comb(48 - lengths[0], lengths[1]))
    else:
        choices = [KING_PAIRS if leading == TWO_KINGS else SINGLE_TRIPLES]
    first = len(choices)
    free = 64 - sum(lengths[:first])
    for length in lengths[first:]:
        choices.append(comb(free, length))
        free -= length

    placed = {order: 0, second_order: 1} if both_have_pawns else {order: 0}
    rest = iter(range(first, len(lengths)))
    factor = 1
    for position in range(len(lengths)):
        group = placed[position] if position in placed else next(rest)
        encoding.factor[group] = factor
        factor *= choices[group]
    encoding.index_count = prod(choices)


def _groups(name: str, pieces: Sequence[int], leading: int) -> list[int]:
    """The lengths of the groups. FormatError if the pieces are not those of the material, if like
    ones do not stand together, or if what must lead does not."""
    runs: list[tuple[int, int]] = []
    for piece in pieces:
        if runs and runs[-1][0] == piece:
            runs[-1] = (piece, runs[-1][1] + 1)
        else:
            runs.append((piece, 1))
    if sorted(runs) != sorted(counts(name)):
        raise FormatError(f"pieces {list(pieces)} are not those of {name}")
    codes = [code for code, _ in runs]
    lengths = [length for _, length in runs]
    if leading == PAWNS:
        code = leading_pawn_code(name)
        if codes[0] != code or (pawn_counts(name)[1] and codes[1] != code ^ BLACK):
            raise FormatError("the pawns do not come first")
        return lengths
    leaders = 3 if leading == THREE_SINGLES else 2
    if lengths[:leaders] != [1] * leaders:
        raise FormatError(f"the first {leaders} pieces are not single")
    if leading == TWO_KINGS and {code & 7 for code in codes[:2]} != {KING}:
        raise FormatError("the kings do not come first")
    return [leaders, *lengths[leaders:]]
