"""What kernels may contain, what they mean, and what is said about those that do not compile."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from engine.native.jit import KernelError
from engine.native.structs import (
    Struct,
    StructArray,
    array_of,
    atomic,
    inline,
    int8,
    int64,
    pointer_to,
    pointer_to_array,
)
from tests.engine.native.conftest import line_of

pytestmark = pytest.mark.jit_only

Build = Callable[..., list[Callable[..., Any]]]

TOO_BIG = 1 << 63
PRIMES = (2, 3, 5, 7)


class Cell(Struct):
    value = int64
    narrow = int8[4]


class Grid(Struct):
    numbers = int64[3, 5]
    flag = atomic(int64)
    cell = inline(Cell)
    cells = array_of(Cell, 6)
    there = pointer_to(Cell)
    run = pointer_to_array(Cell)


# --- What works means the same as in Python ----------------------------------------------------


def arithmetic(a: int, b: int) -> int:
    result = max(a, b) * 3 + min(a, b, 7) - abs(a)
    result += a // 3 + a % 5 + (a >> 2) + (a << 3) + (a ^ b) + (a & b) + (a | b)
    return result + divmod(a, 7)[1] + a**2


def loops(a: int, b: int) -> int:
    total = 0
    for i in range(a):
        for k in range(i, b, 3):
            if k == 5:
                continue
            total += k
    for i in range(b, a, -2):
        total ^= i
    while total > 1000:
        total //= 3
    return total


def is_less(a: int, b: int) -> bool:
    return a < b


def truth(a: int, b: int) -> int:
    less = is_less(a, b)
    result = 10 * less + is_less(b, a) + (a == b) if a else 7
    if not less and a and (b or a > 3):
        result += 100
    result += PRIMES[2] + (a in PRIMES)
    return result + (1 if a < b < 5 else 2)


def factorial(n: int) -> int:
    return 1 if n <= 1 else n * factorial(n - 1)


def is_even(n: int) -> bool:
    return n == 0 or is_odd(n - 1)


def is_odd(n: int) -> bool:
    return n != 0 and is_even(n - 1)


def cell_at(grid: Grid, index: int) -> Cell:
    return grid.run[index] if index >= 0 else grid.there


def memory(grid: Grid, index: int) -> int:
    grid.numbers[2, index] = 7
    grid.numbers[2, 1] += index
    grid.flag |= 4
    grid.cell.value = grid.flag + 1
    cell = grid.cells[index]
    cell.narrow[index] = 300  # 44 in 8 bits
    cell = cell_at(grid, -1)
    cell.value -= 5
    cell_at(grid, index).value = 9
    row = grid.numbers
    return row[2, 1] * 10 + grid.cells[index].narrow[index] + grid.there.value


def changes_nothing(grid: Grid) -> None:
    if grid.flag == 1:
        return


@pytest.mark.parametrize("function", [arithmetic, loops, truth])
def test_numbers(build: Build, function: Callable[..., int]) -> None:
    native = build(function, is_less)[0]
    for a in (-17, -3, -1, 0, 1, 2, 5, 13):
        for b in (-9, -1, 0, 1, 4, 12):
            assert native(a, b) == function(a, b)


def test_bool_stays_bool(build: Build) -> None:
    native = build(is_less)[0]
    assert native(1, 2) is True
    assert native(2, 1) is False


def test_recursion(build: Build) -> None:
    native_factorial, native_is_even, _ = build(factorial, is_even, is_odd)
    assert native_factorial(20) == factorial(20)
    assert [native_is_even(n) for n in range(5)] == [True, False, True, False, True]


def test_memory_is_shared(build: Build) -> None:
    native_memory, native_nothing = build(memory, changes_nothing, kernels=[cell_at])
    grid = Grid()
    grid.there = Cell()
    grid.run = StructArray(Cell, 3)
    grid.numbers[2, 1] = 100
    grid.there.value = 50
    assert native_memory(grid, 2) == 102 * 10 + 44 + 45
    assert grid.numbers[2, 2] == 7
    assert (grid.flag, grid.cell.value, grid.run[2].value) == (4, 5, 9)
    assert native_nothing(grid) is None


def test_arguments_are_checked(build: Build) -> None:
    native = build(changes_nothing)[0]
    with pytest.raises(TypeError, match="expected Grid, not Cell"):
        native(Cell())
    with pytest.raises(TypeError, match="0 arguments instead of 1"):
        native()


def test_an_interrupt_is_one_whenever_it_comes(build: Build) -> None:
    if sys.platform == "win32":
        pytest.skip("has no such timer")
    native, grid, interrupts = build(changes_nothing)[0], Grid(), 0
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        for number in range(300):
            try:
                signal.setitimer(signal.ITIMER_REAL, 1e-4 + 1e-6 * number)
                while True:
                    native(grid)
            except KeyboardInterrupt:
                interrupts += 1
    finally:
        signal.signal(signal.SIGALRM, before)
    assert interrupts == 300


# --- What does not, and what is said about it --------------------------------------------------


def raises(a: int) -> int:
    if a == 3:
        raise ValueError
    return a


def steps_by_a_variable(a: int) -> int:
    total = 0
    for i in range(0, 10, a):
        total += i
    return total


def indexes_a_tuple(a: int) -> int:
    return PRIMES[a]


def makes_a_list(a: int) -> int:
    return len([a, a])


def prints(a: int) -> int:
    print(a)  # noqa: T201
    return a


def misspells(grid: Grid) -> int:
    return grid.nubmers[0, 0]  # type: ignore[attr-defined]


def assigns_an_array(grid: Grid) -> int:
    grid.numbers = 3  # type: ignore[assignment]
    return 0


def forgets_an_index(grid: Grid) -> int:
    return grid.numbers[0]


def passes_a_number(a: int) -> int:
    return changes_nothing(a)  # type: ignore[arg-type, func-returns-value, return-value]


def divides(a: int) -> int:
    half = a / 2
    return int(half)


def uses_a_big_constant(a: int) -> int:
    return a & TOO_BIG


def uses_a_big_number(a: int) -> int:
    return a ^ 0xFFFFFFFFFFFFFFFF


def makes_an_unsigned_number(a: int) -> int:
    return (1 << 62) * 2 ^ a


def has_a_default(a: int, b: int = 3) -> int:
    return a + b


def has_no_annotation(a, b: int) -> int:  # type: ignore[no-untyped-def]
    return b


def takes_a_float(a: float) -> int:
    return 0


PROBLEMS = [
    (raises, "def", "could raise"),
    (steps_by_a_variable, "def", "could raise"),
    (indexes_a_tuple, "def", "could raise"),
    (makes_a_list, "return", "allocate memory"),
    (prints, "def", "which the object does not have"),
    (misspells, "return", "Unknown attribute 'nubmers'"),
    (assigns_an_array, "numbers = 3", "numbers"),
    (forgets_an_index, "return", "Grid.numbers takes 2 indices, not 1"),
    (passes_a_number, "return", "changes_nothing"),
    (divides, "half =", "half is float64, but all numbers are int64"),
    (uses_a_big_constant, "def", "TOO_BIG = 0x8000000000000000 is beyond int64"),
    (uses_a_big_number, "def", "0xffffffffffffffff is beyond int64"),
    (makes_an_unsigned_number, "def", "beyond int64"),
    (has_a_default, "def", "no default values"),
    (has_no_annotation, "def", "a must be int, bool or a Struct, not None"),
    (takes_a_float, "def", "a must be int, bool or a Struct, not <class 'float'>"),
]


@pytest.mark.parametrize(("function", "where", "what"), PROBLEMS)
def test_what_does_not_compile(
    build: Build, function: Callable[..., Any], where: str, what: str
) -> None:
    with pytest.raises(KernelError) as caught:
        build(function, changes_nothing)
    message = str(caught.value)
    file = function.__code__.co_filename
    assert what in message
    assert message.startswith(f"{file}:{line_of(function, where)}: kernel {__name__}.")
    assert function.__name__ in message


def test_a_struct_is_not_returned_to_python(build: Build) -> None:
    with pytest.raises(KernelError, match="a Struct cannot be returned to Python"):
        build(cell_at)


# --- The checked build -------------------------------------------------------------------------


def reads_number(grid: Grid, row: int, column: int) -> int:
    return grid.numbers[row, column]


def writes_cell(grid: Grid, index: int) -> None:
    grid.cells[index].value = 5


def reads_run(grid: Grid, index: int) -> int:
    run = grid.run
    return run[index].value


def test_a_bad_index_raises_in_the_checked_build(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.native import loader, lowering

    monkeypatch.setattr(lowering, "check_bounds", True)
    native_number, native_cell, native_run = build(reads_number, writes_cell, reads_run)
    library = loader.library()  # the one that was built just now
    grid = Grid()
    grid.run = StructArray(Cell, 3)
    grid.run[2].value = 8

    native_number(grid, 2, 4)
    native_cell(grid, 5)
    assert native_run(grid, 2) == 8
    library.raise_fault()  # none so far
    for bad_call, message in (
        (partial(native_number, grid, 2, 5), r"Grid.numbers has 5 elements .*number\): index 5"),
        (partial(native_number, grid, -1, 0), r"Grid.numbers has 3 elements .*: index -1"),
        (partial(native_cell, grid, 6), r"Grid.cells has 6 elements .*writes_cell\): index 6"),
        (partial(native_run, grid, 3), r"Grid.run .*reads_run\): index 3"),
    ):
        bad_call()
        with pytest.raises(IndexError, match=message):
            library.raise_fault()
        library.raise_fault()  # reported once
