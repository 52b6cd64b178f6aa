"""A second copy of kernels in which others take the place of some."""

from __future__ import annotations

import pytest

from engine.native.jit import entry, kernel
from engine.native.structs import Struct, int64
from tuning.variants import variant


class Counter(Struct):
    total = int64


class Recorder(Counter):
    leaves = int64
    depths = int64[8]


@kernel
def leaf(counter: Counter, depth: int) -> None:
    """Nothing, in the original."""


@kernel
def add(counter: Counter, number: int) -> None:
    counter.total += number


@entry
def descend(counter: Counter, depth: int) -> int:
    """Two branches at each depth; each kernel calls the other."""
    add(counter, 1)
    if depth == 0:
        leaf(counter, depth)
        return 1
    return branch(counter, depth) + branch(counter, depth)


@kernel
def branch(counter: Counter, depth: int) -> int:
    if depth & 1:
        leaf(counter, depth)
    return descend(counter, depth - 1)


@kernel
def record_leaf(recorder: Recorder, depth: int) -> None:
    recorder.leaves += 1
    recorder.depths[depth] += 1


REPLACED = {leaf: record_leaf, Counter: Recorder}
descend_and_record = entry(variant(descend, __name__, REPLACED))
branch_and_record = entry(variant(branch, __name__, REPLACED))


def test_the_copy_calls_the_others_at_any_depth_of_recursion() -> None:
    recorder = Recorder()
    assert descend_and_record(recorder, 3) == 8
    assert recorder.total == 15  # kernels that were not copied take the subclass
    assert list(recorder.depths) == [8, 8, 0, 2, 0, 0, 0, 0]
    assert recorder.leaves == 18


def test_another_root_shares_the_copies() -> None:
    recorder = Recorder()
    assert branch_and_record(recorder, 1) == 1
    assert recorder.leaves == 2
    assert variant(branch, __name__, REPLACED) is variant(branch, __name__, REPLACED)


def test_the_original_stays() -> None:
    recorder = Recorder()
    assert descend(recorder, 3) == 8
    assert (recorder.total, recorder.leaves) == (15, 0)


@pytest.mark.jit_only
def test_the_base_class_is_refused() -> None:
    with pytest.raises(Exception, match="expected Recorder, not Counter"):
        descend_and_record(Counter(), 1)
