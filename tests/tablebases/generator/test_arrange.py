"""A solved material in the order of a table."""

from __future__ import annotations

import random

import pytest

from engine.native.bits import bit
from engine.native.structs import StructArray
from tablebases.generator import arrange
from tablebases.generator.arrange import (
    ANY_DTZ,
    ANY_UP_TO,
    ANY_WDL,
    DTZ_WDL_SHIFT,
    Arrangement,
    collect_dtz,
    collect_wdl,
    has_equal,
    note_leaders,
    placement_of,
)
from tablebases.generator.files import Writer
from tablebases.generator.placements import index_of, square_of
from tablebases.generator.retrograde import CAPTURE_REACHES_IT, ILLEGAL_NOTE, ZEROING_WINS
from tablebases.generator.solve import BARE_KINGS, Solution, index_count, new_solver
from tablebases.index import table_index
from tablebases.layout import LOSS_IN_PLIES, WIN_IN_PLIES
from tablebases.material import successors
from tablebases.tables import Byte, Men


def arrangement(name: str, order: int, file: int = 0) -> Arrangement:
    """One of the orders of a material about which nothing is known yet."""
    outcomes = {
        other: StructArray(Byte, index_count(other)) for other in (*successors(name), BARE_KINGS)
    }
    writer = Writer(Solution(name, new_solver(name, outcomes), outcomes[BARE_KINGS]))
    return writer._arrangement(writer.orders[order % len(writer.orders)], file)


def men_of(arranged: Arrangement, placement: int) -> Men:
    space, men = arranged.solver.space, Men()
    for slot in range(int(space.men)):
        colour, kind = int(space.colour[slot]), int(space.kind[slot]) - 1
        men.pieces[colour, kind] |= bit(int(square_of(placement, slot)))
    return men


@pytest.mark.parametrize(
    "name, order, file",
    [("KRRvK", 0, 0), ("KRRvK", -1, 0), ("KPPvK", 1, 2), ("KPvKP", 0, 0), ("KPvKP", -1, 3)],
)
def test_an_index_of_the_table_is_the_placement_that_probing_finds_there(
    name: str, order: int, file: int
) -> None:
    arranged = arrangement(name, order, file)
    count, generator = int(arranged.encoding.index_count), random.Random(name)
    for index in (0, count - 1, *(generator.randrange(count) for _ in range(60))):
        men = men_of(arranged, int(placement_of(arranged, index)))
        assert table_index(arranged.encoding, men, 0) == index


def test_three_leading_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reflected into the triangle, they keep their number."""
    monkeypatch.setattr(arrange, "fill_leaders", lambda *_: None)  # a quarter of a million of them
    arranged = arrangement("KRvKN", 3)
    encoding, generator = arranged.encoding, random.Random(3)
    length = int(encoding.group_length[0])
    assert length == 3
    for _ in range(60):
        men = Men()
        men.squares[:length] = generator.sample(range(64), length)
        note_leaders(arranged, men)
        placed = [int(square) for square in men.squares[:length]]
        free = next(square for square in range(64) if square not in placed)
        men = Men()
        for code, square in zip(encoding.pieces[: length + 1], (*placed, free), strict=True):
            men.pieces[code >> 3, (code & 7) - 1] = bit(square)
        index = int(table_index(encoding, men, 0))
        placement = int(placement_of(arranged, index))
        for slot, square in zip(arranged.slots[:length], placed, strict=False):
            assert square_of(placement, slot) == square


def test_leading_pieces_stand_on_different_squares() -> None:
    men = Men()
    for squares, equal in (((5, 7, 9), False), ((5, 7, 5), True), ((7, 7, 1), True)):
        men.squares[:3] = squares
        assert has_equal(men, 3) == equal
    assert not has_equal(men, 1)


# --- What is stored -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def arranged() -> Arrangement:
    found = arrangement("KPvK", 0)
    found.side = 1
    return found


def place_at(arranged: Arrangement, index: int) -> int:
    """Where a placement of the table is in the space."""
    return int(index_of(arranged.solver.space, placement_of(arranged, index), arranged.side))


@pytest.mark.parametrize(
    "note, wanted",
    [
        (ILLEGAL_NOTE, ANY_WDL),
        (4, 4),
        (0, 0),
        (2 | CAPTURE_REACHES_IT, 2 | ANY_UP_TO),  # a prober tries captures itself
        (4 | ZEROING_WINS, 4),
    ],
)
def test_wdl(arranged: Arrangement, note: int, wanted: int) -> None:
    arranged.solver.counts[place_at(arranged, 77)].value = note
    collect_wdl(arranged, 70, 80, 5)
    assert arranged.wanted[5 + 77 - 70].value == wanted


@pytest.mark.parametrize(
    "note, plies, in_plies, wanted",
    [
        (ILLEGAL_NOTE, 0, 0, ANY_DTZ),
        (2, 0, 0, ANY_DTZ),  # no distance to a draw
        (4 | ZEROING_WINS, 1, 0, ANY_DTZ),  # found by trying captures and pawn moves
        (4, 7, 0, 4 << DTZ_WDL_SHIFT | 3),
        (4, 7, WIN_IN_PLIES, 4 << DTZ_WDL_SHIFT | 6),
        (4, 7, LOSS_IN_PLIES, 4 << DTZ_WDL_SHIFT | 3),
        (0, -9, 0, 3),
        (0, -9, LOSS_IN_PLIES, 7),
        (0, -1, LOSS_IN_PLIES, 0),  # mate already
        (3, 105, WIN_IN_PLIES, 3 << DTZ_WDL_SHIFT | 2),
        (1, -106, LOSS_IN_PLIES, 1 << DTZ_WDL_SHIFT | 2),
    ],
)
def test_dtz(arranged: Arrangement, note: int, plies: int, in_plies: int, wanted: int) -> None:
    arranged.in_plies = in_plies
    arranged.solver.counts[place_at(arranged, 77)].value = note
    arranged.solver.plies[place_at(arranged, 77)].value = plies
    collect_dtz(arranged, 77, 78, 0)
    assert arranged.wanted[0].value == wanted
