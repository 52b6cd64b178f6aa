"""Mobility: how many useful squares a piece reaches, and how many of them are near the king."""

from __future__ import annotations

from engine.board.attacks import piece_attacks
from engine.board.constants import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK
from engine.board.position import Position
from engine.eval.features import (
    BISHOP_MOBILITY,
    BISHOP_PAIR,
    KING_ATTACK,
    KNIGHT_MOBILITY,
    QUEEN_MOBILITY,
    ROOK_HALF_OPEN_FILE,
    ROOK_MOBILITY,
    ROOK_OPEN_FILE,
)
from engine.eval.memory import Evaluator
from engine.eval.weigh import weigh
from engine.native.bits import popcount, squares
from engine.native.jit import entry, kernel


@entry
def piece_activity(pos: Position, evaluator: Evaluator, us: int) -> int:
    """Packed score of knights, bishops, rooks and queens of `us`.

    Squares that enemy pawns attack, and those of the own king and pawns, do not count.
    Sliders look through their own queens, rooks behind each other too: they work together.
    """
    pieces = pos.pieces
    area = evaluator.attacks.mobility_area[us]
    their_zone = evaluator.attacks.king_zone[us ^ 1]
    score = 0
    danger = 0
    for kind in range(KNIGHT, KING):
        transparent = 0
        if kind == BISHOP:
            transparent = pieces[us, QUEEN]
        elif kind == ROOK:
            transparent = pieces[us, QUEEN] | pieces[us, ROOK]
        for square in squares(pieces[us, kind]):
            attacks = piece_attacks(pos.tables, kind, square, pos.occupied & ~transparent)
            reached = popcount(attacks & area)
            score += weigh(evaluator, us, mobility_weights(kind) + reached, 1)
            danger += weigh(evaluator, us, KING_ATTACK + kind, popcount(attacks & their_zone))
    if popcount(pieces[us, BISHOP]) >= 2:
        score += weigh(evaluator, us, BISHOP_PAIR, 1)
    evaluator.attacks.danger[us] = danger
    return score + rook_files(pos, evaluator, us)


@kernel
def mobility_weights(kind: int) -> int:
    """Index of the weight for no square reached."""
    if kind == KNIGHT:
        return KNIGHT_MOBILITY
    if kind == BISHOP:
        return BISHOP_MOBILITY
    return ROOK_MOBILITY if kind == ROOK else QUEEN_MOBILITY


@kernel
def rook_files(pos: Position, evaluator: Evaluator, us: int) -> int:
    score = 0
    for square in squares(pos.pieces[us, ROOK]):
        file = pos.tables.file[square]
        if file & pos.pieces[us, PAWN] == 0:
            if file & pos.pieces[us ^ 1, PAWN] == 0:
                score += weigh(evaluator, us, ROOK_OPEN_FILE, 1)
            else:
                score += weigh(evaluator, us, ROOK_HALF_OPEN_FILE, 1)
    return score


@kernel
def mobility_area(pos: Position, evaluator: Evaluator, us: int) -> int:
    """Squares worth reaching: neither own pawns nor king, nor attacked by enemy pawns."""
    own = pos.pieces[us, PAWN] | pos.pieces[us, KING]
    return ~(own | evaluator.attacks.by_pawns[us ^ 1])
