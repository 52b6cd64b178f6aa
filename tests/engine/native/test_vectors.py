"""Operations on vectors, on each level of processors, against NumPy and python-chess."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chess
import numpy as np
import pytest

from engine.native import processor
from engine.native.bits import (
    add_rows,
    affine_transform,
    clip_and_square,
    dot_product,
    signed,
    slide,
)
from engine.native.jit import KernelError
from engine.native.structs import Struct, int8, int16, int32, int64

ROWS, GROUPS = 48, 32


class Bytes(Struct):
    weights = int8[GROUPS, ROWS, 4]
    vector = int8[4 * GROUPS]
    bias = int32[ROWS]
    totals = int32[ROWS]


class Words(Struct):
    weights = int16[GROUPS, ROWS, 2]
    vector = int16[2 * GROUPS]
    bias = int32[ROWS]
    totals = int32[ROWS]


class Activations(Struct):
    totals = int32[ROWS]
    words = int16[2 * ROWS]


class Row(Struct):
    weights = int8[192]
    vector = int8[192]
    total = int64


class Table(Struct):
    before = int16[256]
    byte_rows = int8[20, 256]
    word_rows = int16[20, 256]
    added = int64[8]
    added_count = int64
    removed = int64[8]
    removed_count = int64
    after = int16[256]


class Sliders(Struct):
    pieces = int64[8]
    empty = int64
    reached = int64[8]


class Unfit(Struct):
    weights = int8[GROUPS, ROWS, 4]
    vector = int8[2 * GROUPS]
    bias = int32[ROWS]
    totals = int32[ROWS]


def weigh_bytes(sums: Bytes) -> None:
    affine_transform(sums.weights, sums.vector, sums.bias, sums.totals)


def weigh_words(sums: Words) -> None:
    affine_transform(sums.weights, sums.vector, sums.bias, sums.totals)


def activate(activations: Activations) -> None:
    clip_and_square(activations.totals, 3, 12, activations.words)


def multiply_row(row: Row) -> None:
    row.total = dot_product(row.weights, row.vector)


def add_bytes(table: Table) -> None:
    add_rows(
        table.before,
        table.byte_rows,
        table.added,
        table.added_count,
        table.removed,
        table.removed_count,
        table.after,
    )


def add_words_in_place(table: Table) -> None:
    add_rows(
        table.before,
        table.word_rows,
        table.added,
        table.added_count,
        table.removed,
        table.removed_count,
        table.before,
    )


def slide_all(sliders: Sliders) -> None:
    slide(sliders.pieces, sliders.empty, sliders.reached)


def weigh_unfit(sums: Unfit) -> None:
    affine_transform(sums.weights, sums.vector, sums.bias, sums.totals)


def check_matrix(weighed: Callable[[Any], None], sums: Bytes | Words, most: int) -> None:
    random = np.random.default_rng(1)
    largest = 127 if isinstance(sums, Bytes) else 4096
    for lowest, highest in ((-most - 1, most), (-most - 1, -most - 1), (most, most)):
        sums.weights[...] = random.integers(lowest, highest + 1, sums.weights.shape)
        for least in (0, largest):
            sums.vector[:] = random.integers(least, largest + 1, len(sums.vector))
            sums.bias[:] = bias = random.integers(-1000, 1000, ROWS)
            weighed(sums)
            matrix = np.asarray(sums.weights, np.int64).transpose(1, 0, 2).reshape(ROWS, -1)
            expected = matrix @ np.asarray(sums.vector, np.int64)
            assert np.any(expected)
            assert np.array_equal(sums.totals, bias + expected)


def check_activations(activated: Callable[[Activations], None]) -> None:
    activations = Activations()
    activations.totals[:] = totals = np.linspace(-20000, 50000, ROWS).astype(np.int32)
    activations.totals[:4] = totals[:4] = (-(2**31), 2**31 - 1, -1, 32768)
    activated(activations)
    clipped = np.clip(totals // 8, 0, 4096)
    assert len({*clipped}) > ROWS // 3
    assert activations.words[:ROWS].tolist() == clipped.tolist()
    assert activations.words[ROWS:].tolist() == (clipped**2 // 4096).tolist()


def check_row(multiplied: Callable[[Row], None]) -> None:
    random, row = np.random.default_rng(1), Row()
    for lowest, highest in ((-128, 127), (-128, -128), (127, 127)):
        row.weights[:] = random.integers(lowest, highest + 1, len(row.weights))
        for least in (0, 127):
            row.vector[:] = random.integers(least, 128, len(row.vector))
            multiplied(row)
            assert row.total == sum(
                a * b for a, b in zip(row.weights.tolist(), row.vector.tolist(), strict=True)
            )
            assert row.total


def check_table(bytes_added: Callable[[Table], None], words_added: Callable[[Table], None]) -> None:
    random, table = np.random.default_rng(1), Table()
    table.byte_rows[...] = random.integers(-128, 128, table.byte_rows.shape)
    table.word_rows[...] = random.integers(-500, 501, table.word_rows.shape)
    for added_count, removed_count in ((0, 0), (1, 0), (0, 1), (2, 1), (3, 8), (8, 3)):
        table.before[:] = before = random.integers(-20000, 20000, len(table.before))
        table.added[:] = added = random.integers(0, len(table.byte_rows), len(table.added))
        table.removed[:] = removed = random.integers(0, len(table.byte_rows), len(table.removed))
        table.added_count, table.removed_count = added_count, removed_count
        for rows_added, rows, after in (
            (bytes_added, table.byte_rows, table.after),
            (words_added, table.word_rows, table.before),
        ):
            rows_added(table)
            numbers = np.asarray(rows, np.int64)
            expected = before + numbers[added[:added_count]].sum(axis=0)
            expected -= numbers[removed[:removed_count]].sum(axis=0)
            assert after.tolist() == expected.tolist()


def check_sliders(slid: Callable[[Sliders], None]) -> None:
    random, sliders = np.random.default_rng(1), Sliders()
    for men in (0, 1, 6, 20, 40):
        chosen = random.permutation(64)
        occupied = sum(1 << int(square) for square in chosen[:men])
        sliders.empty = signed(~occupied & chess.BB_ALL)
        sets = [[int(square) for square in random.permutation(64)[:n]] for n in range(8)]
        sliders.pieces[:] = [signed(sum(1 << square for square in each)) for each in sets]
        slid(sliders)
        for number, squares in enumerate(sets):
            table, masks = (
                (chess.BB_DIAG_ATTACKS, chess.BB_DIAG_MASKS)
                if number < 4
                else (chess.BB_RANK_ATTACKS, chess.BB_RANK_MASKS)
            )
            reached = 0
            for square in squares:
                reached |= table[square][masks[square] & occupied]
                if number >= 4:
                    reached |= chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & occupied]
            assert sliders.reached[number] == signed(reached)


def check(kernels: list[Callable[..., Any]]) -> None:
    of_bytes, of_words, of_totals, of_row, *of_table, of_sliders = kernels
    check_matrix(of_bytes, Bytes(), 127)
    check_matrix(of_words, Words(), 8000)  # their totals fit into int32
    check_activations(of_totals)
    check_row(of_row)
    check_table(*of_table)
    check_sliders(of_sliders)


OPERATIONS: list[Callable[..., Any]] = [
    weigh_bytes,
    weigh_words,
    activate,
    multiply_row,
    add_bytes,
    add_words_in_place,
    slide_all,
]


def test_plain() -> None:
    check(OPERATIONS)


@pytest.mark.jit_only
@pytest.mark.parametrize("cpu", ["best", "second", "x86-64-v2"])
def test_each_level(build: Callable[..., list[Callable[..., Any]]], cpu: str) -> None:
    usable = processor.usable_levels()
    if cpu in ("best", "second"):
        cpu = usable[min(len(usable) - 1, int(cpu == "second"))]
    elif not processor.is_x86_64() or usable[0] == "x86-64":
        pytest.skip("not for this processor")
    check(build(*OPERATIONS, cpu=cpu))


@pytest.mark.jit_only
def test_sizes_must_fit(build: Callable[..., list[Callable[..., Any]]]) -> None:
    with pytest.raises(KernelError, match=r"affine_transform.*Unfit\.vector"):
        build(weigh_unfit)
