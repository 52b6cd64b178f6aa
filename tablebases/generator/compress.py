"""Plain Python: compresses a sequence of values in the format.

Frequent pairs of symbols become new symbols, again and again; then each symbol gets a Huffman
code, and the codes are cut into blocks that can be found by the index of a value.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from engine.native.structs import Array, StructArray
from tablebases.generator.pairing import (
    MAX_LENGTH,
    MAX_POSITIONS,
    MAX_SYMBOLS,
    Packing,
    Sequence,
    count_pairs,
    fill_blocks,
    replace_pairs,
)
from tablebases.layout import NO_RIGHT_CHILD
from tablebases.tables import Byte, Half, Word

# A round replaces the pairs that save at least this part of what the best one saves.
GREED = 0.5
# Bits: three bytes in the file for each symbol, and what its code costs elsewhere.
SYMBOL_COST = 26
# Bits for each use of a new symbol: what its parts cost apart says nothing of the pairs that the
# new symbol will make possible.
LEAST_SAVED = 2
LONGEST_CODE = 32
CHUNK = 1 << 22  # values that are handled at once


@dataclass
class Compressed:
    """A sub-table for one side: the contents of its header, and its parts of the file."""

    header: bytes
    sparse_index: bytes = b""
    block_lengths: bytes = b""
    data: bytes = b""

    @property
    def size(self) -> int:
        """In bytes, without padding."""
        parts = (self.header, self.sparse_index, self.block_lengths, self.data)
        return sum(len(part) for part in parts)


class Workspace:
    """Memory for the compression of up to `capacity` values, used again for each table."""

    def __init__(self, capacity: int):
        self.sequence = sequence = Sequence()
        sequence.symbols = StructArray(Half, capacity)
        sequence.pairs = StructArray(Word, min(capacity, MAX_SYMBOLS**2))
        sequence.counts = StructArray(Word, MAX_SYMBOLS**2)
        sequence.new_symbol = StructArray(Half, MAX_SYMBOLS**2)
        self.symbols = sequence.symbols.memory.view(np.int16)
        self.pairs = sequence.pairs.memory.view(np.int32)
        self.counts = sequence.counts.memory.view(np.int32)
        self.new_symbol = sequence.new_symbol.memory.view(np.int16)


@dataclass
class Paired:
    """A sequence of symbols, and what they stand for."""

    leaves: list[int]  # the values that the first symbols stand for
    children: list[tuple[int, int]]  # the pairs that the others stand for
    expansion: Array  # [symbol], how many values
    symbols: Array

    @property
    def symbol_count(self) -> int:
        return len(self.leaves) + len(self.children)


def pair_up(workspace: Workspace, length: int) -> Paired:
    """Replace frequent pairs in the first `length` symbols of the workspace, which are values."""
    sequence = workspace.sequence
    leaves = np.flatnonzero(frequencies(workspace.symbols[:length], MAX_SYMBOLS + 1))
    rank = np.zeros(MAX_SYMBOLS + 1, np.int16)
    rank[leaves] = np.arange(len(leaves))
    replace_values(workspace.symbols[:length], rank)
    expansion = np.ones(MAX_SYMBOLS + 1, np.int64)
    children: list[tuple[int, int]] = []
    sequence.length = length
    while len(leaves) + len(children) < MAX_SYMBOLS and sequence.length > 1:
        room = MAX_SYMBOLS - len(leaves) - len(children)
        chosen = _worthwhile_pairs(workspace, expansion)[:room]
        if not len(chosen):
            break
        first_new = len(leaves) + len(children)
        pairs = [(int(pair) // MAX_SYMBOLS, int(pair) % MAX_SYMBOLS) for pair in chosen]
        for symbol, (left, right) in enumerate(pairs, first_new):
            expansion[symbol] = expansion[left] + expansion[right]
        children += pairs
        workspace.new_symbol[chosen] = np.arange(first_new, first_new + len(pairs))
        replace_pairs(sequence)
        workspace.new_symbol[chosen] = 0
    symbols = workspace.symbols[: int(sequence.length)]
    return Paired([int(leaf) for leaf in leaves], children, expansion, symbols)


def frequencies(values: Array, count: int) -> Array:
    """How often each value below `count` occurs. NumPy's own takes eight bytes a value more."""
    total = np.zeros(count, np.int64)
    for first in range(0, len(values), CHUNK):
        total += np.bincount(values[first : first + CHUNK], minlength=count)
    return total


