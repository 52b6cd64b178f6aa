"""Scores shrink as the draw by the fifty-move rule comes nearer."""

from __future__ import annotations

from engine.board.position import Position
from engine.eval.rounding import truncated
from engine.native.jit import entry, kernel

FULL_FIFTY_MOVE_SCALE = 200


@entry
def fifty_move_scale(pos: Position) -> int:
    """Of FULL_FIFTY_MOVE_SCALE: how much of a score counts; half of it after fifty moves."""
    return FULL_FIFTY_MOVE_SCALE - min(100, pos.snapshots[pos.ply].halfmove_clock)


@kernel
def scale_by_fifty_moves(pos: Position, score: int) -> int:
    return truncated(score * fifty_move_scale(pos), FULL_FIFTY_MOVE_SCALE)
