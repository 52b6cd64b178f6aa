"""The sum of the piece squares: packed, White's view.

The value of a piece on a square depends on the sides of the two kings. `make` does not update the
sum: when an evaluation needs it, it follows from the moves in the snapshots.
"""

from __future__ import annotations

from engine.board.constants import EMPTY, KING, ROOK
from engine.board.move import (
    CASTLING,
    FLAGS,
    NO_MOVE,
    PROMOTION,
    capture_square,
    castled_king,
    castled_rook,
    from_square,
    promotion_kind,
    to_square,
)
from engine.board.position import AttackTables, Position, Snapshot
from engine.native.bits import lsb, squares
from engine.native.jit import entry, kernel

NOT_SUMMED = 1 << 62  # no sum: packed ones are far smaller


@kernel
def king_sides(pos: Position) -> int:
    """Bit 0 is set if White's king stands on the files e to h, bit 1 if Black's does."""
    white = (lsb(pos.pieces[0, KING]) >> 2) & 1
    black = (lsb(pos.pieces[1, KING]) >> 2) & 1
    return white + 2 * black


@entry
def current_piece_square_sum(pos: Position) -> int:
    """The sum of the position, from that of the nearest one before it whose sum is known."""
    ply = pos.ply
    known = ply
    crossed = False
    while known > 0 and not crossed and pos.snapshots[known].piece_square == NOT_SUMMED:
        made = pos.snapshots[known]
        crossed = made.moved == KING and changes_king_side(made.move)
        known -= 1
    if crossed or pos.snapshots[known].piece_square == NOT_SUMMED:
        pos.snapshots[ply].piece_square = piece_square_sum(pos)
        known = ply
    kings = king_sides(pos)
    while known < ply:
        total = pos.snapshots[known].piece_square
        known += 1
        made = pos.snapshots[known]
        us = pos.side ^ 1 ^ ((ply - known) & 1)
        if made.move != NO_MOVE:
            total += piece_square_change(pos.tables, kings, us, made)
        made.piece_square = total
    return pos.snapshots[ply].piece_square


@kernel
def changes_king_side(move: int) -> bool:
    """Does this king move end on the other side of the board?"""
    start = from_square(move)
    to = to_square(move)
    if move & FLAGS == CASTLING:
        to = castled_king(start, to)
    return (start ^ to) & 4 != 0


@entry
def piece_square_sum(pos: Position) -> int:
    """From scratch."""
    kings = king_sides(pos)
    total = 0
    for colour in range(2):
        for square in squares(pos.colours[colour]):
            total += pos.tables.piece_square[kings, colour, pos.board[square], square]
    return total


@kernel
def piece_square_change(tables: AttackTables, kings: int, us: int, done: Snapshot) -> int:
    """What the move of `us` that led to a snapshot adds to the sum, if both kings stay on their
    sides; `kings`: which sides these are."""
    values = tables.piece_square
    move = done.move
    moved = done.moved
    captured = done.captured
    start = from_square(move)
    to = to_square(move)
    if move & FLAGS == CASTLING:
        king_to = castled_king(start, to)
        rook_to = castled_rook(start, to)
        change = values[kings, us, KING, king_to] - values[kings, us, KING, start]
        return change + values[kings, us, ROOK, rook_to] - values[kings, us, ROOK, to]
    placed = promotion_kind(move) if move & PROMOTION else moved
    change = values[kings, us, placed, to] - values[kings, us, moved, start]
    if captured != EMPTY:
        change -= values[kings, us ^ 1, captured, capture_square(move)]
    return change
