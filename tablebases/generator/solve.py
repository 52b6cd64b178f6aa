"""Plain Python: solves a material, after those that captures and promotions lead to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from engine.native.bits import signed
from engine.native.structs import StructArray
from tablebases.generator import retrograde
from tablebases.generator.placements import (
    ILLEGAL_OUTCOME,
    KING,
    KNIGHT,
    MAX_MEN,
    PAWN,
    QUEEN,
    Geometry,
    Solver,
    Space,
    transition_number,
)
from tablebases.material import KIND_OF, canonical
from tablebases.tables import Byte, Half

BARE_KINGS = "KvK"
CHUNK = 1 << 22  # indices that a kernel handles before Python may be interrupted

Ranges = list[tuple[int, int]]  # of indices: first, and behind the last


def slots(name: str) -> list[tuple[int, int]]:
    """(kind, colour) of each slot in the space of a material."""
    white, black = name.split("v")
    men = [(KIND_OF[letter] + 1, 0) for letter in white[1:]]
    men += [(KIND_OF[letter] + 1, 1) for letter in black[1:]]
    pawns = [man for man in men if man[0] == PAWN]
    others = [man for man in men if man[0] != PAWN]
    return [(KING, 0), *pawns, (KING, 1), *others]


def index_count(name: str) -> int:
    """How many indices the space of a material has."""
    men, pawns = len(name) - 1, name.count("P")
    return 2 * 48**pawns * (32 if pawns else 16) * 64 ** (men - 1 - pawns)


@dataclass(frozen=True)
class Solution:
    """A solved material."""

    name: str
    solver: Solver  # its plies, and notes instead of counts
    outcomes: StructArray[Byte]  # the same as other materials need it


def solve(name: str, outcomes: dict[str, StructArray[Byte]]) -> Solution:
    """Solve a material of up to MAX_MEN men. `outcomes` has those of all its successors."""
    if len(name) - 1 > MAX_MEN:
        raise ValueError(f"{name}: more than {MAX_MEN} men take more memory than there is")
    count = index_count(name)
    solver = new_solver(name, outcomes)
    for first, last in _chunks(count):
        retrograde.mark_illegal(solver, first, last)
    for step in _steps(solver):
        _solve_step(solver, step)
    for first, last in _chunks(count):
        retrograde.annotate(solver, first, last)

    notes = solver.counts.memory.view(np.int8)
    finished = StructArray(Byte, count)
    values = finished.memory.view(np.int8)
    np.bitwise_and(notes, retrograde.WDL_BITS, out=values)
    values -= 2
    values[notes == retrograde.ILLEGAL_NOTE] = ILLEGAL_OUTCOME
    return Solution(name, solver, finished)


def new_solver(name: str, outcomes: dict[str, StructArray[Byte]]) -> Solver:
    """A solver of which only its rules are known, and `outcomes`: those of all its successors."""
    solver = Solver()
    solver.geometry = new_geometry()
    fill_space(solver.space, name)
    solver.plies = StructArray(Half, index_count(name))
    solver.counts = StructArray(Byte, index_count(name))
    _connect(solver, name, outcomes)
    return solver


def _solve_step(solver: Solver, ranges: Ranges) -> None:
    """Solve placements of pawns whose pawn moves lead to solved ones."""
    solver.longest = 0
    for first, last in ranges:
        retrograde.prepare(solver, first, last)
    plies = 0
    while plies <= solver.longest:
        for first, last in ranges:
            retrograde.sweep(solver, first, last, plies)
        plies += 1


def _chunks(end: int, start: int = 0) -> Ranges:
    return [(first, min(first + CHUNK, end)) for first in range(start, end, CHUNK)]


def _steps(solver: Solver) -> Iterator[Ranges]:
    """The indices that are to be solved together: those with more advanced pawns first."""
    pawns = int(solver.space.pawns)
    advance = np.zeros(48**pawns, np.int64)
    for i in range(pawns):
        ranks = np.arange(48) // 8
        steps = 5 - ranks if solver.space.colour[i + 1] else ranks
        advance += np.tile(np.repeat(steps, 48 ** (pawns - 1 - i)), 48**i)
    size = 1 << int(solver.space.side_shift) + 1
    for value in range(5 * pawns, -1, -1):
        numbers = np.flatnonzero(advance == value)
        ends = np.flatnonzero(np.diff(numbers, append=-1) != 1)
        starts = [0, *(ends[:-1] + 1)]
        runs = zip(numbers[starts], numbers[ends], strict=True)
        yield [
            chunk
            for first, last in runs
            for chunk in _chunks(int(last + 1) * size, int(first) * size)
        ]


def new_geometry() -> Geometry:
    """Where men go to on an empty board."""
    geometry = Geometry()
    diagonal = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    straight = [(0, 1), (1, 0), (0, -1), (-1, 0)]
    jumps = [(a, b) for a, b in product((-2, -1, 1, 2), repeat=2) if abs(a) != abs(b)]
    upwards = [(0, 1), (1, 0), (1, 1), (-1, 1)]
    for square in range(64):
        geometry.king[square] = _reached(square, straight + diagonal, 1)
        geometry.knight[square] = _reached(square, jumps, 1)
        geometry.pawn[0, square] = _reached(square, [(1, 1), (-1, 1)], 1)
        geometry.pawn[1, square] = _reached(square, [(1, -1), (-1, -1)], 1)
        for direction, (file, rank) in enumerate(upwards):
            geometry.ray[direction, square] = _reached(square, [(file, rank)], 7)
            geometry.ray[direction + 4, square] = _reached(square, [(-file, -rank)], 7)
    return geometry


def _reached(square: int, steps: list[tuple[int, int]], most: int) -> int:
    """The squares up to `most` steps away, as a bitboard."""
    word = 0
    for file_step, rank_step in steps:
        for distance in range(1, most + 1):
            file = (square & 7) + distance * file_step
            rank = (square >> 3) + distance * rank_step
            if 0 <= file < 8 and 0 <= rank < 8:
                word |= 1 << 8 * rank + file
    return signed(word)


def fill_space(space: Space, name: str) -> None:
    men = slots(name)
    pawns = name.count("P")
    space.men = len(men)
    space.pawns = pawns
    for slot, (kind, colour) in enumerate(men):
        space.kind[slot] = kind
        space.colour[slot] = colour
        if slot > pawns:
            space.shift[slot] = 6 * (len(men) - 1 - slot)
    space.side_shift = 6 * (len(men) - 1 - pawns) + (5 if pawns else 4)


def _connect(solver: Solver, name: str, outcomes: dict[str, StructArray[Byte]]) -> None:
    """Connect the solver to the materials after each capture and promotion."""
    men = slots(name)
    spaces: dict[str, Space] = {}
    for slot, (kind, colour) in enumerate(men):
        capturable = [i for i, man in enumerate(men) if man[0] != KING and man[1] != colour]
        for captured in capturable:
            _add_transition(solver, men, spaces, outcomes, (0, 0, captured))
        if kind == PAWN:
            for promotion in range(KNIGHT, QUEEN + 1):
                for captured in (0, *capturable):
                    _add_transition(solver, men, spaces, outcomes, (promotion, slot, captured))


def _add_transition(
    solver: Solver,
    men: list[tuple[int, int]],
    spaces: dict[str, Space],
    outcomes: dict[str, StructArray[Byte]],
    change: tuple[int, int, int],
) -> None:
    promotion, promoted, captured = change
    left = {slot: man for slot, man in enumerate(men) if slot != captured or slot == 0}
    if promotion:
        left[promoted] = (promotion, left[promoted][1])
    letters = {kind + 1: letter for letter, kind in KIND_OF.items()}
    white, black = ("".join(letters[k] for k, c in left.values() if c == side) for side in (0, 1))
    there = canonical(white, black)
    if there not in spaces:
        spaces[there] = Space()
        fill_space(spaces[there], there)
    way = solver.transitions[transition_number(*change)]
    way.space = spaces[there]
    way.outcomes = outcomes[there]
    way.exchanged = int(sorted(there.split("v")[0]) != sorted(white))
    for slot, (kind, colour) in enumerate(slots(there)):
        source = next(i for i, man in left.items() if man == (kind, colour ^ way.exchanged))
        way.sources[slot] = source
        del left[source]
