"""Endings whose result is known, scored so that the winner makes progress."""

from __future__ import annotations

from engine.board.constants import (
    BISHOP,
    BLACK,
    DARK_SQUARES,
    FILE_A,
    FILE_H,
    KING,
    KNIGHT,
    PAWN,
    QUEEN,
    ROOK,
    WHITE,
)
from engine.board.geometry import distance, relative_rank
from engine.board.position import Position
from engine.eval.kpk import KpkBitbase
from engine.eval.scaling import non_pawn_material
from engine.native.bits import bit, lsb, popcount, shr
from engine.native.jit import entry, kernel

UNKNOWN = 1 << 20
KNOWN_WIN = 3000  # plus the material
PAWN_WINS = 1500


@entry
def known_result(pos: Position, kpk: KpkBitbase) -> int:
    """Score in White's view if one side has nothing but its king and the result is known.

    Otherwise UNKNOWN.
    """
    if pos.colours[BLACK] == pos.pieces[BLACK, KING]:
        return against_bare_king(pos, kpk, WHITE)
    if pos.colours[WHITE] == pos.pieces[WHITE, KING]:
        score = against_bare_king(pos, kpk, BLACK)
        return UNKNOWN if score == UNKNOWN else -score
    return UNKNOWN


@kernel
def against_bare_king(pos: Position, kpk: KpkBitbase, strong: int) -> int:
    """Score of `strong`, or UNKNOWN."""
    pieces = pos.pieces
    pawns = popcount(pieces[strong, PAWN])
    if pieces[strong, ROOK] | pieces[strong, QUEEN]:
        return drive_to_edge(pos, strong)
    if pawns:
        if pawns == 1 and non_pawn_material(pos, strong) == 0:
            return pawn_ending(pos, kpk, strong)
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
def wrong_corner(pos: Position, strong: int) -> bool:
    """Only rook pawns of one file, no piece but bishops that do not control the corner where they
    promote, and the other king is there?"""
    pieces = pos.pieces
    pawns = pieces[strong, PAWN]
    if pieces[strong, KNIGHT] | pieces[strong, ROOK] | pieces[strong, QUEEN] or pawns == 0:
        return False
    if pawns & ~FILE_A == 0:
        corner = 56 * (strong ^ 1)
    elif pawns & ~FILE_H == 0:
        corner = 56 * (strong ^ 1) + 7
    else:
        return False
    same_colour = DARK_SQUARES if bit(corner) & DARK_SQUARES else ~DARK_SQUARES
    if pieces[strong, BISHOP] & same_colour:
        return False
    return distance(lsb(pieces[strong ^ 1, KING]), corner) <= 1


@kernel
def nearness(pos: Position) -> int:
    """How close the kings are, 0 to 6."""
    return 7 - distance(lsb(pos.pieces[WHITE, KING]), lsb(pos.pieces[BLACK, KING]))


@kernel
def drive_to_edge(pos: Position, strong: int) -> int:
    """A win: higher the nearer the bare king is to the edge, and the kings to each other."""
    king = lsb(pos.pieces[strong ^ 1, KING])
    file = min(king & 7, 7 - (king & 7))
    rank = min(king >> 3, 7 - (king >> 3))
    score = KNOWN_WIN + 20 * (6 - file - rank) + 10 * nearness(pos)
    score += 60 * popcount(pos.pieces[strong, PAWN])
    for kind in range(KNIGHT, KING):
        score += pos.tables.see_value[kind] * popcount(pos.pieces[strong, kind])
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
def pawn_ending(pos: Position, kpk: KpkBitbase, strong: int) -> int:
    """King and pawn against king, from the bitbase."""
    flip = 56 * strong
    pawn = lsb(pos.pieces[strong, PAWN]) ^ flip
    if pawn & 4:
        pawn ^= 7
        flip ^= 7
    own = lsb(pos.pieces[strong, KING]) ^ flip
    bare = lsb(pos.pieces[strong ^ 1, KING]) ^ flip
    number = 4 * ((pawn >> 3) - 1) + (pawn & 3)
    moving = 0 if pos.side == strong else 1
    if shr(kpk.lost_kings[moving, number, own], bare) & 1:
        return PAWN_WINS + 50 * relative_rank(WHITE, pawn)
    return 0
