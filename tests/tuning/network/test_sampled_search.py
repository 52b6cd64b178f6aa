"""The leaves that decide a search, written down by it."""

from __future__ import annotations

import numpy as np
import pytest

from engine.board.fen import START, set_fen
from engine.native.structs import StructArray
from engine.search.deepening import deepen
from engine.search.root_moves import set_all_root_moves
from engine.search.shared import NO_NODE_LIMIT, Shared, connected, forget_game
from tuning.data.packed import POSITION, PackedPosition
from tuning.network.leaves import (
    FEWEST_MEN,
    LEAST_DEPTH,
    NEW_LEAF,
    OTHERS,
    WINDOW,
    SamplingThread,
    deepen_and_sample,
    keep_leaf,
    sample_leaf,
)

ENDING = "8/8/4k3/8/8/3QK3/8/8 w - - 0 1"
DEPTH = 6


@pytest.fixture
def thread(shared: Shared) -> SamplingThread:
    return connected(SamplingThread(), shared)


def start(shared: Shared, thread: SamplingThread, fen: str) -> None:
    forget_game(thread)
    shared.clear_hash()
    set_fen(thread.position, fen)
    set_all_root_moves(thread)
    thread.nodes = 0


def sampled(
    shared: Shared, thread: SamplingThread, fen: str, one_in: int, room: int
) -> tuple[np.ndarray, int]:
    """Positions that the search of one writes, and the nodes it takes."""
    memory = np.zeros(room, POSITION)
    sampler = thread.sampler
    sampler.positions = StructArray(PackedPosition, room, memory.view(np.uint8))
    sampler.random.state, sampler.room, sampler.count = 1, room, 0
    sampler.one_in = one_in
    start(shared, thread, fen)
    deepen_and_sample(thread, DEPTH, NO_NODE_LIMIT)
    return memory[: int(sampler.count)], int(thread.nodes)


def test_a_search_writes_leaves_and_is_the_same(shared: Shared, thread: SamplingThread) -> None:
    start(shared, thread, START)
    deepen(thread, DEPTH, NO_NODE_LIMIT)
    nodes = int(thread.nodes)
    none, without = sampled(shared, thread, START, 0, 10_000)
    most, with_most = sampled(shared, thread, START, 1, 10_000)
    some, _ = sampled(shared, thread, START, 3, 10_000)
    assert without == with_most == nodes
    assert len(none) == 0
    assert nodes / 100 < len(most) < nodes / 4  # few nodes are so far from the horizon
    assert len({position.tobytes() for position in most}) > len(most) / 2
    assert 0.1 < len(some) / len(most) < 0.6


def test_leaves_far_from_the_window_are_rare(thread: SamplingThread) -> None:
    memory = np.zeros(1000, POSITION)
    sampler = thread.sampler
    sampler.positions = StructArray(PackedPosition, 1000, memory.view(np.uint8))
    sampler.room, sampler.one_in, sampler.random.state = 1000, 1, 1
    set_fen(thread.position, START)

    def written(depth: int, distance: int) -> int:
        sampler.count = 0
        with np.errstate(over="ignore"):
            for _ in range(400):
                keep_leaf(thread, 0, 0, 0)
                assert thread.leaves[0].state == NEW_LEAF
                sample_leaf(thread, 0, depth, distance)
                sample_leaf(thread, 0, depth + 1, distance)  # the same leaf, once
        return int(sampler.count)

    assert written(LEAST_DEPTH, WINDOW - 1) == 400
    assert 400 / OTHERS / 3 < written(LEAST_DEPTH, WINDOW) < 400 / OTHERS * 3
    assert written(LEAST_DEPTH - 2, 0) == 0


def test_a_full_memory_stays_full(shared: Shared, thread: SamplingThread) -> None:
    written, nodes = sampled(shared, thread, START, 1, 10)
    assert len(written) == 10 < nodes


def test_endings_that_need_no_network_are_left_out(shared: Shared, thread: SamplingThread) -> None:
    assert FEWEST_MEN > 3
    assert len(sampled(shared, thread, ENDING, 1, 100)[0]) == 0
