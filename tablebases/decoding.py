"""Kernels that look up a position in the open tables, without allocation or locks.

reading.py has checked the headers when it opened the files. Here only the compressed data need
checks. Damaged data give a wrong value or "no table", but never an access outside the file.
"""

from __future__ import annotations

from engine.native.bits import bit, shl, shr
from engine.native.jit import entry, kernel
from tablebases.index import leading_file, signature, table_index
from tablebases.layout import (
    BLACK_TO_MOVE,
    LOSS_IN_PLIES,
    MAPPED,
    WDL_OFFSET,
    WIDE_MAP,
    WIN_IN_PLIES,
)
from tablebases.tables import SLOT_COUNT, Men, Part, Symbol, Table, TableSet

NO_TABLE = -1000  # no table for this material, or its file is damaged
OTHER_SIDE = -1001  # the DTZ table has only the other side to move

_BITS = (SLOT_COUNT - 1).bit_length()
_MULTIPLIER = 0x1E3779B97F4A7C15


# --- From a material to its slot ------------------------------------------------------------------


@entry
def find_slot(tables: TableSet, key: int) -> int:
    """The slot with this signature, or the empty one where it would belong."""
    index = shr(key * _MULTIPLIER, 64 - _BITS)
    for _ in range(SLOT_COUNT):
        found = tables.slots[index].signature
        if found == key or found == 0:
            break
        index = (index + 1) & (SLOT_COUNT - 1)
    return index


# --- Probing --------------------------------------------------------------------------------------


@entry
def probe_wdl_table(tables: TableSet, men: Men) -> int:
    """The stored value, -2 (loss) to 2 (win) for the side to move, or NO_TABLE.

    Where a capture is at least as good the value is arbitrary, and tables ignore en passant: the
    caller must try captures.
    """
    key = signature(men)
    if key == 0:
        return 0  # bare kings
    slot = tables.slots[find_slot(tables, key)]
    if slot.has_wdl == 0:
        return NO_TABLE
    table = slot.wdl
    exchanged = is_exchanged(table, men, key)
    side = 0
    if table.sides == 2:
        side = men.side ^ exchanged
    value = stored_value(table, men, side, exchanged)
    if value < 0:
        return NO_TABLE
    return value - WDL_OFFSET


@entry
def probe_dtz_table(tables: TableSet, men: Men, wdl: int) -> int:
    """Plies, at least 1, to the next capture or pawn move that keeps the result `wdl`, which must
    be that of the position and not 0; or NO_TABLE or OTHER_SIDE.

    Cursed wins and blessed losses count like the others, from 1. Only meaningful if no capture
    and no pawn move wins, as for WDL.
    """
    key = signature(men)
    slot = tables.slots[find_slot(tables, key)]
    if key == 0 or slot.has_dtz == 0:
        return NO_TABLE
    table = slot.dtz
    exchanged = is_exchanged(table, men, key)
    file = 0
    if table.has_pawns:
        file = leading_file(table.parts[0].encoding, men, exchanged)
    part = table.parts[file]
    if not table.is_symmetric and men.side ^ exchanged != part.flags & BLACK_TO_MOVE:
        return OTHER_SIDE
    value = stored_value(table, men, 0, exchanged)
    if value < 0:
        return NO_TABLE
    if part.flags & MAPPED:
        value = mapped(part, value, wdl)
        if value < 0:
            return NO_TABLE
    in_plies = (wdl == 2 and part.flags & WIN_IN_PLIES) or (
        wdl == -2 and part.flags & LOSS_IN_PLIES
    )
    if not in_plies:
        value *= 2
    return value + 1


@kernel
def is_exchanged(table: Table, men: Men, key: int) -> int:
    """1 if White on the board is the table's Black."""
    if table.is_symmetric:
        return men.side
    return int(key != table.signature)


@kernel
def stored_value(table: Table, men: Men, side: int, exchanged: int) -> int:
    """The stored value of the position with `side` (the table's colours) to move, or -1."""
    file = 0
    if table.has_pawns:
        file = leading_file(table.parts[0].encoding, men, exchanged)
    part = table.parts[side + table.sides * file]
    if part.is_constant:
        return part.constant
    index = table_index(part.encoding, men, exchanged)
    if index < 0:
        return -1
    return decompress(part, index)


