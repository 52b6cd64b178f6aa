"""tablebases.layout and index: how positions are numbered."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import pytest

from engine.native.bits import bit
from tablebases.index import leading_file, table_index
from tablebases.layout import PAWNS, THREE_SINGLES, TWO_KINGS, fill_encoding, leading_of
from tablebases.material import FormatError, counts
from tablebases.reading import INDEX_TABLES
from tablebases.tables import Encoding, Men

FLIPS = (0, 7, 56, 63)


def encoding(name: str, pieces: Iterable[int], order: int, file: int = 0) -> Encoding:
    filled = Encoding()
    fill_encoding(filled, INDEX_TABLES, name, list(pieces), order, file=file)
    return filled


def transposed(square: int) -> int:
    return square >> 3 | (square & 7) << 3


def place(men: Men, codes: Iterable[int], squares: Iterable[int]) -> None:
    men.pieces[...] = 0
    for code, square in zip(codes, squares, strict=True):
        men.pieces[code >> 3, (code & 7) - 1] |= bit(square)


def touching(one: int, other: int) -> bool:
    return max(abs((one & 7) - (other & 7)), abs((one >> 3) - (other >> 3))) <= 1


@pytest.mark.jit_only
@pytest.mark.parametrize("order", [0, 1])
def test_two_kings_and_a_pair(order: int) -> None:
    """Each index belongs to one position and its mirror images, and none is too large."""
    codes = [6, 14, 4, 4]
    numbering = encoding("KRRvK", codes, order)
    assert leading_of("KRRvK") == TWO_KINGS
    assert numbering.index_count == 462 * (62 * 61 // 2)
    men = Men()
    seen: dict[int, frozenset[tuple[str, int]]] = {}
    for king, other in itertools.product((1, 9, 27, 62), range(0, 64, 3)):
        if touching(king, other):
            continue
        for pair in ((5, 33), (17, 40), (2, 63)):
            if {king, other} & set(pair):
                continue
            place(men, codes, (king, other, *pair))
            index = int(table_index(numbering, men, 0))
            assert 0 <= index < numbering.index_count
            position = frozenset([("K", king), ("k", other), *(("R", square) for square in pair)])
            images = {
                frozenset((piece, turn(square ^ flip)) for piece, square in position)
                for flip in FLIPS
                for turn in (int, transposed)
            }
            assert seen.setdefault(index, position) in images


@pytest.mark.jit_only
def test_three_single_pieces_have_as_many_indices_as_the_format_says() -> None:
    codes = [6, 5, 14]
    numbering = encoding("KQvK", codes, 0)
    assert leading_of("KQvK") == THREE_SINGLES and numbering.index_count == 31332
    men = Men()
    seen: dict[int, tuple[int, ...]] = {}
    for squares in itertools.product((1, 2, 3, 10, 11, 19, 0, 9, 18, 27), range(64), range(64)):
        if len(set(squares)) < 3:
            continue
        place(men, codes, squares)
        index = int(table_index(numbering, men, 0))
        image = tuple(transposed(square) for square in squares)
        assert seen.setdefault(index, squares) in (squares, image)
    assert sorted(seen) == list(range(31332))


@pytest.mark.jit_only
def test_pawns_are_numbered_without_a_gap() -> None:
    """All ways to place two pawns, the first of them on the given file."""
    codes = [1, 1, 6, 14]
    men, total = Men(), 0
    seen: set[tuple[int, int]] = set()
    numberings = [encoding("KPPvK", codes, 0, file) for file in range(4)]
    assert leading_of("KPPvK") == PAWNS
    for pawns in itertools.combinations(range(8, 56), 2):
        place(men, codes, (*pawns, 0, 63))
        file = int(leading_file(numberings[0], men, 0))
        index = int(table_index(numberings[file], men, 0))
        assert 0 <= index < numberings[file].index_count
        seen.add((file, index % (int(numberings[file].index_count) // (62 * 61))))
    total = sum(int(numbering.index_count) // (62 * 61) for numbering in numberings)
    assert seen == {
        (file, number)
        for file in range(4)
        for number in range(int(numberings[file].index_count) // (62 * 61))
    }
    assert total == 48 * 47 // 4 + 24 // 2  # half of all, and those that are their own image


def test_exchanged_colours_have_the_same_index() -> None:
    codes = [1, 6, 14]
    numbering = encoding("KPvK", codes, 0)
    men = Men()
    place(men, codes, (12, 20, 60))
    index = table_index(numbering, men, 0)
    place(men, [code ^ 8 for code in codes], (12 ^ 56, 20 ^ 56, 60 ^ 56))
    assert table_index(numbering, men, 1) == index


@pytest.mark.parametrize(
    "name, pieces, order",
    [
        ("KQvK", [6, 5, 13], 0),  # a king too few
        ("KQvK", [6, 5], 0),
        ("KRRvK", [6, 4, 14, 4], 0),  # the rooks stand apart
        ("KRRvK", [4, 4, 6, 14], 0),  # the kings do not lead
        ("KRRBvK", [4, 4, 3, 6, 14], 0),  # nor do three single pieces
        ("KPvK", [6, 1, 14], 0),  # the pawn does not lead
        ("KQvK", [6, 5, 14], 1),  # an order without a group
        ("KRRvK", [6, 14, 4, 4], 15),
    ],
)
def test_other_orders_are_refused(name: str, pieces: list[int], order: int) -> None:
    with pytest.raises(FormatError):
        encoding(name, pieces, order)


def test_pieces_of_a_material() -> None:
    assert list(counts("KRRvKP")) == [(6, 1), (4, 2), (14, 1), (9, 1)]
