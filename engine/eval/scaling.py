"""What scores are scaled by: the phase of the game, and how near the fifty-move rule is."""

from __future__ import annotations

from engine.board.constants import BISHOP, BLACK, KNIGHT, QUEEN, ROOK, WHITE
from engine.board.position import Position
from engine.native.bits import popcount
from engine.native.jit import entry, kernel

FULL_PHASE = 24  # with all pieces on the board
FULL_FIFTY_MOVE_SCALE = 200


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


@entry
def fifty_move_scale(pos: Position) -> int:
    """Of FULL_FIFTY_MOVE_SCALE: how much of a score counts; half of it after fifty moves."""
    return FULL_FIFTY_MOVE_SCALE - min(100, pos.snapshots[pos.ply].halfmove_clock)


@kernel
def scale_by_fifty_moves(pos: Position, score: int) -> int:
    return truncated(score * fifty_move_scale(pos), FULL_FIFTY_MOVE_SCALE)


@entry
def truncated(number: int, divisor: int) -> int:
    """Division towards zero, so that a mirrored position has exactly the opposite score."""
    return number // divisor if number >= 0 else -(-number // divisor)
