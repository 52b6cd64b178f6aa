"""Quiescence: at least what standing pat is worth, unless in check; captures only if they pay."""

from __future__ import annotations

import pytest

from engine.board.constants import MAX_PLY
from engine.board.fen import START
from engine.board.makemove import make, unmake
from engine.board.move import NO_MOVE, is_quiet
from engine.board.notation import legal_moves, move_text, parse_move, square_index
from engine.board.see import SEE_VALUES
from engine.eval.evaluate import evaluate
from engine.native import jit
from engine.scores import INFINITE, MATE, NO_SCORE
from engine.search.params import Params
from engine.search.quiescence import quiescence
from engine.search.state import Worker
from engine.search.tt import LOWER, STATIC_DEPTH, UPPER, entry_bound, entry_depth, probe, store
from tests.engine.search.handles import CHECKS, TACTICAL, best_line, in_check, set_up
from tests.reference.random_fens import random_fens

PLY = 2
COUNT = 10 if jit.INTERPRETED else 150
FENS = (*CHECKS, *TACTICAL, *random_fens(COUNT, seed=6))
PAWN, QUEEN = SEE_VALUES[0], SEE_VALUES[4]


def value(worker: Worker, fen: str, alpha: int = -INFINITE, beta: int = INFINITE) -> int:
    worker.tt.clusters.memory[:] = 0
    set_up(worker, fen)
    worker.nodes = worker.stop = 0
    return int(quiescence(worker, alpha, beta, PLY, 0))


def static_eval(worker: Worker) -> int:
    return int(evaluate(worker.position, worker.evaluator))


def test_standing_pat_is_always_possible_but_in_check(worker: Worker) -> None:
    better = 0
    for fen in FENS:
        found = value(worker, fen)
        if not in_check(worker):
            assert found >= static_eval(worker), fen
            better += found > static_eval(worker)
    assert better > 3  # captures that pay


@pytest.mark.parametrize(
    "fen",
    [
        START,
        "4k3/pppp4/8/8/8/8/4PPPP/4K3 w - - 0 1",
        "4k3/8/2p5/3p4/8/8/8/3QK3 w - - 0 1",  # a defended pawn
        "4k3/8/2p5/3n4/8/8/8/3QK3 w - - 0 1",  # a defended knight
        "3rk3/8/8/3p4/8/8/8/3RK3 w - - 0 1",
    ],
)
def test_no_capture_that_loses_is_made(worker: Worker, fen: str) -> None:
    assert value(worker, fen) == static_eval(worker)
    assert best_line(worker, PLY) == []


@pytest.mark.parametrize(
    "fen, capture",
    [
        ("4k3/8/8/3q4/8/8/8/3RK3 w - - 0 1", "d1d5"),
        ("3rk3/8/8/8/8/2b5/8/3Q1K2 b - - 0 1", "d8d1"),
        ("4k3/5ppp/2p5/3q4/8/8/5PPP/3RK3 w - - 0 1", "d1d5"),  # defended, but worth more
    ],
)
def test_a_hanging_queen_is_taken(worker: Worker, fen: str, capture: str) -> None:
    gained = value(worker, fen) - static_eval(worker)
    assert gained > PAWN  # the network sees the threat, and has counted a part of it
    assert move_text(best_line(worker, PLY)[0], False) == capture


def test_a_promotion_is_seen(worker: Worker) -> None:
    fen = "8/P3k3/8/8/8/8/4K3/8 w - - 0 1"
    assert value(worker, fen) - static_eval(worker) > 2 * PAWN
    assert move_text(best_line(worker, PLY)[0], False) == "a7a8q"


def test_a_mate_on_the_board_is_one(worker: Worker) -> None:
    assert value(worker, "R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1") == PLY - MATE


def test_in_check_the_only_evasion_is_found_though_it_is_quiet(worker: Worker) -> None:
    fen = "7k/6pp/8/8/8/8/1q6/R6K b - - 0 1"
    set_up(worker, fen)
    make(worker.position, parse_move(worker.position, worker.lists, "b2a1"))
    assert in_check(worker)
    moves = legal_moves(worker.position, worker.lists)
    assert moves and all(is_quiet(move) for move in moves)
    worker.nodes = 0
    found = int(quiescence(worker, -INFINITE, INFINITE, PLY, 0))
    unmake(worker.position)
    assert -MATE // 2 < found < 0 and worker.nodes > 0


def test_what_is_above_beta_costs_no_node(worker: Worker) -> None:
    for fen in FENS:
        set_up(worker, fen)
        if in_check(worker):
            continue
        here = static_eval(worker)
        assert value(worker, fen, here - 1, here) == here, fen
        assert worker.nodes == 0


def test_the_line_is_legal_and_of_captures(worker: Worker) -> None:
    lines = 0
    for fen in FENS:
        value(worker, fen)
        for move in best_line(worker, PLY):
            assert move in legal_moves(worker.position, worker.lists), fen
            assert in_check(worker) or not is_quiet(move), fen
            make(worker.position, move)
            lines += 1
    assert lines > 10


@pytest.mark.parametrize(
    "fen", ["8/8/4k3/8/8/4KN2/8/8 w - - 0 1", "4k3/8/8/8/8/8/8/QQQ1K3 w - - 100 80"]
)
def test_draws_are_draws(worker: Worker, fen: str) -> None:
    assert value(worker, fen) == 0


