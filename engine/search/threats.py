"""Threats: which squares lesser enemy pieces attack, for the order of quiet moves.

A piece that a lesser one attacks wants to move away, and must not go where it would be attacked so.
After the move picker of Stockfish 15.
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
def threat_score(
    pos: Position, params: Params, move: int, by_pawns: int, by_minors: int, by_rooks: int
) -> int:
    """What a quiet move is worth more, in points of history, because it escapes from a lesser
    piece, or less because it goes where one attacks.

    Args:
        by_pawns, by_minors, by_rooks: squares attacked by the opponent's pieces of this worth or
            less.
    """
    kind = pos.board[from_square(move)]
    if kind == QUEEN:
        danger = by_rooks
        weight = 3
    elif kind == ROOK:
        danger = by_minors
        weight = 2
    elif kind == KNIGHT or kind == BISHOP:
        danger = by_pawns
        weight = 1
    else:
        return 0
    if danger & bit(to_square(move)):
        return -weight * params.threat_malus
    return weight * params.threat_bonus if danger & bit(from_square(move)) else 0
