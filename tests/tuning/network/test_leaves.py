"""The leaves that decide a search, written down by it; random moves, and fewer men."""

from __future__ import annotations

import chess
import numpy as np
import pytest

from engine.board.fen import START, set_fen, to_fen
from engine.board.notation import legal_moves
from engine.native.settings import CHECKED
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
    SamplingWorker,
    deepen_and_sample,
    keep_leaf,
    remove_men,
    sample_here,
    sample_leaf,
    wander,
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


@pytest.fixture
def memory(worker: SamplingWorker) -> np.ndarray:
    room = np.zeros(3, POSITION)
    sampler = worker.sampler
    sampler.positions = StructArray(PackedPosition, len(room), room.view(np.uint8))
    sampler.random.state, sampler.room, sampler.count = 1, len(room), 0
    return room


@pytest.mark.parametrize(
    "fen, written",
    [
        (START, 1),
        ("4k3/8/8/8/4r3/8/3PKP2/2N5 w - - 0 1", 0),  # in check
        ("4k3/8/8/8/8/8/3PK3/8 w - - 0 1", 0),  # so few men need no network
    ],
)
def test_a_position_is_written(
    worker: SamplingWorker, memory: np.ndarray, fen: str, written: int
) -> None:
    set_fen(worker.position, fen)
    sample_here(worker)
    assert worker.sampler.count == written
    assert bool(memory[0].tobytes().strip(b"\0")) == bool(written)


@pytest.mark.usefixtures("memory")
def test_wandering_makes_other_legal_moves_each_time(worker: SamplingWorker) -> None:
    ends = set()
    for _ in range(5):
        set_fen(worker.position, KIWIPETE)
        wander(worker, 4)
        assert worker.position.ply == 4
        fen = to_fen(worker.position)
        board = chess.Board(fen)
        assert board.is_valid() and board.turn == chess.WHITE
        assert len(legal_moves(worker.position, worker.lists)) == board.legal_moves.count()
        ends.add(fen)
    assert len(ends) == 5


@pytest.mark.usefixtures("memory")
def test_wandering_ends_with_the_game(worker: SamplingWorker) -> None:
    set_fen(worker.position, "R6k/8/7K/8/8/8/8/8 b - - 0 1")
    wander(worker, 9)
    assert worker.position.ply == 0


@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize("fen", [KIWIPETE, PASSED])
@pytest.mark.parametrize("how_many", [1, 6])
def test_fewer_men_are_a_position_of_their_own(
    worker: SamplingWorker, fen: str, how_many: int
) -> None:
    """Without the rights that the men had, and as if set up anew."""
    before = chess.Board(fen)
    legal = 0
    for _ in range(8):
        set_fen(worker.position, fen)
        if not remove_men(worker, how_many):
            continue
        legal += 1
        rest = to_fen(worker.position)
        board = chess.Board(rest)
        assert board.is_valid()
        assert not board.castling_rights and board.ep_square is None
        men = board.piece_map()
        assert len(men) == len(before.piece_map()) - how_many
        assert men.items() <= before.piece_map().items()
        key = int(worker.position.snapshots[0].key)
        set_fen(worker.position, rest)
        assert int(worker.position.snapshots[0].key) == key
    assert legal > 2


@pytest.mark.usefixtures("memory")
def test_pieces_go_more_often_than_pawns(worker: SamplingWorker) -> None:
    """Of the 30 men that can go 16 are pawns; each goes half as often as a piece."""
    pawns, rounds = 0, 60
    for _ in range(rounds):
        set_fen(worker.position, START)
        remove_men(worker, 1)
        pawns += 16 - chess.Board(to_fen(worker.position)).board_fen().lower().count("p")
    assert 0.2 < pawns / rounds < 0.5  # 8 of 22


@pytest.mark.usefixtures("memory")
def test_too_few_men_stay(worker: SamplingWorker) -> None:
    fen = "4k3/8/8/8/8/8/3PK3/7R w - - 0 1"
    assert FEWEST_MEN == 4
    set_fen(worker.position, fen)
    assert not remove_men(worker, 1)
    assert to_fen(worker.position) == fen


@pytest.mark.usefixtures("memory")
def test_the_rest_may_be_illegal(worker: SamplingWorker) -> None:
    """Without what stood between them, the side that has just moved is in check."""
    results = set()
    for _ in range(20):
        set_fen(worker.position, "4k3/8/8/8/4n3/p7/8/3KR3 w - - 0 1")
        legal = remove_men(worker, 1)
        knight_left = "n" in to_fen(worker.position)
        rook_left = "R" in to_fen(worker.position)
        assert legal == (knight_left or not rook_left)
        results.add(bool(legal))
    assert results == {True, False}


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
