"""The features of a packed position: the rows that the first layer of the network adds up.

Those of the pieces come first, as engine/eval/network/inputs.py describes them, and then those of
attacked pieces, as attacked.py does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.board.constants import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK
from engine.eval.network import inputs
from engine.eval.network.shape import ATTACKED_INPUTS, INPUTS, MOST_MEN, PIECE_INPUTS
from tuning.fitting.model import Array
from tuning.network.compiling import compiled

FEATURES = INPUTS + ATTACKED_INPUTS
MOST_FEATURES = 2 * MOST_MEN  # of a view: each man, and each man as an attacked one
NO_KIND = 6

STRAIGHT = ((1, 0), (-1, 0), (0, 1), (0, -1))
DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))
KNIGHTS = ((1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1))
DIRECTIONS = {  # by kind, with how far it goes; NO_KIND: the other side's pawn
    KNIGHT: (KNIGHTS, 1),
    BISHOP: (DIAGONAL, 7),
    ROOK: (STRAIGHT, 7),
    QUEEN: (STRAIGHT + DIAGONAL, 7),
    KING: (STRAIGHT + DIAGONAL, 1),
    PAWN: (((-1, 1), (1, 1)), 1),
    NO_KIND: (((-1, -1), (1, -1)), 1),
}
NOWHERE = -1


def _ways() -> Array:
    """int8[kind, 64, 8, 8]: by direction the squares on the way, until NOWHERE."""
    ways = np.full((7, 64, 8, 8), NOWHERE, np.int8)
    for kind, (directions, farthest) in DIRECTIONS.items():
        for square in range(64):
            for number, (files, ranks) in enumerate(directions):
                way = _way(square, files, ranks, farthest)
                ways[kind, square, number, : len(way)] = way
    return ways


def _way(square: int, files: int, ranks: int, farthest: int) -> Sequence[int]:
    steps = ((square % 8 + n * files, square // 8 + n * ranks) for n in range(1, farthest + 1))
    return [8 * rank + file for file, rank in steps if 0 <= file < 8 and 0 <= rank < 8]


WAYS = _ways()

orientation = compiled(inputs.orientation)


@compiled
def features_of(row, seen):
    """The features of a packed position, for the side to move and for the other one.

    Args:
        row: int64[4], a record of a file of positions: occupied squares, pieces, side.
        seen: int32[2, MOST_FEATURES], written.

    Returns the number of men, and that of the features of each side.
    """
    men, own_king, other_king = pieces_of(row, seen)
    own, other = orientation(0, own_king), orientation(0, other_king ^ 56)
    count = add_attacked(men, seen)
    for k in range(count):
        feature = seen[0, k]
        piece = feature % PIECE_INPUTS
        swapped = (piece + 384 if piece < 384 else piece - 384) ^ 56
        if k < men:
            seen[0, k] = PIECE_INPUTS * (own >> 6) + (piece ^ (own & 63))
            seen[1, k] = PIECE_INPUTS * (other >> 6) + (swapped ^ (other & 63))
        else:
            attack = feature - piece
            seen[0, k] = INPUTS + attack + (piece ^ (own & 63))
            seen[1, k] = INPUTS + attack + (swapped ^ (other & 63))
    return men, count


@compiled
def pieces_of(row, seen):
    """Write each man into seen[0]: 384 if it is the other side's, + 64 * kind + square, as the
    mover sees the board. Returns the number of men and the squares of both kings."""
    occupied = np.uint64(row[0])
    black = row[3] & 1
    men, own_king, other_king = 0, 0, 0
    word = np.uint64(row[1])
    while occupied:
        low = occupied & (np.uint64(0) - occupied)
        square = bit_index(low) ^ 56 * black
        occupied ^= low
        if men == 16:
            word = np.uint64(row[2])
        if men == MOST_MEN:
            break
        code = np.int64(word & np.uint64(15))
        word >>= np.uint64(4)
        theirs = (code >> 3) ^ black
        if code & 7 == KING:
            if theirs:
                other_king = square
            else:
                own_king = square
        seen[0, men] = 384 * theirs + 64 * (code & 7) + square
        men += 1
    return men, own_king, other_king


@compiled
def add_attacked(men, seen):
    """Write the attacked men after all men in seen[0], plus PIECE_INPUTS times the set of each.

    Returns the number of all that is written.
    """
    board = np.full(64, NOWHERE, np.int64)
    for k in range(men):
        board[seen[0, k] & 63] = seen[0, k]
    least = np.full((2, 64), NO_KIND, np.int64)  # kind that attacks a man, or defends it, by side
    for k in range(men):
        find_targets(board, seen[0, k], least)
    count = men
    for k in range(men):
        piece = seen[0, k]
        side, kind, square = piece // 384, (piece >> 6) % 6, piece & 63
        by, defended_by = least[1 - side, square], least[side, square]
        if kind == KING or by == NO_KIND or (by > BISHOP and defended_by != NO_KIND):
            continue
        if by == PAWN:
            attack = 0
        elif by <= BISHOP:
            attack = 1
        elif by == ROOK:
            attack = 2
        else:
            attack = 3
        if defended_by == PAWN:
            attack += 4
        elif defended_by != NO_KIND:
            attack += 6
        seen[0, count] = PIECE_INPUTS * attack + piece
        count += 1
    return count


@compiled
def find_targets(board, piece, least):
    """A piece is perhaps the least attacker, or defender, of each man that it reaches."""
    side, kind = piece // 384, (piece >> 6) % 6
    ways = WAYS[NO_KIND if kind == PAWN and side == 1 else kind, piece & 63]
    for direction in range(8):
        for n in range(8):
            square = ways[direction, n]
            if square == NOWHERE:
                break
            if board[square] != NOWHERE:
                least[side, square] = min(least[side, square], kind)
                break


@compiled
def bit_index(low):
    """The number of the only bit that is set."""
    index = 0
    if low & np.uint64(0xFFFFFFFF00000000):
        index += 32
    if low & np.uint64(0xFFFF0000FFFF0000):
        index += 16
    if low & np.uint64(0xFF00FF00FF00FF00):
        index += 8
    if low & np.uint64(0xF0F0F0F0F0F0F0F0):
        index += 4
    if low & np.uint64(0xCCCCCCCCCCCCCCCC):
        index += 2
    if low & np.uint64(0xAAAAAAAAAAAAAAAA):
        index += 1
    return index
