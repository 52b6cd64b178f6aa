"""Plain Python: the moves of a game, played on a position of unlimited length."""

from __future__ import annotations

from engine.board.constants import BLACK, MAX_HISTORY
from engine.board.makemove import make
from engine.board.position import Position

_KEPT = MAX_HISTORY // 2  # plies remembered when the history is full


def push(pos: Position, move: int) -> None:
    """Play a legal move of the game, so that later repetitions are recognised."""
    if pos.side == BLACK:
        pos.fullmove_number += 1
    make(pos, move)
    ply = int(pos.ply)
    if pos.snapshots[ply].halfmove_clock == 0:
        _forget(pos, ply)
    elif ply >= MAX_HISTORY - 1:
        _forget(pos, ply - _KEPT)


def _forget(pos: Position, first: int) -> None:
    """Drop the snapshots before `first`: nothing there can be repeated any more."""
    last = int(pos.ply)
    for ply in range(first, last + 1):
        pos.snapshots[ply - first].copy_from(pos.snapshots[ply])
    pos.ply = last - first
