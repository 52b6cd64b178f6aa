"""A move is an int of 16 bits:

    15 14 13 12   11 10 9 8 7 6   5 4 3 2 1 0
    flag          to              from

    flag   0 quiet   1 double pawn push   2 castling (to = the own rook's square)
           4 capture 5 en passant
           8 to 11 promotion to knight, bishop, rook, queen; 12 to 15 the same with a capture

so that bit 2 of the flag says "captures" and bit 3 says "promotes". 0 is no move at all.
"""

from __future__ import annotations

from engine.native.jit import kernel

NO_MOVE = 0

DOUBLE_PUSH = 1 << 12
CASTLING = 2 << 12
CAPTURE = 4 << 12
EN_PASSANT = 5 << 12
PROMOTION = 8 << 12
FLAGS = 15 << 12


@kernel
def from_square(move: int) -> int:
    return move & 63


@kernel
def to_square(move: int) -> int:
    return (move >> 6) & 63


@kernel
def promotion_kind(move: int) -> int:
    """The kind a pawn becomes. Only for moves with the promotion bit."""
    return ((move >> 12) & 3) + 1


@kernel
def is_quiet(move: int) -> bool:
    """Neither a capture nor a promotion."""
    return move & (CAPTURE | PROMOTION) == 0


@kernel
def capture_square(move: int) -> int:
    """Where the captured piece stands. Only for moves with the capture bit."""
    return to_square(move) ^ 8 if move & FLAGS == EN_PASSANT else to_square(move)


@kernel
def castled_king(start: int, rook: int) -> int:
    """Where the king lands: the g file if the rook stands on its right, else the c file."""
    return (start & 56) + (6 if rook > start else 2)


@kernel
def castled_rook(start: int, rook: int) -> int:
    """Where the rook lands: beside the king, towards the centre."""
    return (start & 56) + (5 if rook > start else 3)


@kernel
def promotion_flag(kind: int) -> int:
    """The flag of a promotion to `kind`, without the capture bit."""
    return PROMOTION | (kind - 1) << 12
