"""Proofs of mate, against known problems and against plain minimax."""

from __future__ import annotations

import time

import pytest

from engine.api import Engine
from engine.board.fen import START, set_fen, to_fen
from engine.board.game import push
from engine.board.notation import legal_moves, move_text, parse_move
from engine.events import Message, SearchEvent, SearchInfo, SearchResult
from engine.limits import Limits
from engine.search.mate import is_mated_in, mates_in
from engine.search.root_moves import set_root_moves
from engine.search.shared import NO_NODE_LIMIT
from engine.search.state import Worker

whole_search = pytest.mark.jit_only  # as plain Python it takes minutes

# Mates whose first move is quiet, by composers of old; the number is the shortest mate.
PROBLEMS = [
    ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2, "a1a6"),  # Morphy
    ("8/8/1Q6/8/8/4K3/ppN5/1k6 w - - 0 1", 3, "c2a1"),  # Alekhine
    ("R1K5/5k2/2ppNpNp/7p/3P1Q2/8/2b4P/b7 w - - 0 1", 3, "f4f5"),  # Alekhine
]


def ask(fen: str, limits: Limits) -> tuple[list[SearchEvent], SearchResult]:
    engine = Engine()
    engine.set_position(fen, ())
    events: list[SearchEvent] = []
    engine.go(limits, events.append)
    engine.wait()
    result = events[-1]
    assert isinstance(result, SearchResult)
    return events, result


@whole_search
@pytest.mark.parametrize("fen, moves, key", PROBLEMS)
def test_problems(fen: str, moves: int, key: str) -> None:
    events, result = ask(fen, Limits(mate=moves))
    last = next(event for event in reversed(events) if isinstance(event, SearchInfo))
    assert result.best_move == key
    assert last.score.mate == moves
    assert len(last.pv) == 2 * moves - 1
    events, _ = ask(fen, Limits(mate=moves - 1))
    assert Message(f"there is no mate in {moves - 1}") in events


@whole_search
def test_only_the_moves_asked_for() -> None:
    fen = "6k1/5ppp/8/8/8/8/8/K2RR3 w - - 0 1"
    assert ask(fen, Limits(mate=1, search_moves=("e1e8",)))[1].best_move == "e1e8"
    events, _ = ask(fen, Limits(mate=1, search_moves=("a1a2",)))
    assert Message("there is no mate in 1") in events


@whole_search
@pytest.mark.parametrize(
    "fen, move",
    [
        ("8/8/5N2/8/8/8/5Q2/k3K2R w K - 0 1", "e1g1"),
        ("8/5k1K/8/5PpN/1B6/8/8/4R3 w - g6 0 1", "f5g6"),
    ],
    ids=["castling", "en passant"],
)
def test_rare_moves_that_mate(fen: str, move: str) -> None:
    assert ask(fen, Limits(mate=1))[1].best_move == move


def test_a_castling_mate_is_proved(worker: Worker) -> None:
    """The proof, without the other search that may find it first."""
    set_fen(worker.position, "8/8/5N2/8/8/8/5Q2/k3K2R w K - 0 1")
    moves = legal_moves(worker.position, worker.lists)
    castling = [move for move in moves if move_text(move, False) == "e1g1"]
    set_root_moves(worker, castling)
    assert mates_in(worker, 1, 0)


def test_only_allowed_moves_are_proved(worker: Worker) -> None:
    set_fen(worker.position, "6k1/5ppp/8/8/8/8/8/K2RR3 w - - 0 1")
    moves = legal_moves(worker.position, worker.lists)
    set_root_moves(worker, [move for move in moves if move_text(move, False) == "a1a2"])
    assert not mates_in(worker, 1, 0)
    set_root_moves(worker, moves)
    assert mates_in(worker, 1, 0)


