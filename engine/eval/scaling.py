"""How much of an endgame advantage is worth anything: scale factors."""

from __future__ import annotations

from engine.board.constants import (
    BISHOP,
    DARK_SQUARES,
    FILE_A,
    FILE_H,
    KING,
    KNIGHT,
    PAWN,
    QUEEN,
    ROOK,
)
from engine.board.position import Position
from engine.eval.attackmap import distance
from engine.native.bits import bit, lsb, popcount
from engine.native.jit import entry, kernel

FULL_SCALE = 64
FULL_FADE = 200


@kernel
def officers(pos: Position, us: int) -> int:
    """What `us` has besides pawns, a minor piece counting 1, a rook 2 and a queen 4."""
    pieces = pos.pieces
    minors = popcount(pieces[us, KNIGHT] | pieces[us, BISHOP])
    return minors + 2 * popcount(pieces[us, ROOK]) + 4 * popcount(pieces[us, QUEEN])


@kernel
def opposite_bishops(pos: Position) -> bool:
    """Has each side one bishop, and do they never meet?"""
    white = pos.pieces[0, BISHOP]
    black = pos.pieces[1, BISHOP]
    if popcount(white) != 1 or popcount(black) != 1:
        return False
    return (white & DARK_SQUARES == 0) != (black & DARK_SQUARES == 0)


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


@entry
def scale_factor(pos: Position, strong: int) -> int:
    """Of 64: what remains of the endgame score if `strong` is the side that is better."""
    weak = strong ^ 1
    pawns = popcount(pos.pieces[strong, PAWN])
    ours = officers(pos, strong)
    theirs = officers(pos, weak)
    if pawns == 0 and ours - theirs <= 1:
        # A minor piece more is no win without pawns.
        if ours <= 1:
            return 0
        return 6 if theirs <= 1 else 16
    if wrong_corner(pos, strong):
        return 0
    if opposite_bishops(pos):
        if ours == 1 and theirs == 1:
            return min(FULL_SCALE, 18 + 5 * pawns)
        return min(FULL_SCALE, 32 + 4 * pawns)
    return min(FULL_SCALE, 40 + 8 * pawns)


@entry
def fade(pos: Position) -> int:
    """Of 200: what remains of a score when the fifty-move rule comes nearer."""
    return FULL_FADE - min(100, pos.snapshots[pos.ply].halfmove_clock)
