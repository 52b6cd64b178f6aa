"""Compares a table, read back from its file, with the solution that it was made from."""

from __future__ import annotations

from engine.native.bits import bit
from engine.native.jit import entry, kernel
from engine.native.structs import Struct, inline, pointer_to
from tablebases.decoding import is_exchanged, mapped, stored_value
from tablebases.generator.arrange import stored_plies
from tablebases.generator.placements import Solver, placement_at, side_at, square_of
from tablebases.generator.retrograde import (
    CAPTURE_REACHES_IT,
    ILLEGAL_NOTE,
    WDL_BITS,
    ZEROING_WINS,
)
from tablebases.index import leading_file, signature
from tablebases.layout import BLACK_TO_MOVE, LOSS_IN_PLIES, MAPPED, WIN_IN_PLIES
from tablebases.tables import Men, Table

ALL_RIGHT = -1


class Comparison(Struct):
    solver = pointer_to(Solver)
    table = pointer_to(Table)
    men = inline(Men)  # scratch


@entry
def first_wrong_wdl(comparison: Comparison, first: int, last: int) -> int:
    """The first index from `first` to before `last` for which probing the WDL table would be
    wrong, or ALL_RIGHT."""
    solver = comparison.solver
    for index in range(first, last):
        note = solver.counts[index].value
        if note != ILLEGAL_NOTE:
            wanted = note & WDL_BITS
            found = stored_wdl(comparison, index)
            if found < 0 or found > wanted or (found < wanted and not note & CAPTURE_REACHES_IT):
                return index
    return ALL_RIGHT


@entry
def first_wrong_dtz(comparison: Comparison, first: int, last: int) -> int:
    """The same for a DTZ table, for the side to move that it has."""
    solver = comparison.solver
    for index in range(first, last):
        note = solver.counts[index].value
        wdl = (note & WDL_BITS) - 2
        if note != ILLEGAL_NOTE and wdl != 0 and not note & ZEROING_WINS:
            if is_wrong_dtz(comparison, index, wdl):
                return index
    return ALL_RIGHT


@kernel
def stored_wdl(comparison: Comparison, index: int) -> int:
    men = comparison.men
    table = comparison.table
    show_men(comparison.solver, index, men)
    exchanged = is_exchanged(table, men, signature(men))
    return stored_value(table, men, 0 if table.is_symmetric else men.side, exchanged)


@kernel
def is_wrong_dtz(comparison: Comparison, index: int, wdl: int) -> bool:
    men = comparison.men
    table = comparison.table
    show_men(comparison.solver, index, men)
    exchanged = is_exchanged(table, men, signature(men))
    file = leading_file(table.parts[0].encoding, men, exchanged) if table.has_pawns else 0
    part = table.parts[file]
    if not table.is_symmetric and men.side != part.flags & BLACK_TO_MOVE:
        return False
    found = stored_value(table, men, 0, exchanged)
    if part.flags & MAPPED and found >= 0:
        found = mapped(part, found, wdl)
    in_plies = part.flags & (WIN_IN_PLIES | LOSS_IN_PLIES)
    return found != stored_plies(comparison.solver.plies[index].value, wdl, in_plies)


@kernel
def show_men(solver: Solver, index: int, men: Men) -> None:
    """Set the men up as they stand at an index of the space."""
    space = solver.space
    placement = placement_at(space, index)
    for colour in range(2):
        for kind in range(6):
            men.pieces[colour, kind] = 0
    for slot in range(space.men):
        colour = space.colour[slot]
        kind = space.kind[slot] - 1
        men.pieces[colour, kind] = men.pieces[colour, kind] | bit(square_of(placement, slot))
    men.side = side_at(space, index)