def test_a_proof_and_a_refutation_are_remembered(worker: Worker) -> None:
    """The second time they come from the transposition table. A proof holds with more moves too, a
    refutation with fewer."""

    def nodes_of(moves: int, expected: bool, defended: bool = False) -> int:
        worker.nodes = worker.stop = 0
        proves = is_mated_in if defended else mates_in
        assert proves(worker, moves, 1) == expected
        return int(worker.nodes)

    set_fen(worker.position, "8/8/8/8/8/1K6/7R/1k6 w - - 0 1")  # Rh1#
    assert nodes_of(1, True) > 0
    assert nodes_of(1, True) == nodes_of(5, True) == 0
    set_fen(worker.position, "8/8/8/8/8/2K5/7R/k7 w - - 0 1")  # Kc2 and then Rh1 or Ra2
    assert nodes_of(1, False) > 0
    assert nodes_of(1, False) == 0
    assert nodes_of(2, True) > 0


def test_the_defence_that_refuted_an_attack_comes_first(worker: Worker) -> None:
    worker.nodes = worker.stop = 0
    nodes = []
    set_fen(worker.position, "7k/8/8/8/8/8/7P/K1R2b2 b - - 0 1")
    for _ in range(2):
        before = int(worker.nodes)
        assert not is_mated_in(worker, 2, 1)
        nodes.append(int(worker.nodes) - before)
    assert nodes[0] > nodes[1] > 0


def test_a_stopped_proof_proves_nothing(worker: Worker) -> None:
    """Wherever it stops, it leaves nothing false in the transposition table."""
    fen = "8/8/8/8/8/2K5/7R/k7 w - - 0 1"
    for limit in (1, 2, 9, 25, 40):
        set_fen(worker.position, fen)
        worker.nodes = worker.stop = 0
        worker.node_limit = limit
        stopped = not mates_in(worker, 2, 1)
        assert stopped == (worker.stop != 0), limit
        assert to_fen(worker.position) == fen and worker.position.ply == 0
        worker.stop = 0
        worker.node_limit = NO_NODE_LIMIT
        assert not mates_in(worker, 1, 1)
        assert mates_in(worker, 2, 1)
        worker.tt.clusters.memory[:] = 0


def test_the_fifty_move_rule_comes_before_a_late_mate(worker: Worker) -> None:
    """Also if the same mate was proved when the clock stood lower."""
    for clock, mated in ((0, True), (98, True), (99, False), (98, True)):
        set_fen(worker.position, f"8/8/8/8/8/1K6/7R/k7 b - - {clock} 1")
        set_root_moves(worker, legal_moves(worker.position, worker.lists))
        assert is_mated_in(worker, 2, 0) == mated


def test_the_third_time_is_no_way_to_mate(worker: Worker) -> None:
    """Black must play Kb8, and White would mate by Rh8."""
    set_fen(worker.position, "1k6/7R/1K6/8/8/8/8/8 w - - 0 1")
    for text in ("h7g7", "b8a8", "g7h7"):
        push(worker.position, parse_move(worker.position, worker.lists, text))
    assert is_mated_in(worker, 2, 0)
    for text in ("a8b8", "h7g7", "b8a8", "g7h7"):
        push(worker.position, parse_move(worker.position, worker.lists, text))
    assert not is_mated_in(worker, 2, 0)


@whole_search
def test_each_side_has_its_own_proofs() -> None:
    """That one side is not mated says nothing about what it can do itself."""
    engine = Engine()

    def mate(fen: str, moves: int) -> int | None:
        engine.set_position(fen, ())
        events: list[SearchEvent] = []
        engine.go(Limits(mate=moves), events.append)
        engine.wait()
        return [event for event in events if isinstance(event, SearchInfo)][-1].score.mate

    assert mate("2r3k1/1r3ppp/8/8/8/8/1P6/6K1 w - - 0 1", 3) is None
    assert mate("2r3k1/1r3ppp/8/8/8/8/1P6/7K b - - 1 1", 2) == 2


@whole_search
def test_no_time_is_lost_on_a_hopeless_proof() -> None:
    started = time.perf_counter()
    _, result = ask(START, Limits(mate=20, nodes=200_000))
    assert result.best_move is not None
    assert time.perf_counter() - started < 5
