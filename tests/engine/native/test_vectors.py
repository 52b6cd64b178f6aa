"""A matrix of bytes times a vector, on each level of processors, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.native import processor
from engine.native.bits import dot_products
from engine.native.jit import KernelError
from engine.native.memory import Struct, int8, int32

ROWS, COLUMNS = 7, 192  # rows in fours, and some that remain


class Sums(Struct):
    matrix = int8[ROWS, COLUMNS]
    vector = int8[COLUMNS]
    totals = int32[ROWS]


class Unfit(Struct):
    matrix = int8[ROWS, COLUMNS]
    vector = int8[COLUMNS // 2]
    totals = int32[ROWS]


def multiply(sums: Sums) -> None:
    dot_products(sums.matrix, sums.vector, sums.totals)


def multiply_unfit(sums: Unfit) -> None:
    dot_products(sums.matrix, sums.vector, sums.totals)


def check(multiplied: Callable[[Sums], None]) -> None:
    random, sums = np.random.default_rng(1), Sums()
    for least, most in ((-128, 127), (-128, -128), (127, 127)):
        sums.matrix[:] = random.integers(least, most + 1, (ROWS, COLUMNS))
        for lowest in (0, 127):
            sums.vector[:] = random.integers(lowest, 128, COLUMNS)
            multiplied(sums)
            expected = np.asarray(sums.matrix, np.int64) @ np.asarray(sums.vector, np.int64)
            assert np.array_equal(sums.totals, expected)
            assert np.any(expected)


def test_plain() -> None:
    check(multiply)


@pytest.mark.jit_only
@pytest.mark.parametrize("cpu", ["best", "second", "x86-64-v2"])
def test_each_level(build: Callable[..., list[Callable[..., Any]]], cpu: str) -> None:
    usable = processor.usable_levels()
    if cpu in ("best", "second"):
        cpu = usable[min(len(usable) - 1, int(cpu == "second"))]
    elif not processor.is_x86_64() or usable[0] == "x86-64":
        pytest.skip("not for this processor")
    (multiplied,) = build(multiply, cpu=cpu)
    check(multiplied)


@pytest.mark.jit_only
def test_sizes_must_fit(build: Callable[..., list[Callable[..., Any]]]) -> None:
    with pytest.raises(KernelError, match=r"dot_products.*Unfit\.vector"):
        build(multiply_unfit)