def replace_values(values: Array, by: Array) -> None:
    """Replace each value by what stands at its place; in place and in chunks, as above."""
    for first in range(0, len(values), CHUNK):
        values[first : first + CHUNK] = by[values[first : first + CHUNK]]


def _worthwhile_pairs(workspace: Workspace, expansion: Array) -> Array:
    """The pairs that save most and do not overlap each other."""
    sequence = workspace.sequence
    count_pairs(sequence)
    pairs = workspace.pairs[: int(sequence.pair_count)]
    counts = workspace.counts[pairs]
    length = int(sequence.length)
    frequency = frequencies(workspace.symbols[:length], MAX_SYMBOLS + 1)
    bits = np.maximum(np.log2(length / np.maximum(frequency, 1)), 1)
    left, right = np.divmod(pairs, MAX_SYMBOLS)
    new_bits = np.maximum(np.log2(length / counts), 1)
    bits_saved = np.maximum(bits[left] + bits[right] - new_bits, LEAST_SAVED)
    saved = counts * bits_saved - SYMBOL_COST
    saved[expansion[left] + expansion[right] > MAX_LENGTH] = 0
    best = saved.max()
    if best <= 0:
        return pairs[:0]
    candidates = np.flatnonzero(saved >= GREED * best)
    candidates = candidates[np.lexsort((pairs[candidates], -saved[candidates]))]
    chosen = []
    is_left = np.zeros(MAX_SYMBOLS + 1, np.bool_)
    is_right = np.zeros(MAX_SYMBOLS + 1, np.bool_)
    for i in candidates:
        a, b = left[i], right[i]
        if not is_right[a] and not is_left[b]:
            is_left[a] = is_right[b] = True
            chosen.append(pairs[i])
    return np.array(chosen)


def code_lengths(frequency: Array) -> Array:
    """Lengths of Huffman codes, at most LONGEST_CODE; 0 for symbols that do not occur."""
    used = np.flatnonzero(frequency)
    lengths = np.zeros(len(frequency), np.int64)
    if len(used) == 1:
        lengths[used] = 1
        return lengths
    weights = frequency[used]
    while True:
        depth = _tree_depths([int(weight) for weight in weights])
        if max(depth) <= LONGEST_CODE:
            lengths[used] = depth
            return lengths
        weights = weights // 2 + 1  # flatter, so less deep


def _tree_depths(weights: list[int]) -> list[int]:
    parents = [0] * (2 * len(weights) - 1)
    heap = [(weight, node) for node, weight in enumerate(weights)]
    heapq.heapify(heap)
    for node in range(len(weights), len(parents)):
        one = heapq.heappop(heap)
        other = heapq.heappop(heap)
        parents[one[1]] = parents[other[1]] = node
        heapq.heappush(heap, (one[0] + other[0], node))
    depth = [0] * len(parents)
    for node in range(len(parents) - 2, -1, -1):
        depth[node] = depth[parents[node]] + 1
    return depth[: len(weights)]


