"""Positions in 32 bytes, so that millions fit into memory.

An array of them is a NumPy array of dtype POSITION, or `StructArray(PackedPosition, ...)` on the
same memory. Castling rights, en passant and the history of the game are not kept: this form is for
looking at positions, not for playing on.
"""

from __future__ import annotations

import numpy as np

from engine.board.constants import BLACK, EMPTY, NO_SQUARE, WHITE
from engine.board.makemove import refresh
from engine.board.position import Position
from engine.native.bits import bit, shl, shr, squares
from engine.native.jit import entry, kernel
from engine.native.structs import Integers, Struct, int8, int64


class PackedPosition(Struct):
    occupied = int64  # a bitboard
    pieces = int64[2]  # 4 bits for each occupied square, lowest first: kind + 8 for Black
    side = int8  # to move
    halfmove_clock = int8  # at most 127
    labels = int8[6]  # for whoever stores positions; 0 after `pack`


def dtype_of(layout: type[Struct]) -> np.dtype[np.void]:
    """A struct of integers as NumPy knows it."""
    members = {n: f for n, f in layout.fields.items() if isinstance(f, Integers)}
    return np.dtype(
        {
            "names": list(members),
            "formats": [(member.dtype, member.shape) for member in members.values()],
            "offsets": [member.offset for member in members.values()],
            "itemsize": layout.size,
        }
    )


POSITION = dtype_of(PackedPosition)


@entry
def pack(pos: Position, packed: PackedPosition) -> None:
    packed.occupied = pos.occupied
    packed.pieces[0] = 0
    packed.pieces[1] = 0
    for number, square in enumerate(squares(pos.occupied)):
        code = pos.board[square]
        if pos.colours[BLACK] & bit(square):
            code += 8
        add_piece(packed, number, code)
    packed.side = pos.side
    packed.halfmove_clock = min(127, pos.snapshots[pos.ply].halfmove_clock)
    for label in range(6):
        packed.labels[label] = 0


@kernel
def copy_packed(source: PackedPosition, target: PackedPosition) -> None:
    """Without the labels, which become 0."""
    target.occupied = source.occupied
    target.pieces[0] = source.pieces[0]
    target.pieces[1] = source.pieces[1]
    target.side = source.side
    target.halfmove_clock = source.halfmove_clock
    for label in range(6):
        target.labels[label] = 0


@kernel
def add_piece(packed: PackedPosition, number: int, code: int) -> None:
    packed.pieces[number >> 4] |= shl(code, 4 * (number & 15))


@entry
def unpack(pos: Position, packed: PackedPosition) -> None:
    """Set up `pos`, which must know its tables, without castling rights and history."""
    for square in range(64):
        pos.board[square] = EMPTY
    pos.colours[WHITE] = 0
    pos.colours[BLACK] = 0
    for number, square in enumerate(squares(packed.occupied)):
        code = shr(packed.pieces[number >> 4], 4 * (number & 15)) & 15
        pos.board[square] = code & 7
        pos.colours[code >> 3] |= bit(square)
    pos.side = packed.side
    pos.ply = 0
    pos.fullmove_number = 1
    now = pos.snapshots[0]
    now.castling = 0
    now.en_passant = NO_SQUARE
    now.halfmove_clock = packed.halfmove_clock
    now.reversible_plies = 0
    now.move = 0
    now.moved = EMPTY
    now.captured = EMPTY
    refresh(pos)
