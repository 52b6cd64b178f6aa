"""The search as a whole: mates, draws, reproducibility, limits of its memory."""

from __future__ import annotations

import pytest

from engine.board.fen import START, set_fen
from engine.board.notation import legal_moves, move_text
from engine.native import jit
from engine.scores import INFINITE, MATE
from engine.search.iterations import Iterations
from engine.search.negamax import negamax
from engine.search.params import new_params, tunables
from engine.search.root_moves import set_root_moves
from engine.search.shared import forget_game, full_width
from engine.search.state import SearchThread


def search(thread: SearchThread, fen: str, depth: int, multi_pv: int = 1) -> Iterations:
    set_fen(thread.position, fen)
    set_root_moves(thread, legal_moves(thread.position, thread.lists))
    thread.nodes = thread.stop = 0
    iterations = Iterations(thread, multi_pv)
    for current in range(1, depth + 1):
        assert iterations.search(current)
    return iterations


@pytest.mark.parametrize(
    "fen, move, plies",
    [
        ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "a1a8", 1),
        ("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 0 1", "f3f7", 1),
        ("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", "g1g7", 1),
        ("6k1/R7/8/8/8/8/8/1R4K1 w - - 0 1", "b1b8", 1),
    ],
)
def test_mates_are_found_with_their_length(
    thread: SearchThread, fen: str, move: str, plies: int
) -> None:
    line = search(thread, fen, plies + 4).lines[0]
    assert line.score == MATE - plies
    assert move_text(line.moves[0], False) == move
    assert len(line.moves) == plies


def test_a_quiet_way_to_mate_is_found(thread: SearchThread) -> None:
    """The full width shows the shortest mate at once; pruning may see a longer one first."""
    fen = "k7/8/2K5/8/8/8/8/1R6 w - - 0 1"
    with full_width(thread):
        line = search(thread, fen, 4).lines[0]
    assert line.score == MATE - 3
    assert move_text(line.moves[0], False) == "c6c7"
    if not jit.INTERPRETED:
        assert search(thread, fen, 12).lines[0].score >= MATE - 7


def test_the_side_that_is_mated_holds_out(thread: SearchThread) -> None:
    line = search(thread, "k7/2K5/8/8/8/8/8/1R6 b - - 0 1", 4).lines[0]
    assert line.score == -(MATE - 2)


def test_stalemate_and_bare_kings_are_draws(thread: SearchThread) -> None:
    # Either Black stalemates White or loses the pawn.
    assert search(thread, "8/8/8/8/8/1k6/p7/K7 b - - 0 1", 4).lines[0].score == 0


def test_the_fifty_move_rule_is_a_draw(thread: SearchThread) -> None:
    # A rook ahead, but the next move without a capture ends the game.
    assert search(thread, "7k/8/8/8/8/8/8/K6R b - - 99 80", 3).lines[0].score == 0


def test_the_same_search_twice_has_the_same_nodes(thread: SearchThread) -> None:
    depth = 3 if jit.INTERPRETED else 9
    counts = []
    for _ in range(2):
        thread.tt.generation = 0
        search(thread, START, depth)
        counts.append(int(thread.nodes))
        forget_game(thread)
        thread.tt.clusters.memory[:] = 0
    assert counts[0] == counts[1] > 100


def test_several_lines_are_different_and_ordered(thread: SearchThread) -> None:
    lines = search(thread, START, 3 if jit.INTERPRETED else 7, multi_pv=4).lines
    assert len({line.moves[0] for line in lines}) == 4
    assert [line.score for line in lines] == sorted((line.score for line in lines), reverse=True)


def test_only_the_given_root_moves_are_searched(thread: SearchThread) -> None:
    set_fen(thread.position, "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    moves = legal_moves(thread.position, thread.lists)
    allowed = [move for move in moves if move_text(move, False) in ("a1a2", "g2g3")]
    set_root_moves(thread, allowed)
    iterations = Iterations(thread, 1)
    assert iterations.search(3)
    assert iterations.lines[0].moves[0] in allowed


def test_a_node_limit_is_exact(thread: SearchThread) -> None:
    for limit in (1, 50, 777):
        set_fen(thread.position, START)
        moves = legal_moves(thread.position, thread.lists)
        set_root_moves(thread, moves)
        thread.nodes = thread.stop = 0
        thread.node_limit = limit
        iterations = Iterations(thread, 1)
        depth = 1
        while iterations.search(depth):
            depth += 1
        assert thread.nodes == limit
        assert iterations.lines[0].moves[0] in moves


def test_a_stopped_iteration_keeps_what_its_first_move_proved(thread: SearchThread) -> None:
    """Even if no other move was searched to its end."""
    kept = []
    for limit in range(100, 500, 50 if jit.INTERPRETED else 10):
        set_fen(thread.position, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
        set_root_moves(thread, legal_moves(thread.position, thread.lists))
        thread.nodes = thread.stop = 0
        thread.tt.clusters.memory[:] = 0
        thread.node_limit = limit
        iterations = Iterations(thread, 1)
        depth = 1
        while iterations.search(depth):
            depth += 1
        if thread.root_best == 0:
            kept.append(iterations.lines[0].depth == depth)
    assert kept and all(kept)


def test_the_selective_depth_is_that_of_open_windows(thread: SearchThread) -> None:
    set_fen(thread.position, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    thread.selective_depth = 0
    negamax(thread, -INFINITE, 1 - INFINITE, 1, 5, False)
    assert thread.selective_depth == 0
    negamax(thread, -INFINITE, INFINITE, 1, 5, False)
    assert thread.selective_depth >= 5


def test_every_tunable_lies_in_its_range() -> None:
    params = new_params()
    assert len(tunables()) > 5
    for name, values in tunables().items():
        assert values.minimum < values.maximum and values.step > 0, name
        assert values.minimum <= getattr(params, name) <= values.maximum, name


def test_a_line_holds_no_moves_of_an_older_one(thread: SearchThread) -> None:
    """Near a mate, nodes of the principal variation have children with null windows."""
    set_fen(thread.position, "k7/8/2K5/8/8/8/8/1R6 w - - 0 1")
    set_root_moves(thread, legal_moves(thread.position, thread.lists))
    thread.nodes = thread.stop = thread.root_first = 0
    thread.root_depth = 4
    for frame in thread.stack:
        frame.pv_length = 9  # left behind by another search
    with full_width(thread):
        assert negamax(thread, MATE - 4, INFINITE, 4, 0, False) == MATE - 3
    best = thread.root_moves[thread.root_best]
    assert move_text(int(best.move), False) == "c6c7"
    assert best.pv_length == 3
