"""Plain Python: the bitbase of king and pawn against king, computed at every start.

For each side to move, pawn and white king, one bitboard holds the squares of lost black kings. A
few passes over these 3072 words, all black kings at once, find all forced wins.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.board.position import AttackTables
from engine.native.structs import Struct, int64

PAWN_SQUARES = 24  # of the pawn, on the files a to d: 4 * (rank - 1) + file

Words = np.ndarray[Any, np.dtype[np.uint64]]

NOT_FILE_A, NOT_FILE_H = np.uint64(0xFEFEFEFEFEFEFEFE), np.uint64(0x7F7F7F7F7F7F7F7F)


class KpkBitbase(Struct):
    """[side to move, pawn, white king]: squares on which the king against the pawn is lost."""

    lost_kings = int64[2, PAWN_SQUARES, 64]


def new_bitbase(tables: AttackTables) -> KpkBitbase:
    bitbase = KpkBitbase()
    bitbase.lost_kings[:] = lost_kings(tables).view(np.int64)
    return bitbase


def lost_kings(tables: AttackTables) -> Words:
    """What a KpkBitbase holds.

    The pawn is White's, on the left half of the board. A promotion counts as a win if the new
    queen cannot be taken.
    """
    bit = np.uint64(1) << np.arange(64, dtype=np.uint64)
    beside = tables.king.view(np.uint64)  # [square]
    numbers = np.arange(PAWN_SQUARES)
    pawns = 8 * (numbers // 4 + 1) + numbers % 4
    pawn, attacked = bit[pawns, np.newaxis], tables.pawn[0].view(np.uint64)[pawns, np.newaxis]
    king = bit[np.newaxis]  # everything below is [pawn, white king] of sets of black kings
    off_limits = beside[np.newaxis] | king | pawn
    free = ~(off_limits | attacked)  # where Black may step, or stand if White is to move
    takes = np.where(beside[np.newaxis] & pawn, np.uint64(0), pawn)
    has_move = _steps(free | takes)

    possible = (king & pawn) == 0
    lost_to_move = np.zeros((PAWN_SQUARES, 64), np.uint64)
    lost_waiting = np.zeros_like(lost_to_move)
    while True:
        before = lost_to_move
        lost_waiting = _white_moves(lost_to_move, pawns, beside, bit) & np.where(possible, free, 0)
        escapes = (free & ~lost_waiting) | takes
        no_stalemate = has_move | attacked
        lost_to_move = np.where(possible, ~off_limits & ~_steps(escapes) & no_stalemate, 0)
        if np.array_equal(lost_to_move, before):
            return np.stack([lost_waiting, lost_to_move])


def _steps(kings: Words) -> Words:
    """Squares from which a king reaches one of these."""
    one, eight = np.uint64(1), np.uint64(8)
    beside = ((kings & NOT_FILE_A) >> one) | ((kings & NOT_FILE_H) << one)
    row = kings | beside
    return beside | (row << eight) | (row >> eight)


def _white_moves(lost: Words, pawns: Any, beside: Words, bit: Words) -> Words:
    """Black kings that a move of White leaves in `lost`, [pawn, white king]."""
    # Every square has up to eight neighbours; of fewer the first stands in for the others.
    is_beside = (beside[:, np.newaxis] & bit) != 0
    nearest = np.argsort(~is_beside, axis=1, kind="stable")[:, :8]
    targets = np.where(np.take_along_axis(is_beside, nearest, 1), nearest, nearest[:, :1])
    found = np.bitwise_or.reduce(lost[:, targets], axis=2)
    for number, square in enumerate(pawns):
        ahead = square + 8
        may_step = np.arange(64) != ahead  # [white king]
        if square >> 3 == 6:
            guarded = (beside & bit[ahead]) != 0
            won = np.where(guarded, ~bit[ahead], ~(bit[ahead] | beside[ahead]))
        else:
            won = lost[number + 4].copy()
            if square >> 3 == 1:
                double = np.where(np.arange(64) != ahead + 8, lost[number + 8], 0)
                won |= double & ~bit[ahead]
        found[number] |= np.where(may_step, won, 0)
    return found
