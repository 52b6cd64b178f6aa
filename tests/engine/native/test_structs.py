"""Structs as Python sees them."""

from __future__ import annotations

import mmap
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.native.structs import (
    HUGE_PAGE,
    Struct,
    StructArray,
    array_of,
    atomic,
    inline,
    int8,
    int16,
    int64,
    pointer_to,
    pointer_to_array,
)


class Inner(Struct):
    small = int8[4, 3]
    number = int64


class Outer(Struct):
    flag = atomic(int64)
    first = inline(Inner)
    many = array_of(Inner, 5)
    there = pointer_to(Inner)
    run = pointer_to_array(Inner)
    shorts = int16[7]
    counters = atomic(int64[3])


def test_narrow_elements_are_read_as_int64() -> None:
    outer = Outer()
    outer.first.small[1, 1] = 100
    assert outer.first.small[1, 1] * 100 == 10000


def test_scalars_are_int64() -> None:
    outer = Outer()
    outer.flag = 2**63 - 1
    assert isinstance(outer.flag, np.int64)
    with pytest.raises(OverflowError):
        outer.flag = 2**63


def test_arrays_cannot_be_replaced() -> None:
    with pytest.raises(AttributeError, match="shorts is memory"):
        Outer().shorts = np.zeros(7)


def test_a_misspelt_member_is_refused() -> None:
    class Layout(Struct):
        nodes = int64

    class More(Layout):
        stop = int64

    for struct in (Layout(), More()):
        struct.nodes = 3
        with pytest.raises(AttributeError, match="node"):
            struct.node = 3  # type: ignore[attr-defined]
        assert struct.nodes == 3


def test_an_array_of_structs_knows_its_end() -> None:
    run = StructArray(Inner, 2)
    assert [element.address for element in run] == [run.address, run.address + Inner.size]
    with pytest.raises(IndexError, match="Inner 2 of 2"):
        run[2]


def test_a_struct_is_passed_as_its_address() -> None:
    inner = Inner()
    assert Inner.address_of(inner) == inner.address
    with pytest.raises(TypeError, match="expected Inner, not Outer"):
        Inner.address_of(Outer())


def test_a_member_cannot_hide_what_a_struct_has() -> None:
    with pytest.raises(TypeError, match="every struct already has a `size`"):
        type("Hiding", (Struct,), {"size": int64})


class Large(Struct):
    bytes = int8[HUGE_PAGE * 3 // 2]


def page_flags(address: int) -> list[str]:
    """What Linux knows about the mapping of an address (proc_pid_smaps(5))."""
    here = False
    for line in Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines():
        first, _, rest = line.partition(" ")
        start, dash, end = first.partition("-")
        if dash:
            here = int(start, 16) <= address < int(end, 16)
        elif here and first == "VmFlags:":
            return rest.split()
    raise LookupError(f"no mapping of {address:#x}")


has_huge_pages = pytest.mark.skipif(
    not Path("/sys/kernel/mm/transparent_hugepage").exists(), reason="no huge pages here"
)


@has_huge_pages
def test_large_memory_asks_for_huge_pages_itself() -> None:
    for large in (Large(), StructArray(Inner, 1 << 20)):
        assert large.address % HUGE_PAGE == 0  # NumPy, which may ask too, does not align
        assert "hg" in page_flags(large.address)


def test_large_memory_is_zero_and_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    large = Large()
    assert not large.bytes.any()
    large.bytes[:] = 7
    monkeypatch.setattr(sys, "platform", "win32")
    other = Large()
    assert other.address % 64 == 0
    assert not other.bytes.any()
    other.copy_from(large)
    assert (other.bytes == 7).all()


@has_huge_pages
def test_a_system_may_refuse_huge_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mmap, "MADV_HUGEPAGE", -1)
    assert not Large().bytes.any()


def test_too_much_memory_is_a_memory_error() -> None:
    with pytest.raises(MemoryError):
        StructArray(Large, 1 << 40)
