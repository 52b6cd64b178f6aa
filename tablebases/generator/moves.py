"""Moves of few men, as the retrograde analysis needs them."""

from __future__ import annotations

from engine.native.bits import bit, lsb, msb, popcount, shl
from engine.native.jit import kernel
from tablebases.generator.placements import (
    BISHOP,
    ILLEGAL_OUTCOME,
    KING,
    KNIGHT,
    PAWN,
    QUEEN,
    ROOK,
    STALEMATE,
    UP_DOWN,
    Geometry,
    Solver,
    index_of,
    moved,
    square_of,
    transition_number,
    wdl_of_plies,
)

NO_MOVE = -3  # worse than any value


@kernel
def attacks(geometry: Geometry, kind: int, square: int, occupied: int) -> int:
    """Squares that a man of any kind but a pawn attacks."""
    if kind == KING:
        return geometry.king[square]
    if kind == KNIGHT:
        return geometry.knight[square]
    found = 0
    if kind != BISHOP:
        found = line(geometry, 0, square, occupied) | line(geometry, 1, square, occupied)
    if kind != ROOK:
        found |= line(geometry, 2, square, occupied) | line(geometry, 3, square, occupied)
    return found


@kernel
def line(geometry: Geometry, direction: int, square: int, occupied: int) -> int:
    """Squares attacked in one of the first four directions and in the opposite one."""
    ahead = geometry.ray[direction, square]
    behind = geometry.ray[direction + 4, square]
    if ahead & occupied:
        ahead ^= geometry.ray[direction, lsb(ahead & occupied)]
    if behind & occupied:
        behind ^= geometry.ray[direction + 4, msb(behind & occupied)]
    return ahead | behind


@kernel
def occupation(solver: Solver, placement: int, colour: int) -> int:
    """The squares of one colour's men."""
    found = 0
    for slot in range(solver.space.men):
        if solver.space.colour[slot] == colour:
            found |= bit(square_of(placement, slot))
    return found


@kernel
def is_legal(solver: Solver, placement: int, side: int) -> bool:
    """May `side` be to move? Not if men share a square or the other king is attacked."""
    space = solver.space
    ours = occupation(solver, placement, side)
    theirs = occupation(solver, placement, side ^ 1)
    occupied = ours | theirs
    if popcount(occupied) != space.men:
        return False
    target = bit(square_of(placement, 0 if side == 1 else space.pawns + 1))
    for slot in range(space.men):
        if space.colour[slot] == side:
            square = square_of(placement, slot)
            if space.kind[slot] == PAWN:
                if solver.geometry.pawn[side, square] & target:
                    return False
            elif attacks(solver.geometry, space.kind[slot], square, occupied) & target:
                return False
    return True


@kernel
def value_after(solver: Solver, transition: int, placement: int, side: int) -> int:
    """What a move of `side` to another material is worth to it; NO_MOVE if it was not legal."""
    way = solver.transitions[transition]
    space = way.space
    there = 0
    for slot in range(space.men):
        there |= square_of(placement, way.sources[slot]) << (8 * slot)
    if way.exchanged:
        there ^= UP_DOWN
    outcome = way.outcomes[index_of(space, there, side ^ 1 ^ way.exchanged)].value
    return NO_MOVE if outcome == ILLEGAL_OUTCOME else -outcome


@kernel
def best_capture(solver: Solver, placement: int, side: int) -> int:
    """The best value that `side` gets by a capture, except en passant; or NO_MOVE."""
    space = solver.space
    theirs = occupation(solver, placement, side ^ 1)
    occupied = theirs | occupation(solver, placement, side)
    best = NO_MOVE
    for slot in range(space.men):
        if space.colour[slot] == side:
            square = square_of(placement, slot)
            is_pawn = space.kind[slot] == PAWN
            if is_pawn:
                targets = solver.geometry.pawn[side, square] & theirs
            else:
                targets = attacks(solver.geometry, space.kind[slot], square, occupied) & theirs
            if targets:
                for captured in range(1, space.men):
                    to = square_of(placement, captured)
                    is_king = captured == space.pawns + 1
                    if space.colour[captured] != side and not is_king and targets & bit(to):
                        after = moved(placement, slot, to)
                        if is_pawn and (to < 8 or to >= 56):
                            value = best_promotion(solver, after, side, slot, captured)
                        else:
                            number = transition_number(0, 0, captured)
                            value = value_after(solver, number, after, side)
                        best = max(best, value)
    return best


@kernel
def best_promotion(solver: Solver, after: int, side: int, slot: int, captured: int) -> int:
    """The best value of the four promotions of the pawn that has reached its last rank."""
    best = NO_MOVE
    for kind in range(KNIGHT, QUEEN + 1):
        number = transition_number(kind, slot, captured)
        best = max(best, value_after(solver, number, after, side))
    return best


@kernel
def best_pawn_move(solver: Solver, placement: int, side: int) -> int:
    """The best value that `side` gets by a pawn move that captures nothing; or NO_MOVE."""
    space = solver.space
    occupied = occupation(solver, placement, 0) | occupation(solver, placement, 1)
    step = 8 if side == 0 else -8
    best = NO_MOVE
    for slot in range(1, space.pawns + 1):
        square = square_of(placement, slot)
        to = square + step
        if space.colour[slot] == side and not occupied & bit(to):
            after = moved(placement, slot, to)
            if to < 8 or to >= 56:
                best = max(best, best_promotion(solver, after, side, slot, 0))
            else:
                plies = solver.plies[index_of(space, after, side ^ 1)].value
                best = max(best, negated(wdl_of_plies(plies)))
                if square >> 3 == (1 if side == 0 else 6) and not occupied & bit(to + step):
                    best = max(best, double_step(solver, placement, side, slot))
    return best


@kernel
def negated(outcome: int) -> int:
    """The value of a move that leads to an outcome of the other side."""
    return NO_MOVE if outcome == ILLEGAL_OUTCOME else -outcome


@kernel
def double_step(solver: Solver, placement: int, side: int, slot: int) -> int:
    """The value of a pawn's double step, which may be answered by capturing en passant."""
    space = solver.space
    square = square_of(placement, slot)
    step = 8 if side == 0 else -8
    to = square + 2 * step
    after = moved(placement, slot, to)
    plies = solver.plies[index_of(space, after, side ^ 1)].value
    outcome = wdl_of_plies(plies)
    if outcome == ILLEGAL_OUTCOME:
        return NO_MOVE
    neighbours = solver.geometry.king[to] & shl(255, to & 56)
    en_passant = NO_MOVE
    for other in range(1, space.pawns + 1):
        if space.colour[other] != side and neighbours & bit(square_of(placement, other)):
            captured = moved(after, other, square + step)
            number = transition_number(0, 0, slot)
            en_passant = max(en_passant, value_after(solver, number, captured, side ^ 1))
    if plies == STALEMATE and en_passant != NO_MOVE:
        return -en_passant  # the only moves there are
    return -max(outcome, en_passant)
