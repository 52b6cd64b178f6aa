"""Operations that Python's integers lack, for 64-bit words kept as signed integers.

A bitboard is an int64. Kernels have no unsigned type, because Numba silently turns mixed
signedness into floats or into arithmetic shifts. The operations that depend on the sign are here:
`signed`, `bit`, `shl` and `shr`.

These are the plain Python versions, which interpreted kernels use. Compiled kernels use the
functions of the same names in lowering.py: one or two machine instructions each.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, cast

import numpy as np

from engine.native.settings import INTERPRETED

_MASK = (1 << 64) - 1


def signed(word: int) -> int:
    """The int64 with the same bits as an unsigned 64-bit constant. Not for use in kernels."""
    return word - (1 << 64) if word >> 63 else word


def popcount(word: int) -> int:
    """The number of bits that are set."""
    return (int(word) & _MASK).bit_count()


def lsb(word: int) -> int:
    """Index of the lowest set bit. `word` must not be 0."""
    word = int(word)
    return (word & -word).bit_length() - 1


def msb(word: int) -> int:
    """Index of the highest set bit. `word` must not be 0."""
    return (int(word) & _MASK).bit_length() - 1


def bit(index: int) -> int:
    """The word with one bit set. (`1 << 63` would leave int64 when interpreted.)"""
    return _word(1 << int(index))


def shl(word: int, count: int) -> int:
    """Shift left and drop the bits that leave the word. (`<<` of a constant would keep them.)"""
    return _word((int(word) << int(count)) & _MASK)


def shr(word: int, count: int) -> int:
    """Shift right, filling with zeros. (`>>` copies the sign bit.)"""
    return _word((int(word) & _MASK) >> int(count))


def has_pext() -> bool:
    """May a kernel call `pext`? Only if the processor has a fast instruction for it.

    The plain version answers as the compiled kernels of the process do: they share tables.
    """
    from engine.native import processor  # loads LLVM

    return not INTERPRETED and processor.usable_levels()[0].endswith(processor.PEXT)


def pext(word: int, mask: int) -> int:
    """The bits of `word` that `mask` selects, moved together at the lower end."""
    result = 0
    for index, square in enumerate(squares(mask)):
        result |= ((int(word) >> square) & 1) << index
    return _word(result)


def squares(word: int) -> Iterator[int]:
    """The indices of the set bits, lowest first: `for square in squares(bitboard)`."""
    rest = int(word) & _MASK
    while rest:
        yield lsb(rest)
        rest &= rest - 1


def prefetch(struct: Any) -> None:
    """Ask the processor to load a struct (a transposition table entry, say) into its cache."""


def clock_ticks(function: int) -> int:
    """The time, in ticks of engine/native/clock.py, by the system's function at this address."""
    from engine.native import clock  # only where there is one to read

    return clock.ticks(time.perf_counter())


def affine_transform(weights: Any, vector: Any, bias: Any, totals: Any) -> None:
    """A matrix times a vector: totals[i] = bias[i] + weights[j, i, k] * vector[g * j + k] + ...

    Members of structs: int8[groups, rows, g = 4] and int8[4 * groups] without negative numbers, or
    int16[groups, rows, g = 2] and int16[2 * groups]; int32[rows] for bias and totals. `rows` is a
    multiple of 16, `groups` of 4. No sum may leave int32.
    """
    numbers = np.asarray(vector, np.int64).reshape(len(weights), 1, -1)
    totals[:] = bias + (np.asarray(weights, np.int64) * numbers).sum(axis=(0, 2))


def clip_and_square(totals: Any, shift: int, bits: int, words: Any) -> None:
    """words[i] = totals[i] >> shift, clipped to 0 to 1 << bits; words[n + i] = words[i]**2 >> bits.

    Members of structs: int32[n] and int16[2 * n], n a multiple of 16. `bits` is at most 14.
    """
    clipped = np.clip(np.asarray(totals, np.int64) >> shift, 0, 1 << bits)
    words[:] = np.concatenate([clipped, clipped**2 >> bits])


def dot_product(row: Any, vector: Any) -> int:
    """The sum of row[j] * vector[j].

    Members of structs: int8[columns] both, a multiple of 64. The vector has no negative number.
    """
    return int(np.asarray(row, np.int64) @ np.asarray(vector, np.int64))


def add_rows(
    before: Any,
    rows: Any,
    added: Any,
    added_count: int,
    removed: Any,
    removed_count: int,
    after: Any,
) -> None:
    """after[j] = before[j] + rows[added[0], j] + ... - rows[removed[0], j] - ...

    Members of structs: int16[columns], int8 or int16[any, columns], int64[any] twice, each with how
    many of them count, int16[columns]; `columns` is a multiple of 128. No sum may leave int16.
    """
    chosen, others = np.asarray(added)[:added_count], np.asarray(removed)[:removed_count]
    change = np.asarray(rows)[chosen].sum(axis=0, dtype=np.int64)
    change -= np.asarray(rows)[others].sum(axis=0, dtype=np.int64)
    after[:] = np.asarray(before, np.int64) + change


def slide(pieces: Any, empty: int, reached: Any) -> None:
    """What each of eight sets of pieces attacks, the first four diagonally, the others straight.

    Members of structs: int64[8] both, bitboards.
    """
    for number in range(8):
        found = 0
        for square in squares(pieces[number]):
            for files, ranks in _DIAGONAL if number < 4 else _STRAIGHT:
                found |= _way(square, files, ranks, int(empty))
        reached[number] = _word(found)


_DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))
_STRAIGHT = ((1, 0), (-1, 0), (0, 1), (0, -1))


def _way(square: int, files: int, ranks: int, empty: int) -> int:
    """The squares in a direction, to the first that is not empty."""
    file, rank, found = square % 8 + files, square // 8 + ranks, 0
    while 0 <= file < 8 and 0 <= rank < 8:
        here = 1 << (8 * rank + file)
        found |= here
        if not empty & here:
            break
        file, rank = file + files, rank + ranks
    return found


def _word(unsigned: int) -> int:
    """As NumPy's int64, whose arithmetic wraps as that of compiled kernels does."""
    return cast(int, np.int64(signed(unsigned)))
