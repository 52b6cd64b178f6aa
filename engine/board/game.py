"""The moves of a game, played on a position of unlimited length."""

from __future__ import annotations

from engine.board.constants import BLACK, MAX_HISTORY
from engine.board.makemove import make
from engine.board.position import Position, Snapshot
from engine.native.jit import entry, kernel

KEPT = MAX_HISTORY // 2  # plies remembered when the history is full


@entry
def push(pos: Position, move: int) -> None:
    """Play a legal move of the game, so that later repetitions are recognised."""
    if pos.side == BLACK:
        pos.fullmove_number += 1
    make(pos, move)
    if pos.snapshots[pos.ply].halfmove_clock == 0:
        forget(pos, pos.ply)
    elif pos.ply >= MAX_HISTORY - 1:
        forget(pos, pos.ply - KEPT)


@kernel
def forget(pos: Position, first: int) -> None:
    """Drop the snapshots before `first`: nothing there can be repeated any more."""
    for ply in range(first, pos.ply + 1):
        copy_snapshot(pos.snapshots[ply], pos.snapshots[ply - first])
    pos.ply -= first


@kernel
def copy_snapshot(source: Snapshot, target: Snapshot) -> None:
    target.key = source.key
    target.castling = source.castling
    target.en_passant = source.en_passant
    target.halfmove_clock = source.halfmove_clock
    target.reversible_plies = source.reversible_plies
    target.checkers = source.checkers
    target.move = source.move
    target.moved = source.moved
    target.captured = source.captured
