"""Static exchange evaluation: the material a capture wins if both sides recapture on its square.

Ignores pins, and promotions by a pawn that captures later: both are rare and expensive.

The swap algorithm with early exit (https://www.chessprogramming.org/SEE_-_The_Swap_Algorithm).
"""

from __future__ import annotations

from engine.board.attacks import attackers_to, bishop_attacks, rook_attacks
from engine.board.constants import BISHOP, EMPTY, KING, PAWN, QUEEN, ROOK
from engine.board.move import (
    CASTLING,
    EN_PASSANT,
    FLAGS,
    PROMOTION,
    from_square,
    promotion_kind,
    to_square,
)
from engine.board.position import Position
from engine.native.bits import bit
from engine.native.jit import entry, kernel

SEE_VALUES = (100, 325, 325, 500, 1000, 0, 0)  # by piece kind, EMPTY included


@kernel
def move_gain(pos: Position, move: int) -> int:
    """Material that a move wins on the spot, before anything takes back."""
    values = pos.tables.see_value
    flag = move & FLAGS
    if flag == EN_PASSANT:
        return values[PAWN]
    gain = values[pos.board[to_square(move)]]
    if flag & PROMOTION:
        gain += values[promotion_kind(move)] - values[PAWN]
    return gain


@entry
def see_at_least(pos: Position, move: int, threshold: int) -> bool:
    """Does `move` win at least `threshold` in the exchanges on its target square?"""
    flag = move & FLAGS
    if flag == CASTLING:
        return threshold <= 0
    values = pos.tables.see_value
    start = from_square(move)
    to = to_square(move)
    balance = move_gain(pos, move) - threshold
    if balance < 0:
        return False  # not even if nothing takes back
    piece = pos.board[start]
    if flag & PROMOTION:
        piece = promotion_kind(move)
    balance -= values[piece]
    if balance >= 0:
        return True  # even if the piece is lost

    occupied = (pos.occupied ^ bit(start)) | bit(to)
    if flag == EN_PASSANT:
        occupied ^= bit(to ^ 8)
    diagonal = pos.pieces[0, BISHOP] | pos.pieces[1, BISHOP]
    straight = pos.pieces[0, ROOK] | pos.pieces[1, ROOK]
    queens = pos.pieces[0, QUEEN] | pos.pieces[1, QUEEN]
    diagonal |= queens
    straight |= queens
    attackers = attackers_to(pos, to, occupied)
    us = pos.side
    side = us
    while True:
        # `side` has just moved onto the square; now the other one takes with its least attacker.
        side ^= 1
        attackers &= occupied
        ours = attackers & pos.colours[side]
        if ours == 0:
            return side != us  # the exchange ends against the side that cannot take back
        kind = least_attacker(pos, side, ours)
        balance = -balance - 1 - values[kind]
        if balance >= 0:
            # `side` is content even if its piece is lost; but a king cannot enter an attack.
            if kind == KING and attackers & pos.colours[side ^ 1]:
                side ^= 1
            return side == us
        attacker = ours & pos.pieces[side, kind]
        occupied ^= attacker & -attacker
        if kind == PAWN or kind == BISHOP or kind == QUEEN:
            attackers |= bishop_attacks(pos.tables, to, occupied) & diagonal
        if kind == ROOK or kind == QUEEN:
            attackers |= rook_attacks(pos.tables, to, occupied) & straight


@kernel
def least_attacker(pos: Position, side: int, attackers: int) -> int:
    """The kind of the least valuable of `attackers`, which belong to `side`."""
    for kind in range(PAWN, KING):
        if attackers & pos.pieces[side, kind]:
            return kind
    return KING


@kernel
def captured_kind(pos: Position, move: int) -> int:
    """The kind a move captures, or EMPTY."""
    flag = move & FLAGS
    if flag == EN_PASSANT:
        return PAWN
    if flag == CASTLING:
        return EMPTY
    return pos.board[to_square(move)]