def test_a_repetition_is_a_draw(worker: Worker) -> None:
    """A queen and two pawns for a rook: Black would not want it."""
    set_up(worker, "6k1/5p1p/8/q7/8/8/8/1R5K w - - 0 1")
    for text in ("b1b2", "g8g7", "b2b1", "g7g8"):
        make(worker.position, parse_move(worker.position, worker.lists, text))
    assert quiescence(worker, -INFINITE, INFINITE, 5, 0) == 0
    assert quiescence(worker, -INFINITE, INFINITE, 4, 0) < -2 * PAWN  # that was the root


def test_who_can_go_back_has_a_draw_in_hand(worker: Worker) -> None:
    set_up(worker, "6k1/8/8/q7/8/8/8/1R5K b - - 0 1")
    for text in ("g8g7", "b1b2", "g7g8"):  # and now b2b1 repeats the first position
        make(worker.position, parse_move(worker.position, worker.lists, text))
    assert quiescence(worker, -INFINITE, 0, 4, 0) == 0
    assert quiescence(worker, -INFINITE, 0, 3, 0) < 0  # which was the root


def test_a_stopped_search_returns_at_once(worker: Worker) -> None:
    set_up(worker, TACTICAL[0])
    worker.nodes, worker.stop = 0, 1
    assert quiescence(worker, -INFINITE, INFINITE, PLY, 0) == 0 and worker.nodes == 0
    worker.stop, worker.node_limit = 0, 5
    quiescence(worker, -INFINITE, INFINITE, PLY, 0)
    assert worker.nodes == 5 and worker.stop == 1


def test_at_the_end_of_the_stack_the_evaluation_counts(worker: Worker) -> None:
    set_up(worker, "4k3/8/8/3q4/8/8/8/3RK3 w - - 0 1")
    assert quiescence(worker, -INFINITE, INFINITE, MAX_PLY, 0) == static_eval(worker)
    set_up(worker, CHECKS[0])
    assert quiescence(worker, -INFINITE, INFINITE, MAX_PLY, 0) == 0


def test_a_quiet_check_may_mate_at_the_horizon(worker: Worker) -> None:
    """Not if it failed after both earlier moves, nor a ply beyond the horizon."""
    set_up(worker, "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    for history, depth, mates in ((0, 0, True), (-1, 0, False), (0, -1, False)):
        worker.tt.clusters.memory[:] = 0
        worker.continuations[...] = history
        score = quiescence(worker, -INFINITE, INFINITE, PLY, depth)
        assert (score == MATE - PLY - 1) == mates


def test_what_is_known_is_not_searched_again(worker: Worker) -> None:
    fen = TACTICAL[0]
    exact = value(worker, fen)
    assert worker.nodes > 0
    worker.nodes = 0
    set_up(worker, fen)
    assert quiescence(worker, exact - 1, exact, PLY, 0) == exact
    assert quiescence(worker, exact, exact + 1, PLY, 0) == exact
    assert worker.nodes == 0


def test_a_score_of_the_table_is_better_known_than_the_evaluation(worker: Worker) -> None:
    fen = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"  # nothing to capture: the score is that of standing pat
    here = value(worker, fen)
    assert here == static_eval(worker)
    key = worker.position.snapshots[0].key

    def with_entry(score: int, bound: int) -> int:
        worker.tt.clusters.memory[:] = 0
        store(worker.tt, key, PLY, NO_MOVE, score, NO_SCORE, 0, bound, False)
        return int(quiescence(worker, here - 200, here + 200, PLY, 0))

    assert with_entry(here + 50, LOWER) == here + 50
    assert with_entry(here - 50, UPPER) == here - 50
    assert with_entry(here - 50, LOWER) == here  # says nothing new
    assert with_entry(here + 50, UPPER) == here
    assert with_entry(MATE - 20, LOWER) == here  # nobody mates by standing pat


def test_after_the_first_captures_only_recaptures_count(worker: Worker, params: Params) -> None:
    """Pawns attack three knights. As White's queen is lost then, none of them raises the score."""
    fen = "1kr5/8/8/8/n2n2n1/1P2PP2/8/2Q1K3 w - - 0 1"

    def nodes_with(captures: int, last_to: str = "") -> int:
        params.quiescence_moves = captures
        worker.tt.clusters.memory[:] = 0
        set_up(worker, fen)
        if last_to:
            worker.position.snapshots[0].move = square_index(last_to) << 6
        worker.nodes = 0
        quiescence(worker, -INFINITE, INFINITE, PLY, 0)
        return int(worker.nodes)

    assert nodes_with(1) < nodes_with(2) < nodes_with(3) <= nodes_with(8)
    recaptures = [nodes_with(1, last_to) for last_to in ("a4", "d4", "g4")]
    assert sum(nodes > nodes_with(1) for nodes in recaptures) >= 2  # one of them is the first one


def test_standing_pat_leaves_a_deep_entry_alone(worker: Worker) -> None:
    fen = TACTICAL[0]
    set_up(worker, fen)
    key = worker.position.snapshots[0].key
    here = static_eval(worker)
    store(worker.tt, key, PLY, 77, 9999, NO_SCORE, 3, UPPER, False)  # decides nothing
    assert quiescence(worker, here - 1, here, PLY, 0) == here
    assert entry_depth(probe(worker.tt, key)) == 3
    worker.tt.clusters.memory[:] = 0
    assert quiescence(worker, here - 1, here, PLY, 0) == here
    stored = probe(worker.tt, key)
    assert (entry_depth(stored), entry_bound(stored)) == (STATIC_DEPTH, LOWER)


def test_every_capture_of_a_checker_is_tried(worker: Worker) -> None:
    value(worker, "4k3/8/8/8/8/3n4/2P1P3/3QKB2 w - - 0 1")
    assert in_check(worker) and worker.nodes >= 3
