"""Does a move give check? Answered before the move is made, from squares computed once a node."""

from __future__ import annotations

from engine.board.attacks import bishop_attacks, lone_blockers, rook_attacks
from engine.board.constants import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK
from engine.board.move import (
    CASTLING,
    FLAGS,
    PROMOTION,
    castled_king,
    castled_rook,
    from_square,
    promotion_kind,
    to_square,
)
from engine.board.position import Position
from engine.native.bits import bit, lsb
from engine.native.jit import entry
from engine.native.structs import Struct, int64


class CheckSquares(Struct):
    """From where the side to move attacks the enemy king."""

    squares = int64[6]  # by piece kind
    discoverers = int64  # own pieces that open a line to the king when they leave it


@entry
def find_check_squares(pos: Position, checks: CheckSquares) -> None:
    tables = pos.tables
    us = pos.side
    king = lsb(pos.pieces[us ^ 1, KING])
    diagonal = bishop_attacks(tables, king, pos.occupied)
    straight = rook_attacks(tables, king, pos.occupied)
    checks.squares[PAWN] = tables.pawn[us ^ 1, king]
    checks.squares[KNIGHT] = tables.knight[king]
    checks.squares[BISHOP] = diagonal
    checks.squares[ROOK] = straight
    checks.squares[QUEEN] = diagonal | straight
    checks.squares[KING] = 0
    checks.discoverers = lone_blockers(pos, us ^ 1) & pos.colours[us]


@entry
def gives_check(pos: Position, checks: CheckSquares, move: int) -> bool:
    """Does a legal move attack the enemy king? Misses checks discovered by the pawn that en passant
    captures, and checks of a promoted piece through its pawn's square."""
    start = from_square(move)
    to = to_square(move)
    flag = move & FLAGS
    kind = pos.board[start]
    if flag == CASTLING:
        # The king may have stood between, and no other piece can be uncovered.
        king_to = castled_king(start, to)
        rook_to = castled_rook(start, to)
        others = pos.occupied & ~(bit(start) | bit(to))
        attacked = rook_attacks(pos.tables, rook_to, others | bit(king_to))
        return attacked & pos.pieces[pos.side ^ 1, KING] != 0
    if flag & PROMOTION:
        kind = promotion_kind(move)
    if checks.squares[kind] & bit(to):
        return True
    if checks.discoverers & bit(start) == 0:
        return False
    king = lsb(pos.pieces[pos.side ^ 1, KING])
    return pos.tables.line[king, start] & bit(to) == 0
