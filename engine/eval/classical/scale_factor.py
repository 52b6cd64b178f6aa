"""Scale factors: how much of an endgame advantage counts."""

from __future__ import annotations

from engine.board.constants import BISHOP, DARK_SQUARES, PAWN
from engine.board.position import Position
from engine.eval.known_endings import wrong_corner
from engine.eval.scaling import non_pawn_material
from engine.native.bits import popcount
from engine.native.jit import entry, kernel

FULL_SCALE = 64


@kernel
def opposite_bishops(pos: Position) -> bool:
    """Has each side one bishop, on squares of different colours?"""
    white = pos.pieces[0, BISHOP]
    black = pos.pieces[1, BISHOP]
    if popcount(white) != 1 or popcount(black) != 1:
        return False
    return (white & DARK_SQUARES == 0) != (black & DARK_SQUARES == 0)


@entry
def scale_factor(pos: Position, strong: int) -> int:
    """Of FULL_SCALE: how much of the endgame score counts if `strong` is the better side."""
    weak = strong ^ 1
    pawns = popcount(pos.pieces[strong, PAWN])
    ours = non_pawn_material(pos, strong)
    theirs = non_pawn_material(pos, weak)
    if pawns == 0 and ours - theirs <= 1:
        # An extra minor piece does not win without pawns.
        if ours <= 1:
            return 0
        return 6 if theirs <= 1 else 16
    if wrong_corner(pos, strong):
        return 0
    if opposite_bishops(pos):
        if ours == 1 and theirs == 1:
            return min(FULL_SCALE, 18 + 5 * pawns)
        return min(FULL_SCALE, 32 + 4 * pawns)
    return min(FULL_SCALE, 40 + 8 * pawns)
