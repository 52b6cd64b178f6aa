"""Threats: which own pieces lesser enemy ones attack, for the order of quiet moves.

Such a piece wants to move where none attacks it. After the move picker of Stockfish 15.
"""

from __future__ import annotations

from engine.board.attacks import bishop_attacks, knight_attacks, pawn_attacks, rook_attacks
from engine.board.constants import BISHOP, KNIGHT, PAWN, QUEEN, ROOK
from engine.board.move import from_square, to_square
from engine.board.position import Position
from engine.native.bits import bit, squares
from engine.native.jit import kernel
from engine.search.params import Params


@kernel
def attacked_by_pawns(pos: Position, by: int) -> int:
    return pawn_attacks(by, pos.pieces[by, PAWN])


@kernel
def attacked_by_minors(pos: Position, by: int) -> int:
    """Squares that knights and bishops of colour `by` attack."""
    attacked = knight_attacks(pos.pieces[by, KNIGHT])
    for square in squares(pos.pieces[by, BISHOP]):
        attacked |= bishop_attacks(pos.tables, square, pos.occupied)
    return attacked


@kernel
def attacked_by_rooks(pos: Position, by: int) -> int:
    attacked = 0
    for square in squares(pos.pieces[by, ROOK]):
        attacked |= rook_attacks(pos.tables, square, pos.occupied)
    return attacked


@kernel
def threatened_pieces(pos: Position, by_pawns: int, by_minors: int, by_rooks: int) -> int:
    """The pieces of the side to move that lesser ones attack.

    Args:
        by_pawns, by_minors, by_rooks: squares attacked by the opponent's pieces of this worth or
            less.
    """
    us = pos.side
    minors = pos.pieces[us, KNIGHT] | pos.pieces[us, BISHOP]
    rooks = pos.pieces[us, ROOK]
    return (pos.pieces[us, QUEEN] & by_rooks) | (rooks & by_minors) | (minors & by_pawns)


@kernel
def escape_score(
    pos: Position, params: Params, move: int, by_pawns: int, by_minors: int, by_rooks: int
) -> int:
    """What the move of a threatened piece is worth more, in points of history, if it escapes."""
    kind = pos.board[from_square(move)]
    target = bit(to_square(move))
    if kind == QUEEN and target & by_rooks == 0:
        return params.threat_queen
    if kind == ROOK and target & by_minors == 0:
        return params.threat_rook
    return params.threat_minor if target & by_pawns == 0 else 0
