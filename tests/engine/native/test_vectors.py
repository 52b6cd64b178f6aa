"""Matrices of bytes and words times vectors, on each level of processors, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.native import processor
from engine.native.bits import affine_transform, clip_and_square, dot_product
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


def check(kernels: list[Callable[..., Any]]) -> None:
    of_bytes, of_words, of_totals, of_row = kernels
    check_matrix(of_bytes, Bytes(), 127)
    check_matrix(of_words, Words(), 8000)  # their totals fit into int32
    check_activations(of_totals)
    check_row(of_row)


def test_plain() -> None:
    check([weigh_bytes, weigh_words, activate, multiply_row])


@pytest.mark.jit_only
@pytest.mark.parametrize("cpu", ["best", "second", "x86-64-v2"])
def test_each_level(build: Callable[..., list[Callable[..., Any]]], cpu: str) -> None:
    usable = processor.usable_levels()
    if cpu in ("best", "second"):
        cpu = usable[min(len(usable) - 1, int(cpu == "second"))]
    elif not processor.is_x86_64() or usable[0] == "x86-64":
        pytest.skip("not for this processor")
    check(build(weigh_bytes, weigh_words, activate, multiply_row, cpu=cpu))


@pytest.mark.jit_only
def test_sizes_must_fit(build: Callable[..., list[Callable[..., Any]]]) -> None:
    with pytest.raises(KernelError, match=r"affine_transform.*Unfit\.vector"):
        build(weigh_unfit)
