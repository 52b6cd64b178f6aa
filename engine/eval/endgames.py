"""Endings whose result is known, with the way to win them."""

from __future__ import annotations

from engine.board.constants import (
    BISHOP,
    BLACK,
    DARK_SQUARES,
    KING,
    KNIGHT,
    PAWN,
    QUEEN,
    ROOK,
    WHITE,
)
from engine.board.position import Position
from engine.eval.attackmap import distance, relative_rank
from engine.eval.memory import Evaluator
from engine.eval.scaling import officers, wrong_corner
from engine.native.bits import lsb, popcount, shr
from engine.native.jit import entry, kernel

UNKNOWN = 1 << 20
KNOWN_WIN = 3000  # a queen more than what else is on the board
PAWN_WINS = 1500


@entry
def known_result(pos: Position, evaluator: Evaluator) -> int:
    """Score in White's view if one side has nothing but its king and the result is known.

    Otherwise UNKNOWN.
    """
    if pos.colours[BLACK] == pos.pieces[BLACK, KING]:
        return against_bare_king(pos, evaluator, WHITE)
    if pos.colours[WHITE] == pos.pieces[WHITE, KING]:
        score = against_bare_king(pos, evaluator, BLACK)
        return UNKNOWN if score == UNKNOWN else -score
    return UNKNOWN


@kernel
def against_bare_king(pos: Position, evaluator: Evaluator, strong: int) -> int:
    """Score of `strong`, or UNKNOWN."""
    pieces = pos.pieces
    pawns = popcount(pieces[strong, PAWN])
    if pieces[strong, ROOK] | pieces[strong, QUEEN]:
        return drive_to_edge(pos, strong)
    if pawns:
        if pawns == 1 and officers(pos, strong) == 0:
            return pawn_ending(pos, evaluator, strong)
        return 0 if wrong_corner(pos, strong) else UNKNOWN
    knights = popcount(pieces[strong, KNIGHT])
    bishops = pieces[strong, BISHOP]
    one_colour = bishops & DARK_SQUARES == 0 or bishops & ~DARK_SQUARES == 0
    if knights == 0 and one_colour:
        return 0
    if bishops == 0 and knights <= 2:
        return 0
    if knights == 1 and popcount(bishops) == 1:
        return drive_to_corner(pos, strong)
    return drive_to_edge(pos, strong)


@kernel
def nearness(pos: Position) -> int:
    """How close the kings are, 0 to 6."""
    return 7 - distance(lsb(pos.pieces[WHITE, KING]), lsb(pos.pieces[BLACK, KING]))


@kernel
def drive_to_edge(pos: Position, strong: int) -> int:
    """A win: the bare king goes to the edge, the other one comes near."""
    king = lsb(pos.pieces[strong ^ 1, KING])
    file = min(king & 7, 7 - (king & 7))
    rank = min(king >> 3, 7 - (king >> 3))
    score = KNOWN_WIN + 20 * (6 - file - rank) + 10 * nearness(pos)
    score += 60 * popcount(pos.pieces[strong, PAWN])
    for kind in range(KNIGHT, KING):
        score += pos.tables.exchange_value[kind] * popcount(pos.pieces[strong, kind])
    return score


@kernel
def drive_to_corner(pos: Position, strong: int) -> int:
    """Bishop and knight win in a corner of the bishop's colour."""
    king = lsb(pos.pieces[strong ^ 1, KING])
    file = king & 7
    if pos.pieces[strong, BISHOP] & DARK_SQUARES == 0:
        file = 7 - file
    towards_corner = abs(7 - file - (king >> 3))  # 7 in a dark corner
    return KNOWN_WIN + 60 * towards_corner + 10 * nearness(pos)


@kernel
def pawn_ending(pos: Position, evaluator: Evaluator, strong: int) -> int:
    """King and pawn against king: the bitbase knows."""
    flip = 56 * strong
    pawn = lsb(pos.pieces[strong, PAWN]) ^ flip
    if pawn & 4:
        pawn ^= 7
        flip ^= 7
    own = lsb(pos.pieces[strong, KING]) ^ flip
    bare = lsb(pos.pieces[strong ^ 1, KING]) ^ flip
    number = 4 * ((pawn >> 3) - 1) + (pawn & 3)
    moving = 0 if pos.side == strong else 1
    if shr(evaluator.masks.lost_kings[moving, number, own], bare) & 1:
        return PAWN_WINS + 50 * relative_rank(WHITE, pawn)
    return 0
