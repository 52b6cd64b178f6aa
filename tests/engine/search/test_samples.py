"""Positions written down while a search evaluates them."""

from __future__ import annotations

import numpy as np

from engine.board.fen import START, set_fen
from engine.board.packed import POSITION, PackedPosition
from engine.native.memory import StructArray
from engine.search.samples import FEWEST_MEN, OTHERS, WINDOW, maybe_sample
from engine.search.setup import forget_game
from engine.search.state import SearchThread
from engine.search.tt import clear
from tests.engine.search.test_search import search

ENDING = "8/8/4k3/8/8/3QK3/8/8 w - - 0 1"
DEPTH = 4


def sampled(thread: SearchThread, fen: str, one_in: int, room: int) -> tuple[np.ndarray, int]:
    """Positions that the search of one writes, and the nodes it takes."""
    memory = np.zeros(room, POSITION)
    sampler = thread.sampler
    sampler.positions = StructArray(PackedPosition, room, memory.view(np.uint8))
    sampler.random.state, sampler.room, sampler.count = 1, room, 0
    sampler.one_in = one_in
    forget_game(thread)
    clear(thread.tt, 0, int(thread.tt.cluster_count))
    search(thread, fen, DEPTH)
    sampler.one_in = 0
    return memory[: int(sampler.count)], int(thread.nodes)


def test_a_search_writes_leaves_and_is_the_same(thread: SearchThread) -> None:
    none, nodes = sampled(thread, START, 0, 10_000)
    most, same_nodes = sampled(thread, START, 1, 10_000)
    some, _ = sampled(thread, START, 4, 10_000)
    assert len(none) == 0 and same_nodes == nodes
    assert nodes / 10 < len(most) <= nodes
    assert 0.1 < len(some) / len(most) < 0.4


def test_leaves_far_from_the_window_are_rare(thread: SearchThread) -> None:
    pos, sampler = thread.position, thread.sampler
    memory = np.zeros(1000, POSITION)
    sampler.positions = StructArray(PackedPosition, 1000, memory.view(np.uint8))
    sampler.room, sampler.one_in, sampler.random.state = 1000, 1, 1
    set_fen(pos, START)

    def written(distance: int) -> int:
        sampler.count = 0
        for _ in range(400):
            maybe_sample(pos, sampler, distance)
        return int(sampler.count)

    assert written(WINDOW - 1) == 400
    assert 400 / OTHERS / 3 < written(WINDOW) < 400 / OTHERS * 3
    sampler.one_in = 0


def test_a_full_memory_stays_full(thread: SearchThread) -> None:
    written, nodes = sampled(thread, START, 1, 10)
    assert len(written) == 10 < nodes


def test_endings_that_need_no_network_are_left_out(thread: SearchThread) -> None:
    assert FEWEST_MEN > 3
    assert len(sampled(thread, ENDING, 1, 100)[0]) == 0
