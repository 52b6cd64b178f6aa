"""Structs as Python sees them."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from engine.native.memory import (
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


def test_members_do_not_overlap_and_are_aligned() -> None:
    end = 0
    for member in Outer.fields.values():
        assert member.offset >= end
        assert member.offset % member.alignment == 0
        end = member.offset + member.size
    assert Outer.size >= end
    assert Outer().address % 64 == 0


def test_a_new_struct_is_zero() -> None:
    outer = Outer()
    assert outer.flag == outer.first.number == 0
    assert not outer.shorts.any()


def test_views_share_memory() -> None:
    outer = Outer()
    outer.many[3].small[2, 1] = -5
    start = Outer.fields["many"].offset + 3 * Inner.size + Inner.fields["small"].offset
    assert outer._memory.view(np.int8)[start + 2 * 3 + 1] == -5


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


def test_pointers_keep_their_target() -> None:
    outer = Outer()
    outer.there = inner = Inner()
    outer.run = run = StructArray(Inner, 9)
    assert outer.there is inner
    assert outer.run is run
    words = outer._memory.view(np.int64)[Outer.fields["run"].offset // 8 :]
    assert (words[0], words[1]) == (run.address, 9)


def test_arrays_cannot_be_replaced() -> None:
    with pytest.raises(AttributeError, match="shorts is memory"):
        Outer().shorts = np.zeros(7)


def test_an_array_of_structs_knows_its_end() -> None:
    run = StructArray(Inner, 2)
    assert [element.address for element in run] == [run.address, run.address + Inner.size]
    with pytest.raises(IndexError, match="Inner 2 of 2"):
        run[2]


def test_a_struct_is_passed_as_its_address() -> None:
    inner = Inner()
    assert isinstance(Inner.from_param(inner), ctypes.c_void_p)
    assert Inner.from_param(inner).value == inner.address
    with pytest.raises(TypeError, match="expected Inner, not Outer"):
        Inner.from_param(Outer())


def test_a_member_cannot_hide_what_a_struct_has() -> None:
    with pytest.raises(TypeError, match="every struct already has a `size`"):
        type("Hiding", (Struct,), {"size": int64})
