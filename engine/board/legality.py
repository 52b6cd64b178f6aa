"""Is a move from elsewhere, such as the transposition table, legal here?"""

from __future__ import annotations

from engine.board.attacks import attacked, piece_attacks, pinned
from engine.board.constants import (
    EMPTY,
    KING,
    PAWN,
    RANK_1,
    RANK_2,
    RANK_7,
    RANK_8,
    WHITE,
)
from engine.board.makemove import en_passant_safe
from engine.board.move import (
    CAPTURE,
    CASTLING,
    DOUBLE_PUSH,
    EN_PASSANT,
    FLAGS,
    PROMOTION,
    from_square,
    to_square,
)
from engine.board.movegen import castling_allowed
from engine.board.position import Position
from engine.native.bits import bit, lsb
from engine.native.jit import entry, kernel


@entry
def is_legal(pos: Position, move: int) -> bool:
    """True if `generate` would produce `move`, which may be any 16 bits."""
    us = pos.side
    start = from_square(move)
    to = to_square(move)
    flag = move & FLAGS
    if pos.colours[us] & bit(start) == 0:
        return False
    piece = pos.board[start]
    checkers = pos.snapshots[pos.ply].checkers
    if flag == CASTLING:
        if piece != KING or checkers:
            return False
        for right in range(2 * us, 2 * us + 2):
            if pos.castling_rook[right] == to and castling_allowed(pos, right):
                return True
        return False

    if flag & CAPTURE:
        if flag != EN_PASSANT and pos.colours[us ^ 1] & bit(to) == 0:
            return False
    elif pos.board[to] != EMPTY:
        return False
    if piece == PAWN:
        if flag == EN_PASSANT:
            return (
                pos.snapshots[pos.ply].en_passant == to
                and pos.tables.pawn[us, start] & bit(to) != 0
                and en_passant_safe(pos, start, to)
            )
        if not pawn_reaches(pos, start, to, flag):
            return False
    else:
        if flag != 0 and flag != CAPTURE:
            return False
        if piece_attacks(pos.tables, piece, start, pos.occupied) & bit(to) == 0:
            return False
        if piece == KING:
            return not attacked(pos, to, us ^ 1, pos.occupied ^ bit(start))

    king = lsb(pos.pieces[us, KING])
    if checkers:
        if checkers & (checkers - 1):
            return False
        if (pos.tables.between[king, lsb(checkers)] | checkers) & bit(to) == 0:
            return False
    return pinned(pos) & bit(start) == 0 or pos.tables.line[king, start] & bit(to) != 0


@kernel
def pawn_reaches(pos: Position, start: int, to: int, flag: int) -> bool:
    """Does the flag fit a pawn's way from `start` to `to`? Not for en passant."""
    us = pos.side
    forward = 8 if us == WHITE else -8
    if bool((RANK_1 | RANK_8) & bit(to)) != bool(flag & PROMOTION):
        return False
    if flag & PROMOTION == 0 and flag != 0 and flag != DOUBLE_PUSH and flag != CAPTURE:
        return False
    if flag & CAPTURE:
        return pos.tables.pawn[us, start] & bit(to) != 0
    if flag == DOUBLE_PUSH:
        if (RANK_2 if us == WHITE else RANK_7) & bit(start) == 0:
            return False
        return to == start + 2 * forward and pos.board[start + forward] == EMPTY
    return to == start + forward