def write_out(paired: Paired, flags: int, block_sizes: range, value_count: int) -> Compressed:
    """Huffman codes, blocks and header. `block_sizes`: logarithms of sizes in bytes to try."""
    count = paired.symbol_count
    lengths = code_lengths(frequencies(paired.symbols, count))
    used = lengths > 0
    shortest, longest = int(lengths[used].min()), int(lengths.max())
    # Symbols are numbered from the longest code to the shortest, those without code first.
    order = np.lexsort((np.arange(count), np.where(used, -lengths, -99)))
    number = np.empty(count, np.int64)
    number[order] = np.arange(count)
    without_code = int(np.count_nonzero(~used))
    offsets = [
        without_code + int(np.count_nonzero(lengths > length))
        for length in range(shortest, longest + 1)
    ]
    base = [0] * len(offsets)
    for i in range(len(offsets) - 2, -1, -1):
        base[i] = (base[i + 1] + offsets[i] - offsets[i + 1]) // 2

    packing = Packing()
    for symbol in map(int, np.flatnonzero(used)):
        rank = int(lengths[symbol]) - shortest
        packing.code[symbol] = base[rank] + int(number[symbol]) - offsets[rank]
    packing.code_length[:count] = lengths
    packing.expansion[:] = paired.expansion
    packing.sequence = StructArray(Half, len(paired.symbols))
    packing.sequence.memory.view(np.int16)[:] = paired.symbols
    packing.length = len(paired.symbols)

    tree = bytearray(3 * count)
    for symbol in range(count):
        if symbol < len(paired.leaves):
            left, right = paired.leaves[symbol], NO_RIGHT_CHILD
        else:
            left, right = (int(number[s]) for s in paired.children[symbol - len(paired.leaves)])
        at = 3 * int(number[symbol])
        tree[at : at + 3] = (left | right << 12).to_bytes(3, "little")
    codes = bytes([longest, shortest])
    codes += b"".join(offset.to_bytes(2, "little") for offset in offsets)
    codes += count.to_bytes(2, "little") + tree + bytes(count & 1)
    candidates = [_blocks(packing, flags, codes, size, value_count) for size in block_sizes]
    return min(candidates, key=lambda compressed: compressed.size)


def _blocks(
    packing: Packing, flags: int, codes: bytes, block_size: int, value_count: int
) -> Compressed:
    packing.block_bytes = 1 << block_size
    packing.blocks = StructArray(Word, int(packing.length))
    packing.data = StructArray(Byte, 1)
    packing.writes = 0
    count = fill_blocks(packing)
    packing.data = StructArray(Byte, count << block_size)
    packing.writes = 1
    fill_blocks(packing)
    lengths = packing.blocks.memory.view(np.int32)[:count].astype(np.int64)

    span = _span(value_count, count)
    spans = (value_count + (1 << span) - 1) >> span
    middles = (np.arange(spans) << span) + (1 << span - 1)
    padding = max(0, -(-(int(middles[-1]) + 1 - value_count) // MAX_POSITIONS))
    lengths = np.append(lengths, np.full(padding, MAX_POSITIONS))
    starts = np.concatenate(([0], np.cumsum(lengths)))
    blocks = np.searchsorted(starts, middles, side="right") - 1
    index = np.zeros(spans, np.dtype([("block", "<u4"), ("offset", "<u2")]))
    index["block"] = blocks
    index["offset"] = middles - starts[blocks]
    header = bytes([flags, block_size, span, padding]) + count.to_bytes(4, "little") + codes
    return Compressed(
        header,
        index.tobytes(),
        (lengths - 1).astype("<u2").tobytes(),
        packing.data.memory.tobytes(),
    )


def _span(value_count: int, block_count: int) -> int:
    """The logarithm of the number of values for each entry of the sparse index: 8 to 16 blocks."""
    span = 10
    while (value_count >> span + 1) * 8 > block_count:
        span += 1
    return span


def constant(flags: int, value: int) -> Compressed:
    """A sub-table that has one value everywhere."""
    return Compressed(bytes([flags, value]))


def estimate(values: Array) -> float:
    """Bits that a sequence of values might take: its entropy, each value's neighbour known."""
    count = int(values.max()) + 1
    pairs = np.bincount(values[:-1].astype(np.int64) * count + values[1:])
    pairs = pairs[pairs > 0]
    singles = np.bincount(values[:-1])
    singles = singles[singles > 0]
    return float((singles * np.log2(singles)).sum() - (pairs * np.log2(pairs)).sum())
