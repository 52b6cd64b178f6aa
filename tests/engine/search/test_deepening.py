"""Iterative deepening in one kernel call finds what its reported sister finds."""

from __future__ import annotations

import pytest

from engine.board.fen import START, set_fen, to_fen
from engine.board.notation import legal_moves
from engine.search.deepening import MAX_DEPTH, deepen, search_window
from engine.search.iterations import Iterations
from engine.search.root_moves import NO_FAIL_HIGH, set_all_root_moves, set_root_moves
from engine.search.shared import NO_NODE_LIMIT, forget_game
from engine.search.state import Worker
from engine.search.tt import clear

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
ENDING = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
MATE_IN_TWO = "k7/8/2K5/8/8/8/8/1R6 w - - 0 1"


def start(worker: Worker, fen: str, node_limit: int) -> None:
    """As for the first search of a game."""
    set_fen(worker.position, fen)
    forget_game(worker)
    clear(worker.tt, 0, int(worker.tt.cluster_count))
    worker.nodes = worker.stop = 0
    worker.node_limit = node_limit


def reported(worker: Worker, depth: int, soft_nodes: int) -> tuple[int, int]:
    set_root_moves(worker, legal_moves(worker.position, worker.lists))
    iterations = Iterations(worker, 1)
    for current in range(1, depth + 1):
        if not iterations.search(current) or worker.nodes >= soft_nodes:
            break
    best = iterations.lines[0]
    return best.moves[0], best.score


@pytest.mark.jit_only  # many searches
@pytest.mark.parametrize("fen", [START, KIWIPETE, ENDING, MATE_IN_TWO])
@pytest.mark.parametrize(
    "depth, soft_nodes, node_limit",
    [
        (4, NO_NODE_LIMIT, NO_NODE_LIMIT),
        (MAX_DEPTH, 200, NO_NODE_LIMIT),
        *((MAX_DEPTH, NO_NODE_LIMIT, nodes) for nodes in (1, 5, 60, 150, 333, 700)),
    ],
)
def test_it_finds_the_same_move(
    worker: Worker, fen: str, depth: int, soft_nodes: int, node_limit: int
) -> None:
    start(worker, fen, node_limit)
    expected = reported(worker, depth, soft_nodes)
    nodes = int(worker.nodes)
    start(worker, fen, node_limit)
    assert set_all_root_moves(worker) == len(legal_moves(worker.position, worker.lists))
    score = deepen(worker, depth, soft_nodes)
    assert (int(worker.root_moves[0].move), int(score)) == expected
    assert int(worker.nodes) == nodes


@pytest.mark.jit_only  # some thousand nodes
def test_a_stop_between_two_windows_keeps_the_move_that_failed_high(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`stop` can come from another thread when a window ends, after its best move has moved up."""
    failed_high: list[tuple[int, int]] = []
    answers: list[tuple[int, int]] = []

    def stopped_after(worker: Worker, depth: int) -> bool:
        before = int(worker.root_moves[0].move)
        is_exact = search_window(worker, depth)
        best = worker.root_moves[0]
        if worker.window.failed_high != NO_FAIL_HIGH and best.move != before:
            failed_high.append((int(best.move), int(worker.window.score)))
            worker.stop = 1
        return bool(is_exact)

    monkeypatch.setattr("engine.search.iterations.search_window", stopped_after)
    for fen in (
        "r6r/np3k1p/5P2/pbpp1K2/2B4P/1PP4N/PB1p1PP1/R6R w - - 0 28",
        "r3kbn1/ppp1qp1r/3p4/2nN2pp/PPBQPP2/6Pb/2PKN2P/1RB4R b q - 6 14",
        "r3kbr1/3q1p1p/1p4p1/N3p3/7n/3PP1P1/PP1BK2P/R3Q1NR b - - 0 25",
        "1nb2b2/2qkp3/r1p2p2/3rR3/ppP3p1/1P1PPQ2/P4P2/RN2KBN1 w - - 4 29",
        "1nkq3r/1b2n1pp/r1p5/p2pp1p1/1PPB2Pb/N2P1P1P/PK2P3/R3QBR1 b - - 0 23",
    ):
        start(worker, fen, NO_NODE_LIMIT)
        answer = reported(worker, 10, NO_NODE_LIMIT)
        if worker.stop:  # else no other move failed high, with these constants
            answers.append(answer)
    assert answers == failed_high != []


@pytest.mark.parametrize("node_limit", [1, 40])
def test_a_stopped_search_leaves_the_position_as_it_was(worker: Worker, node_limit: int) -> None:
    start(worker, KIWIPETE, node_limit)
    set_all_root_moves(worker)
    deepen(worker, MAX_DEPTH, NO_NODE_LIMIT)
    assert to_fen(worker.position) == KIWIPETE
    assert worker.position.ply == 0


@pytest.mark.jit_only  # many searches
def test_no_search_makes_more_moves_than_it_may(worker: Worker) -> None:
    for node_limit in range(1000, 1400, 10):
        start(worker, KIWIPETE, node_limit)
        set_all_root_moves(worker)
        deepen(worker, MAX_DEPTH, NO_NODE_LIMIT)
        assert int(worker.nodes) == node_limit
