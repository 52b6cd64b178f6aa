"""The values of a solved material in the order of a table."""

from __future__ import annotations

from engine.native.bits import bit, squares
from engine.native.jit import entry, kernel
from engine.native.structs import Struct, int8, int64, pointer_to, pointer_to_array
from tablebases.generator.placements import FIFTY_MOVES, Solver, index_of
from tablebases.generator.retrograde import (
    CAPTURE_REACHES_IT,
    ILLEGAL_NOTE,
    WDL_BITS,
    ZEROING_WINS,
)
from tablebases.index import first_file, leading_number
from tablebases.layout import LOSS_IN_PLIES, PAWNS, WIN_IN_PLIES
from tablebases.tables import Encoding, Half, Men

# What is to be stored for a position: its value, or if it has this bit, any value up to that one.
ANY_UP_TO = 8
ANY_WDL = ANY_UP_TO + 4
# The same for DTZ: a value with the WDL in these bits, or anything.
DTZ_WDL_SHIFT = 12
ANY_DTZ = -1


class Leaders(Struct):
    """Where the leading men stand."""

    squares = int8[4]


class Arrangement(Struct):
    """How the indices of one sub-table become placements of a space."""

    solver = pointer_to(Solver)
    encoding = pointer_to(Encoding)
    leaders = pointer_to_array(Leaders)  # by the number of the leading group
    choices = int64[8]  # by group, how many numbers it has
    slots = int64[8]  # of the table's pieces, in their order
    side = int64  # to move
    in_plies = int64  # DTZ: flags as in layout.py, whether plies are stored and not pairs of them
    wanted = pointer_to_array(Half)  # what is to be stored, by index


@entry
def fill_leaders(arrangement: Arrangement, men: Men, file: int) -> None:
    """Compute the squares of the leading men for each of their numbers. `men` is scratch memory."""
    encoding = arrangement.encoding
    length = encoding.group_length[0]
    for code in range(1 << 6 * length):
        occupied = 0
        ordered = True
        for i in range(length):
            square = code >> 6 * i & 63
            men.squares[i] = square
            ordered = ordered and (i == 0 or square > (code >> 6 * (i - 1) & 63))
            occupied |= bit(square)
        if encoding.leading == PAWNS:
            fits = ordered and pawns_may_stand(occupied) and first_file(encoding, men) == file
        else:
            fits = not has_equal(men, length)
        if fits:
            note_leaders(arrangement, men)


@kernel
def pawns_may_stand(occupied: int) -> bool:
    return occupied & 255 == 0 and occupied >> 56 == 0


@kernel
def has_equal(men: Men, length: int) -> bool:
    for i in range(length):
        for j in range(i):
            if men.squares[i] == men.squares[j]:
                return True
    return False


@kernel
def note_leaders(arrangement: Arrangement, men: Men) -> None:
    number = leading_number(arrangement.encoding, men)
    if number >= 0:
        for i in range(arrangement.encoding.group_length[0]):
            arrangement.leaders[number].squares[i] = men.squares[i]


@kernel
def placement_of(arrangement: Arrangement, index: int) -> int:
    """The placement, in slots, that has an index in the table."""
    encoding = arrangement.encoding
    number = index // encoding.factor[0] % arrangement.choices[0]
    placement = 0
    occupied = 0
    first = encoding.group_length[0]
    for i in range(first):
        square = arrangement.leaders[number].squares[i]
        occupied |= bit(square)
        placement |= square << 8 * arrangement.slots[i]
    for group in range(1, encoding.group_count):
        number = index // encoding.factor[group] % arrangement.choices[group]
        reserved = 8 if group == 1 and encoding.other_pawns else 0
        before = occupied
        left = encoding.group_length[group]
        while left > 0:
            rank = highest_rank(encoding, number, left)
            number -= encoding.tables.binomial[left, rank]
            square = nth_free(before, rank + reserved)
            left -= 1
            occupied |= bit(square)
            placement |= square << 8 * arrangement.slots[first + left]
        first += encoding.group_length[group]
    return placement


@kernel
def highest_rank(encoding: Encoding, number: int, left: int) -> int:
    """The highest element of the combination of `left` elements with this number."""
    if left == 1:
        return number
    rank = 63
    while encoding.tables.binomial[left, rank] > number:
        rank -= 1
    return rank


@kernel
def nth_free(occupied: int, rank: int) -> int:
    """The square that has `rank` free squares before it."""
    for square in squares(occupied):
        if square <= rank:
            rank += 1
    return rank


@entry
def collect_wdl(arrangement: Arrangement, first: int, last: int, at: int) -> None:
    """Write what a WDL table is to store at the indices from `first` to before `last`, from
    place `at` on."""
    solver = arrangement.solver
    for index in range(first, last):
        placement = placement_of(arrangement, index)
        note = solver.counts[index_of(solver.space, placement, arrangement.side)].value
        value = ANY_WDL
        if note != ILLEGAL_NOTE:
            value = note & WDL_BITS
            if note & CAPTURE_REACHES_IT:
                value |= ANY_UP_TO
        arrangement.wanted[at + index - first].value = value


@entry
def collect_dtz(arrangement: Arrangement, first: int, last: int, at: int) -> None:
    """The same for a DTZ table."""
    solver = arrangement.solver
    for index in range(first, last):
        placement = placement_of(arrangement, index)
        there = index_of(solver.space, placement, arrangement.side)
        note = solver.counts[there].value
        value = ANY_DTZ
        wdl = note & WDL_BITS
        if note != ILLEGAL_NOTE and wdl != 2 and not note & ZEROING_WINS:
            value = stored_plies(solver.plies[there].value, wdl - 2, arrangement.in_plies)
            value |= wdl << DTZ_WDL_SHIFT
        arrangement.wanted[at + index - first].value = value


@kernel
def stored_plies(plies: int, wdl: int, in_plies: int) -> int:
    """The value in a DTZ table for a placement with this state (see placements.py)."""
    count = plies if plies > 0 else -plies - 1
    if wdl == 2:
        return count - 1 if in_plies & WIN_IN_PLIES else (count - 1) // 2
    if wdl == -2:
        count = max(count, 1)
        return count - 1 if in_plies & LOSS_IN_PLIES else (count - 1) // 2
    return (count - FIFTY_MOVES - 1) // 2
