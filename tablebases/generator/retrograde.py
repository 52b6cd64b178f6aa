"""Retrograde analysis: from mates, captures and pawn moves backwards, ply by ply.

placements.py describes the state of a placement. A count is the number of moves without capture, by
men other than pawns, that are not known to lose yet; a placement with the count KEEPS never loses,
because a capture or a pawn move saves it.
"""

from __future__ import annotations

from engine.native.bits import squares
from engine.native.jit import entry, kernel
from tablebases.generator.moves import (
    NO_MOVE,
    attacks,
    best_capture,
    best_pawn_move,
    is_legal,
    occupation,
)
from tablebases.generator.placements import (
    BLESSED_CAPTURE,
    FIFTY_MOVES,
    ILLEGAL,
    PAWN,
    STALEMATE,
    Solver,
    index_after,
    placement_at,
    side_at,
    square_of,
    wdl_of_plies,
)

KEEPS = -1

# The bits of a note: which values the compression may store for a placement.
WDL_BITS = 7  # WDL + 2
CAPTURE_REACHES_IT = 8  # a capture has the same value
ZEROING_WINS = 16  # a capture or pawn move wins as much as is to be won
ILLEGAL_NOTE = 64


@entry
def mark_illegal(solver: Solver, first: int, last: int) -> None:
    """For the indices from `first` to before `last`."""
    space = solver.space
    for index in range(first, last):
        legal = is_legal(solver, placement_at(space, index), side_at(space, index))
        solver.plies[index].value = 0 if legal else ILLEGAL


@entry
def prepare(solver: Solver, first: int, last: int) -> None:
    """Count moves, and record the results of captures and pawn moves, mates and stalemates.

    For the indices from `first` to before `last`, whose pawn moves lead to solved placements.
    """
    for index in range(first, last):
        if solver.plies[index].value != ILLEGAL:
            prepare_one(solver, index)


@kernel
def prepare_one(solver: Solver, index: int) -> None:
    space = solver.space
    side = side_at(space, index)
    placement = placement_at(space, index)
    best = max(best_capture(solver, placement, side), best_pawn_move(solver, placement, side))
    if best >= 0:
        solver.counts[index].value = KEEPS
        if best > 0:
            solver.plies[index].value = 1 if best == 2 else FIFTY_MOVES + 1
            solver.longest = max(solver.longest, solver.plies[index].value)
        return
    count = 0
    occupied = occupation(solver, placement, 0) | occupation(solver, placement, 1)
    for slot in range(space.men):
        if space.colour[slot] == side and space.kind[slot] != PAWN:
            square = square_of(placement, slot)
            targets = attacks(solver.geometry, space.kind[slot], square, occupied) & ~occupied
            for to in squares(targets):
                after = index_after(space, index, placement, slot, to)
                if solver.plies[after].value != ILLEGAL:
                    count += 1
    solver.counts[index].value = count
    if count:
        if best == -1:
            solver.plies[index].value = BLESSED_CAPTURE
    elif best == NO_MOVE:
        in_check = solver.plies[index ^ 1 << space.side_shift].value == ILLEGAL
        solver.plies[index].value = -1 if in_check else STALEMATE
    else:
        note_loss(solver, index, 1 if best == -2 else FIFTY_MOVES + 1)


@kernel
def note_loss(solver: Solver, index: int, plies: int) -> None:
    solver.plies[index].value = -plies - 1
    solver.longest = max(solver.longest, plies)


@entry
def sweep(solver: Solver, first: int, last: int, plies: int) -> None:
    """From the placements won or lost in `plies`, go one ply further back.

    For the indices from `first` to before `last`."""
    for index in range(first, last):
        value = solver.plies[index].value
        if value == -plies - 1 or (value == plies and value != 0):
            go_back(solver, index, plies, value > 0)


@kernel
def go_back(solver: Solver, index: int, plies: int, is_won: bool) -> None:
    """Update the placements one move earlier: this one is won or lost in `plies`."""
    space = solver.space
    mover = side_at(space, index) ^ 1
    placement = placement_at(space, index)
    occupied = occupation(solver, placement, 0) | occupation(solver, placement, 1)
    for slot in range(space.men):
        if space.colour[slot] == mover and space.kind[slot] != PAWN:
            square = square_of(placement, slot)
            origins = attacks(solver.geometry, space.kind[slot], square, occupied) & ~occupied
            for origin in squares(origins):
                before = index_after(space, index, placement, slot, origin)
                if is_won:
                    lose_a_move(solver, before, plies)
                else:
                    win_by_a_move(solver, before, plies)


@kernel
def win_by_a_move(solver: Solver, index: int, plies: int) -> None:
    """A move from here leads to what the other side loses in `plies`."""
    value = solver.plies[index].value
    is_open = value == 0 or value == BLESSED_CAPTURE
    if is_open or (value > plies + 1 and value != STALEMATE):
        solver.plies[index].value = plies + 1
        solver.longest = max(solver.longest, plies + 1)


@kernel
def lose_a_move(solver: Solver, index: int, plies: int) -> None:
    """A move from here leads to what the other side wins in `plies`."""
    if solver.plies[index].value == ILLEGAL or solver.counts[index].value <= 0:
        return
    solver.counts[index].value -= 1
    if solver.counts[index].value == 0:
        if solver.plies[index].value == BLESSED_CAPTURE:
            note_loss(solver, index, max(plies, FIFTY_MOVES) + 1)
        else:
            note_loss(solver, index, plies + 1)


@entry
def annotate(solver: Solver, first: int, last: int) -> None:
    """Replace the counts by notes, for the indices from `first` to before `last`."""
    space = solver.space
    for index in range(first, last):
        if solver.plies[index].value == ILLEGAL:
            solver.counts[index].value = ILLEGAL_NOTE
        else:
            wdl = wdl_of_plies(solver.plies[index].value)
            side = side_at(space, index)
            placement = placement_at(space, index)
            captures = best_capture(solver, placement, side)
            note = wdl + 2
            if captures == wdl:
                note |= CAPTURE_REACHES_IT
            if wdl > 0 and max(captures, best_pawn_move(solver, placement, side)) == wdl:
                note |= ZEROING_WINS
            solver.counts[index].value = note
