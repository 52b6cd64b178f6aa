"""The leaves that decide a search, written down by it; positions with men displaced."""

from __future__ import annotations

from collections import Counter

import chess
import numpy as np
import pytest

from engine.board.fen import START, set_fen, to_fen
from engine.native.settings import CHECKED
from engine.native.structs import StructArray
from engine.search.deepening import deepen
from engine.search.root_moves import set_all_root_moves
from engine.search.shared import NO_NODE_LIMIT, Shared, connected, forget_game
from tuning.data.packed import POSITION, PackedPosition, pack, unpack
from tuning.network.leaves import (
    FEWEST_MEN,
    LEAST_DEPTH,
    NEW_LEAF,
    OTHERS,
    WINDOW,
    SamplingWorker,
    deepen_and_sample,
    keep_leaf,
    sample_displaced,
    sample_leaf,
)

pytestmark = pytest.mark.skipif(
    CHECKED, reason="interpreted, every index is checked too, and the search need not be compiled"
)

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
ENDING = "8/8/4k3/8/8/3QK3/8/8 w - - 0 1"
DEPTH = 5
PASSED = "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3"


@pytest.fixture
def worker(shared: Shared) -> SamplingWorker:
    return connected(SamplingWorker(), shared)


def displaced(worker: SamplingWorker, fen: str, count: int) -> list[chess.Board]:
    """Positions made of one base."""
    base, room = np.zeros(1, POSITION), np.zeros(count, POSITION)
    sampler = worker.sampler
    sampler.bases = StructArray(PackedPosition, 1, base.view(np.uint8))
    set_fen(worker.position, fen)
    pack(worker.position, sampler.bases[0])
    sampler.positions = StructArray(PackedPosition, count, room.view(np.uint8))
    sampler.random.state, sampler.base_count = 1, 1
    sampler.room, sampler.count = count, 0
    sample_displaced(worker, 20 * count)
    boards = []
    for number in range(int(sampler.count)):
        unpack(worker.position, sampler.positions[number])
        boards.append(chess.Board(to_fen(worker.position)))
    return boards


@pytest.mark.parametrize("fen", [KIWIPETE, PASSED])
def test_one_or_two_men_stand_elsewhere(worker: SamplingWorker, fen: str) -> None:
    before = chess.Board(fen)
    boards = displaced(worker, fen, 300)
    assert len(boards) == 300
    how_many, removed, kinds = Counter[int](), 0, Counter[str]()
    for board in boards:
        assert board.is_valid() and not board.is_check() and board.turn == before.turn
        assert not board.castling_rights and board.ep_square is None
        men, their = before.piece_map(), board.piece_map()
        gone = {square: man for square, man in men.items() if their.get(square) != man}
        come = {square: man for square, man in their.items() if men.get(square) != man}
        how_many[len(gone)] += 1
        removed += len(gone) - len(come)
        left, arrived = Counter(map(str, gone.values())), Counter(map(str, come.values()))
        assert not arrived - left and not {"k", "K"} & set(left - arrived)  # kings stay
        kinds += left
        if len(gone) == len(come) == 1:
            (start,), (to,) = gone, come
            if gone[start].piece_type in (chess.PAWN, chess.KING):
                assert chess.square_distance(start, to) <= 2
    assert set(how_many) <= {0, 1, 2}  # 0: a man that came back
    assert 0.2 < how_many[2] / 300 < 0.45
    assert 0.1 < removed / 300 < 0.5
    assert set("PNBRQKpnbrqk") == set(kinds)
    assert len({board.board_fen() for board in boards}) > 200


def test_nobody_is_left_in_check(worker: SamplingWorker) -> None:
    """The rook checks once the knight is gone, and neither side may be in check."""
    boards = displaced(worker, "4k3/8/8/8/4n3/p7/8/3KR3 w - - 0 1", 200)
    assert len(boards) == 200
    for board in boards:
        assert board.is_valid() and not board.is_check()


def test_too_few_men_are_not_written(worker: SamplingWorker) -> None:
    assert FEWEST_MEN == 4
    assert displaced(worker, ENDING, 5) == []
    assert len(displaced(worker, "8/8/4k3/6p1/8/3QK3/8/8 w - - 0 1", 5)) == 5


# --- Searches ---------------------------------------------------------------------------------


def start(shared: Shared, worker: SamplingWorker, fen: str) -> None:
    forget_game(worker)
    shared.clear_hash()
    set_fen(worker.position, fen)
    set_all_root_moves(worker)
    worker.nodes = 0


def sampled(
    shared: Shared, worker: SamplingWorker, fen: str, one_in: int, room: int
) -> tuple[np.ndarray, int]:
    """Positions that the search of one writes, and the nodes it takes."""
    memory = np.zeros(room, POSITION)
    sampler = worker.sampler
    sampler.positions = StructArray(PackedPosition, room, memory.view(np.uint8))
    sampler.random.state, sampler.room, sampler.count = 1, room, 0
    sampler.one_in = one_in
    start(shared, worker, fen)
    deepen_and_sample(worker, DEPTH, NO_NODE_LIMIT)
    return memory[: int(sampler.count)], int(worker.nodes)


def test_a_search_writes_leaves_and_is_the_same(shared: Shared, worker: SamplingWorker) -> None:
    start(shared, worker, START)
    deepen(worker, DEPTH, NO_NODE_LIMIT)
    nodes = int(worker.nodes)
    none, without = sampled(shared, worker, START, 0, 10_000)
    most, with_most = sampled(shared, worker, START, 1, 10_000)
    some, _ = sampled(shared, worker, START, 3, 10_000)
    assert without == with_most == nodes
    assert len(none) == 0
    assert nodes / 100 < len(most) < nodes / 4  # few nodes are so far from the horizon
    assert len({position.tobytes() for position in most}) > len(most) / 2
    assert 0.1 < len(some) / len(most) < 0.6


def test_leaves_far_from_the_window_are_rare(worker: SamplingWorker) -> None:
    memory = np.zeros(1000, POSITION)
    sampler = worker.sampler
    sampler.positions = StructArray(PackedPosition, 1000, memory.view(np.uint8))
    sampler.room, sampler.one_in, sampler.random.state = 1000, 1, 1
    set_fen(worker.position, START)

    def written(depth: int, distance: int) -> int:
        sampler.count = 0
        with np.errstate(over="ignore"):
            for _ in range(400):
                keep_leaf(worker, 0, 0, 0)
                assert worker.leaves[0].state == NEW_LEAF
                sample_leaf(worker, 0, depth, distance)
                sample_leaf(worker, 0, depth + 1, distance)  # the same leaf, once
        return int(sampler.count)

    assert written(LEAST_DEPTH, WINDOW - 1) == 400
    assert 400 / OTHERS / 3 < written(LEAST_DEPTH, WINDOW) < 400 / OTHERS * 3
    assert written(LEAST_DEPTH - 2, 0) == 0


@pytest.mark.jit_only
def test_a_full_memory_stays_full(shared: Shared, worker: SamplingWorker) -> None:
    written, nodes = sampled(shared, worker, START, 1, 10)
    assert len(written) == 10 < nodes


@pytest.mark.jit_only
def test_endings_that_need_no_network_are_left_out(shared: Shared, worker: SamplingWorker) -> None:
    assert FEWEST_MEN > 3
    assert len(sampled(shared, worker, ENDING, 1, 100)[0]) == 0
