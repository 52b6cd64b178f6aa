"""The neighbourhood of a position, in place of it: random moves, and fewer men."""

from __future__ import annotations

import chess
import numpy as np
import pytest

from engine.board.fen import START, set_fen, to_fen
from engine.board.notation import legal_moves
from engine.native.structs import StructArray
from engine.search.shared import Shared, connected
from tuning.data.packed import POSITION, PackedPosition
from tuning.network.leaves import FEWEST_MEN, SamplingThread, remove_men, sample_here, wander

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
PASSED = "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3"


@pytest.fixture
def thread(shared: Shared) -> SamplingThread:
    return connected(SamplingThread(), shared)


@pytest.fixture
def memory(thread: SamplingThread) -> np.ndarray:
    room = np.zeros(3, POSITION)
    sampler = thread.sampler
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
    thread: SamplingThread, memory: np.ndarray, fen: str, written: int
) -> None:
    set_fen(thread.position, fen)
    sample_here(thread)
    assert thread.sampler.count == written
    assert bool(memory[0].tobytes().strip(b"\0")) == bool(written)


@pytest.mark.usefixtures("memory")
def test_wandering_makes_other_legal_moves_each_time(thread: SamplingThread) -> None:
    ends = set()
    for _ in range(5):
        set_fen(thread.position, KIWIPETE)
        wander(thread, 4)
        assert thread.position.ply == 4
        fen = to_fen(thread.position)
        board = chess.Board(fen)
        assert board.is_valid() and board.turn == chess.WHITE
        assert len(legal_moves(thread.position, thread.lists)) == board.legal_moves.count()
        ends.add(fen)
    assert len(ends) == 5


@pytest.mark.usefixtures("memory")
def test_wandering_ends_with_the_game(thread: SamplingThread) -> None:
    set_fen(thread.position, "R6k/8/7K/8/8/8/8/8 b - - 0 1")
    wander(thread, 9)
    assert thread.position.ply == 0


@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize("fen", [KIWIPETE, PASSED])
@pytest.mark.parametrize("how_many", [1, 6])
def test_fewer_men_are_a_position_of_their_own(
    thread: SamplingThread, fen: str, how_many: int
) -> None:
    """Without the rights that the men had, and as if set up anew."""
    before = chess.Board(fen)
    legal = 0
    for _ in range(8):
        set_fen(thread.position, fen)
        if not remove_men(thread, how_many):
            continue
        legal += 1
        rest = to_fen(thread.position)
        board = chess.Board(rest)
        assert board.is_valid()
        assert not board.castling_rights and board.ep_square is None
        men = board.piece_map()
        assert len(men) == len(before.piece_map()) - how_many
        assert men.items() <= before.piece_map().items()
        key = int(thread.position.snapshots[0].key)
        set_fen(thread.position, rest)
        assert int(thread.position.snapshots[0].key) == key
    assert legal > 2


@pytest.mark.usefixtures("memory")
def test_pieces_go_more_often_than_pawns(thread: SamplingThread) -> None:
    """Of the 30 men that can go 16 are pawns; each goes half as often as a piece."""
    pawns, rounds = 0, 60
    for _ in range(rounds):
        set_fen(thread.position, START)
        remove_men(thread, 1)
        pawns += 16 - chess.Board(to_fen(thread.position)).board_fen().lower().count("p")
    assert 0.2 < pawns / rounds < 0.5  # 8 of 22


@pytest.mark.usefixtures("memory")
def test_too_few_men_stay(thread: SamplingThread) -> None:
    fen = "4k3/8/8/8/8/8/3PK3/7R w - - 0 1"
    assert FEWEST_MEN == 4
    set_fen(thread.position, fen)
    assert not remove_men(thread, 1)
    assert to_fen(thread.position) == fen


@pytest.mark.usefixtures("memory")
def test_the_rest_may_be_illegal(thread: SamplingThread) -> None:
    """Without what stood between them, the side that has just moved is in check."""
    results = set()
    for _ in range(20):
        set_fen(thread.position, "4k3/8/8/8/4n3/p7/8/3KR3 w - - 0 1")
        legal = remove_men(thread, 1)
        knight_left = "n" in to_fen(thread.position)
        rook_left = "R" in to_fen(thread.position)
        assert legal == (knight_left or not rook_left)
        results.add(bool(legal))
    assert results == {True, False}
