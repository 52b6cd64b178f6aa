"""Compression kernels: fill gaps, find and replace frequent pairs of symbols, write codes.

The idea of replacing pairs is Larsson's and Moffat's Re-Pair (2000). Here a round replaces many
pairs at once, none of which overlap, so that few rounds do.
"""

from __future__ import annotations

from engine.native.jit import entry, kernel
from engine.native.structs import Struct, int64, pointer_to_array
from tablebases.generator.arrange import ANY_DTZ, ANY_UP_TO
from tablebases.tables import Byte, Half, Word

MAX_SYMBOLS = 4095  # a symbol has 12 bits, and all of them set means something else
MAX_LENGTH = 256  # values that a symbol may stand for
MAX_POSITIONS = 65536  # values in a block


class Sequence(Struct):
    """Symbols, and how often pairs of them stand side by side. A pair is a number: its first symbol
    times MAX_SYMBOLS, and its second."""

    symbols = pointer_to_array(Half)
    length = int64
    counts = pointer_to_array(Word)  # [pair]
    pairs = pointer_to_array(Word)  # those that occur
    pair_count = int64
    new_symbol = pointer_to_array(Half)  # [pair], 0: is not replaced
    expansion = int64[MAX_SYMBOLS + 1]  # [symbol], how many values it stands for


class Packing(Struct):
    """The last step: codes and blocks."""

    sequence = pointer_to_array(Half)
    length = int64
    code = int64[MAX_SYMBOLS + 1]
    code_length = int64[MAX_SYMBOLS + 1]
    expansion = int64[MAX_SYMBOLS + 1]
    block_bytes = int64
    writes = int64  # 0: only count the blocks and their lengths
    blocks = pointer_to_array(Word)  # how many values each stands for
    data = pointer_to_array(Byte)


@entry
def fill_wdl(sequence: Sequence, first: int, last: int) -> None:
    """Choose a value where more than one will do: the one before, or the next one after."""
    following = 0
    for i in range(last - 1, first - 1, -1):
        wanted = sequence.symbols[i].value
        if wanted < ANY_UP_TO:
            following = wanted
        else:
            # What stands behind, for the next loop.
            sequence.symbols[i].value = wanted + 16 * following
    before = -1
    for i in range(first, last):
        wanted = sequence.symbols[i].value
        if wanted >= ANY_UP_TO:
            most = wanted & 7
            wanted = before
            if before < 0 or before > most:
                wanted = min(sequence.symbols[i].value >> 4, most)
            sequence.symbols[i].value = wanted
        before = wanted


@entry
def fill_dtz(sequence: Sequence, first: int, last: int) -> None:
    """Where any value will do, take the one before; at the beginning the first one there is."""
    before = ANY_DTZ
    i = first
    while i < last and before == ANY_DTZ:
        before = sequence.symbols[i].value
        i += 1
    before = max(before, 0)
    for i in range(first, last):
        if sequence.symbols[i].value == ANY_DTZ:
            sequence.symbols[i].value = before
        before = sequence.symbols[i].value


@entry
def count_pairs(sequence: Sequence) -> None:
    """Count all pairs; in a run of one symbol, those that can be replaced."""
    for i in range(sequence.pair_count):
        sequence.counts[sequence.pairs[i].value].value = 0
    found = 0
    first = sequence.symbols[0].value
    overlaps = False
    for i in range(1, sequence.length):
        second = sequence.symbols[i].value
        overlaps = (
            first == second and not overlaps and i > 1 and (sequence.symbols[i - 2].value == first)
        )
        if not overlaps:
            pair = first * MAX_SYMBOLS + second
            if sequence.counts[pair].value == 0:
                sequence.pairs[found].value = pair
                found += 1
            sequence.counts[pair].value += 1
        first = second
    sequence.pair_count = found


@entry
def replace_pairs(sequence: Sequence) -> None:
    """Replace each pair that has a new symbol."""
    to = 0
    i = 0
    length = sequence.length
    while i < length:
        symbol = sequence.symbols[i].value
        i += 1
        if i < length:
            new = sequence.new_symbol[symbol * MAX_SYMBOLS + sequence.symbols[i].value].value
            if new:
                symbol = new
                i += 1
        sequence.symbols[to].value = symbol
        to += 1
    sequence.length = to


@entry
def fill_blocks(packing: Packing) -> int:
    """Write the codes into blocks, each of which begins with a new symbol. Returns how many."""
    capacity = 8 * packing.block_bytes
    block = 0
    used = 0
    held = 0
    for i in range(packing.length):
        symbol = packing.sequence[i].value
        bits = packing.code_length[symbol]
        expansion = packing.expansion[symbol]
        if used + bits > capacity or held + expansion > MAX_POSITIONS:
            packing.blocks[block].value = held
            block += 1
            used = 0
            held = 0
        if packing.writes:
            write_code(packing, block * capacity + used, packing.code[symbol], bits)
        used += bits
        held += expansion
    packing.blocks[block].value = held
    return block + 1


@kernel
def write_code(packing: Packing, at: int, code: int, bits: int) -> None:
    """Most significant bit first; the data are zero so far."""
    while bits > 0:
        free = 8 - (at & 7)
        taken = min(free, bits)
        part = code >> (bits - taken) & (1 << taken) - 1
        byte = packing.data[at >> 3].value & 255 | part << (free - taken)
        packing.data[at >> 3].value = byte - 256 if byte > 127 else byte
        at += taken
        bits -= taken