@kernel
def mapped(part: Part, value: int, wdl: int) -> int:
    """The DTZ that `value` stands for among positions with this WDL; -1: none."""
    which = 0  # wins
    if wdl == -2:
        which = 1
    elif wdl == 1:
        which = 2
    elif wdl == -1:
        which = 3
    if value >= part.map_length[which]:
        return -1
    start = part.map_start[which]
    if part.flags & WIDE_MAP:
        return half(part, shr(start, 1) + value)
    start += value
    return (half(part, shr(start, 1)) >> (8 * (start & 1))) & 0xFF


# --- Decompression --------------------------------------------------------------------------------


@kernel
def half(part: Part, index: int) -> int:
    return part.halves[index].value & 0xFFFF


@kernel
def word(part: Part, index: int) -> int:
    """Four bytes of compressed data, big-endian; zeros beyond the end of the file."""
    if index >= part.word_count:
        return 0
    value = part.words[index].value
    return (
        ((value & 0xFF) << 24)
        | ((value & 0xFF00) << 8)
        | ((value >> 8) & 0xFF00)
        | ((value >> 24) & 0xFF)
    )


@kernel
def decompress(part: Part, index: int) -> int:
    """The value number `index` (0 up to `index_count`), or -1 if the data contradict themselves.

    The list of spans says which block holds the middle of each span, and where in the block; from
    there the list of sizes leads to the block that holds the value.
    """
    span = part.spans + 3 * shr(index, part.span_bits)
    block = half(part, span) | half(part, span + 1) << 16
    rest = (index & (bit(part.span_bits) - 1)) - shr(bit(part.span_bits), 1) + half(part, span + 2)
    while rest < 0:
        block -= 1
        if block < 0 or block >= part.size_count:
            return -1
        rest += half(part, part.sizes + block) + 1
    while True:
        if block >= part.size_count:
            return -1
        positions = half(part, part.sizes + block) + 1
        if rest < positions:
            break
        rest -= positions
        block += 1
    if block >= part.block_count:
        return -1
    return value_in_block(part, part.blocks + shl(block, part.block_bits), rest)


@kernel
def value_in_block(part: Part, at: int, rest: int) -> int:
    """Value number `rest` of the block that begins at word `at`; -1 if there is no such symbol.

    A canonical Huffman code: the first code words of each length tell how long the next one is.
    """
    buffer = shl(word(part, at), 32) | word(part, at + 1)
    at += 2
    used = 0  # bits of the word that was read last which are not yet in the buffer's lower half
    while True:
        window = shr(buffer, 32)
        bits = part.shortest_code
        while window < part.first_code[bits]:
            bits += 1
        number = part.first_symbol[bits] + shr(window - part.first_code[bits], 32 - bits)
        if number >= part.symbol_count:
            return -1
        length = part.symbols[number].length
        if rest < length:
            break
        rest -= length
        buffer = shl(buffer, bits)
        used += bits
        if used >= 32:
            used -= 32
            buffer |= shl(word(part, at), used)
            at += 1
    while part.symbols[number].right >= 0:
        left = part.symbols[number].left
        length = part.symbols[left].length
        if rest < length:
            number = left
        else:
            rest -= length
            number = part.symbols[number].right
    return part.symbols[number].left


# --- For opening a table --------------------------------------------------------------------------


@entry
def measure_symbols(part: Part) -> bool:
    """Fill in how many values each symbol stands for. False if symbols contain themselves, name
    others that do not exist, or stand for more than 32767 values."""
    left_over = part.symbol_count
    for _ in range(part.symbol_count):
        before = left_over
        left_over = 0
        for number in range(part.symbol_count):
            if part.symbols[number].length == 0:
                left_over += measure(part, part.symbols[number])
        if left_over == 0 or left_over == before:
            break
    return left_over == 0


@kernel
def measure(part: Part, symbol: Symbol) -> int:
    """0 if the length of `symbol` is known now, else 1."""
    if symbol.right < 0:
        symbol.length = 1
        return 0
    if symbol.left >= part.symbol_count or symbol.right >= part.symbol_count:
        return 1
    left = part.symbols[symbol.left].length
    right = part.symbols[symbol.right].length
    if left == 0 or right == 0 or left + right > 32767:
        return 1
    symbol.length = left + right
    return 0
