"""Bit operations, plain and compiled, against Python's integers, which have no last bit."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.native import bits, clock
from engine.native.bits import (
    bit,
    clock_ticks,
    has_pext,
    lsb,
    msb,
    pext,
    popcount,
    shl,
    shr,
    signed,
    squares,
)

MASK = (1 << 64) - 1

words = st.one_of(
    st.integers(0, MASK),
    st.integers(0, 63).map(lambda index: 1 << index),
    st.sets(st.integers(0, 63), max_size=6).map(lambda indices: sum(1 << i for i in indices)),
).map(signed)
counts = st.integers(0, 63)


def indices(word: int) -> list[int]:
    """The set bits, one by one, from the text of the number."""
    return [i for i, digit in enumerate(reversed(f"{word & MASK:b}")) if digit == "1"]


def mixed(number: int, total: int) -> int:
    """One number from a sequence in which every place matters."""
    return signed((total * 65 + number + 1) & MASK)


def mix(word: int) -> int:
    """All squares of a word, in their order, in one number."""
    total = 0
    for square in squares(word):
        total = shl(total, 6) + total + square + 1  # total * 65 that may wrap
    return total


def first_above(word: int, least: int) -> int:
    """Leaves a loop over squares early, and runs one loop inside another."""
    for square in squares(word):
        for other in squares(word):
            if other >= least and other >= square:
                return other
    return -1


def number_of_bits(word: int) -> int:
    return popcount(word)


def lowest(word: int) -> int:
    return lsb(word)


def highest(word: int) -> int:
    return msb(word)


def one_bit(index: int) -> int:
    return bit(index)


def shifted_left(word: int, count: int) -> int:
    return shl(word, count)


def shifted_right(word: int, count: int) -> int:
    return shr(word, count)


def extracted(word: int, mask: int) -> int:
    if has_pext():
        return pext(word, mask)
    return -1


def now(function: int) -> int:
    return clock_ticks(function)


KERNELS = (
    now,
    number_of_bits,
    lowest,
    highest,
    one_bit,
    shifted_left,
    shifted_right,
    extracted,
    mix,
    first_above,
)


@pytest.fixture(scope="module")
def plain() -> dict[str, Callable[..., Any]]:
    return {kernel.__name__: kernel for kernel in KERNELS}


@pytest.fixture(scope="module")
def compiled(build: Callable[..., list[Callable[..., Any]]]) -> dict[str, Callable[..., Any]]:
    names = [kernel.__name__ for kernel in KERNELS]
    return dict(zip(names, build(*KERNELS), strict=True))


def check(kernels: dict[str, Callable[..., Any]], word: int, count: int) -> None:
    unsigned = word & MASK
    expected = indices(word)
    assert kernels["number_of_bits"](word) == len(expected)
    if word:
        assert kernels["lowest"](word) == expected[0]
        assert kernels["highest"](word) == expected[-1]
    assert kernels["one_bit"](count) == signed(1 << count)
    assert kernels["shifted_left"](word, count) == signed((unsigned << count) & MASK)
    assert kernels["shifted_right"](word, count) == signed(unsigned >> count)
    total = 0
    for index in expected:
        total = mixed(index, total)
    assert kernels["mix"](word) == total
    assert kernels["first_above"](word, count) == next((i for i in expected if i >= count), -1)


@given(word=words, count=counts)
def test_plain(plain: dict[str, Callable[..., Any]], word: int, count: int) -> None:
    import numpy as np

    with np.errstate(over="ignore"):
        check(plain, word, count)
        check(plain, int(np.int64(word)), count)


@pytest.mark.jit_only
@given(word=words, count=counts)
def test_compiled(compiled: dict[str, Callable[..., Any]], word: int, count: int) -> None:
    check(compiled, word, count)


@pytest.mark.parametrize("kind", ["plain", pytest.param("compiled", marks=pytest.mark.jit_only)])
def test_the_clock_is_the_one_of_python(kind: str, request: pytest.FixtureRequest) -> None:
    read = request.getfixturevalue(kind)["now"]
    for _ in range(100):
        before = clock.ticks(time.perf_counter())
        ticks = read(clock.ADDRESS)
        after = clock.ticks(time.perf_counter())
        assert before - 1000 <= ticks <= after + 1000  # a float has not every tick


def picked(word: int, mask: int) -> int:
    """What `pext` picks, one by one, from the text of the numbers."""
    chosen = set(indices(word))
    digits = ["1" if index in chosen else "0" for index in indices(mask)]
    return signed(int("".join(reversed(digits)) or "0", 2))


@given(word=words, mask=words)
def test_pext_plain(word: int, mask: int) -> None:
    assert pext(word, mask) == picked(word, mask)


@pytest.mark.jit_only
@given(word=words, mask=words)
def test_pext_compiled(compiled: dict[str, Callable[..., Any]], word: int, mask: int) -> None:
    expected = picked(word, mask) if has_pext() else -1
    assert compiled["extracted"](word, mask) == extracted(word, mask) == expected


def test_interpreted_kernels_have_no_pext(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bits, "INTERPRETED", True)
    assert not has_pext()


def test_signed() -> None:
    assert signed(0x8000000000000000) == -(2**63)
    assert signed(0x7FFFFFFFFFFFFFFF) == 2**63 - 1
    assert signed(MASK) == -1


def test_results_wrap_like_machine_words() -> None:
    import numpy as np

    for result in (bit(63), shl(1, 63), shr(-1, 1)):
        assert isinstance(result, np.int64)
