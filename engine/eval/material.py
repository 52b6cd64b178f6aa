"""Non-pawn material, and the phase of the game."""

from __future__ import annotations

from engine.board.constants import BISHOP, BLACK, KNIGHT, QUEEN, ROOK, WHITE
from engine.board.position import Position
from engine.native.bits import popcount
from engine.native.jit import entry, kernel

FULL_PHASE = 24  # with all pieces on the board


@kernel
def non_pawn_material(pos: Position, us: int) -> int:
    """Material of `us` without pawns: a minor piece counts 1, a rook 2, a queen 4."""
    pieces = pos.pieces
    minors = popcount(pieces[us, KNIGHT] | pieces[us, BISHOP])
    return minors + 2 * popcount(pieces[us, ROOK]) + 4 * popcount(pieces[us, QUEEN])


@entry
def game_phase(pos: Position) -> int:
    """24 in the middlegame, 0 with pawns only."""
    return min(FULL_PHASE, non_pawn_material(pos, WHITE) + non_pawn_material(pos, BLACK))
