"""Many FENs at once, to packed positions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.board.constants import BLACK, KING, WHITE
from engine.native.bits import bit
from engine.native.jit import entry, kernel
from engine.native.structs import Struct, StructArray, int8, int64, pointer_to_array
from tuning.data.dataset import RECORD, Records
from tuning.data.packed import PackedPosition, add_piece

SPACE, DIGIT_0, SLASH, LETTER_W, LETTER_B = b" 0/wb"
BAD_LETTER = 15
CODES = bytes(  # by letter: the code of a piece, or BAD_LETTER
    "PNBRQK..pnbrqk".index(chr(letter)) if chr(letter) in "PNBRQKpnbrqk" else BAD_LETTER
    for letter in range(128)
)


class Byte(Struct):
    value = int8


class Start(Struct):
    value = int64


class FenReader(Struct):
    """Lines that begin with a FEN, and where their positions go."""

    text = pointer_to_array(Byte)  # the lines; a 0 behind the last one
    starts = pointer_to_array(Start)  # index of the first letter of each
    positions = pointer_to_array(PackedPosition)
    codes = int8[128]
    board = int8[64]  # scratch: the code of each square, BAD_LETTER where it is empty


@entry
def read_fens(reader: FenReader, first: int, end: int) -> int:
    """Pack the positions of the lines from `first` to before `end`.

    Returns the number of the first line that is no plain FEN of two kings, or `end`. What such a
    line is, fen.set_fen can say.
    """
    for line in range(first, end):
        if not read_fen(reader, reader.starts[line].value, reader.positions[line]):
            return line
    return end


@kernel
def read_fen(reader: FenReader, start: int, packed: PackedPosition) -> bool:
    text = reader.text
    for square in range(64):
        reader.board[square] = BAD_LETTER
    at = start
    square = 56
    while text[at].value != SPACE:
        letter = text[at].value
        at += 1
        if letter == SLASH:
            if square & 7 != 0 or square < 16:
                return False
            square -= 16
        elif letter > DIGIT_0 and letter <= DIGIT_0 + 8:
            square += letter - DIGIT_0
        elif letter <= 0 or square > 63 or reader.codes[letter] == BAD_LETTER:
            return False
        else:
            reader.board[square] = reader.codes[letter]
            square += 1
    if square != 8:
        return False
    side = text[at + 1].value
    if (side != LETTER_W and side != LETTER_B) or text[at + 2].value != SPACE:
        return False
    packed.side = BLACK if side == LETTER_B else WHITE
    # The halfmove clock: behind castling rights and en passant.
    at += 3
    spaces = 0
    while spaces < 2 and text[at].value >= SPACE:
        spaces += 1 if text[at].value == SPACE else 0
        at += 1
    clock = 0
    while text[at].value >= DIGIT_0 and text[at].value <= DIGIT_0 + 9:
        clock = min(127, clock * 10 + text[at].value - DIGIT_0)
        at += 1
    packed.halfmove_clock = clock
    return pack_board(reader, packed)


@kernel
def pack_board(reader: FenReader, packed: PackedPosition) -> bool:
    packed.occupied = 0
    packed.pieces[0] = 0
    packed.pieces[1] = 0
    for label in range(6):
        packed.labels[label] = 0
    number = 0
    white_kings = 0
    black_kings = 0
    for square in range(64):
        code = reader.board[square]
        if code != BAD_LETTER:
            if number == 32:
                return False
            packed.occupied |= bit(square)
            add_piece(packed, number, code)
            white_kings += 1 if code == KING else 0
            black_kings += 1 if code == KING + 8 else 0
            number += 1
    return white_kings == 1 and black_kings == 1


def packed(lines: Sequence[bytes]) -> tuple[Records, int]:
    """The positions of lines that begin with FENs, dtype RECORD without labels, and how many lines
    there are before the first that does not."""
    text = np.frombuffer(b"\n".join(lines) + b"\n\0", np.uint8).copy()
    lengths = np.array([len(line) + 1 for line in lines])
    starts = np.cumsum(lengths) - lengths
    reader = FenReader()
    reader.codes[:] = np.frombuffer(CODES, np.int8)
    reader.text = StructArray(Byte, len(text), text)
    reader.starts = StructArray(Start, len(starts), starts.view(np.uint8))
    reader.positions = StructArray(PackedPosition, len(starts))
    done = int(read_fens(reader, 0, len(starts)))
    return reader.positions.memory.view(RECORD).copy(), done
