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
from engine.search.state import SearchThread
from engine.search.tt import LOWER, UPPER, entry_bound, entry_depth, probe, store
from tests.engine.search.handles import CHECKS, TACTICAL, best_line, in_check, set_up
from tests.reference.random_fens import random_fens

PLY = 2
COUNT = 10 if jit.INTERPRETED else 150
FENS = (*CHECKS, *TACTICAL, *random_fens(COUNT, seed=6))
PAWN, QUEEN = SEE_VALUES[0], SEE_VALUES[4]


def value(thread: SearchThread, fen: str, alpha: int = -INFINITE, beta: int = INFINITE) -> int:
    thread.tt.clusters.memory[:] = 0
    set_up(thread, fen)
    thread.nodes = thread.stop = 0
    return int(quiescence(thread, alpha, beta, PLY))


def static_eval(thread: SearchThread) -> int:
    return int(evaluate(thread.position, thread.evaluator))


def test_standing_pat_is_always_possible_but_in_check(thread: SearchThread) -> None:
    better = 0
    for fen in FENS:
        found = value(thread, fen)
        if not in_check(thread):
            assert found >= static_eval(thread), fen
            better += found > static_eval(thread)
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
def test_no_capture_that_loses_is_made(thread: SearchThread, fen: str) -> None:
    assert value(thread, fen) == static_eval(thread)
    assert best_line(thread, PLY) == []


@pytest.mark.parametrize(
    "fen, capture",
    [
        ("4k3/8/8/3q4/8/8/8/3RK3 w - - 0 1", "d1d5"),
        ("3rk3/8/8/8/8/2b5/8/3Q1K2 b - - 0 1", "d8d1"),
        ("4k3/5ppp/2p5/3q4/8/8/5PPP/3RK3 w - - 0 1", "d1d5"),  # defended, but worth more
    ],
)
def test_a_hanging_queen_is_taken(thread: SearchThread, fen: str, capture: str) -> None:
    gained = value(thread, fen) - static_eval(thread)
    assert gained > PAWN  # the network sees the threat, and has counted a part of it
    assert move_text(best_line(thread, PLY)[0], False) == capture


def test_a_promotion_is_seen(thread: SearchThread) -> None:
    fen = "8/P3k3/8/8/8/8/4K3/8 w - - 0 1"
    assert value(thread, fen) - static_eval(thread) > 2 * PAWN
    assert move_text(best_line(thread, PLY)[0], False) == "a7a8q"


def test_a_mate_on_the_board_is_one(thread: SearchThread) -> None:
    assert value(thread, "R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1") == PLY - MATE


def test_in_check_the_only_evasion_is_found_though_it_is_quiet(thread: SearchThread) -> None:
    fen = "7k/6pp/8/8/8/8/1q6/R6K b - - 0 1"
    set_up(thread, fen)
    make(thread.position, parse_move(thread.position, thread.lists, "b2a1"))
    assert in_check(thread)
    moves = legal_moves(thread.position, thread.lists)
    assert moves and all(is_quiet(move) for move in moves)
    thread.nodes = 0
    found = int(quiescence(thread, -INFINITE, INFINITE, PLY))
    unmake(thread.position)
    assert -MATE // 2 < found < 0 and thread.nodes > 0


def test_what_is_above_beta_costs_no_node(thread: SearchThread) -> None:
    for fen in FENS:
        set_up(thread, fen)
        if in_check(thread):
            continue
        here = static_eval(thread)
        assert value(thread, fen, here - 1, here) == here, fen
        assert thread.nodes == 0


def test_the_line_is_legal_and_of_captures(thread: SearchThread) -> None:
    lines = 0
    for fen in FENS:
        value(thread, fen)
        for move in best_line(thread, PLY):
            assert move in legal_moves(thread.position, thread.lists), fen
            assert in_check(thread) or not is_quiet(move), fen
            make(thread.position, move)
            lines += 1
    assert lines > 10


@pytest.mark.parametrize(
    "fen", ["8/8/4k3/8/8/4KN2/8/8 w - - 0 1", "4k3/8/8/8/8/8/8/QQQ1K3 w - - 100 80"]
)
def test_draws_are_draws(thread: SearchThread, fen: str) -> None:
    assert value(thread, fen) == 0


def test_a_repetition_is_a_draw(thread: SearchThread) -> None:
    """A queen and two pawns for a rook: Black would not want it."""
    set_up(thread, "6k1/5p1p/8/q7/8/8/8/1R5K w - - 0 1")
    for text in ("b1b2", "g8g7", "b2b1", "g7g8"):
        make(thread.position, parse_move(thread.position, thread.lists, text))
    assert quiescence(thread, -INFINITE, INFINITE, 5) == 0
    assert quiescence(thread, -INFINITE, INFINITE, 4) < -2 * PAWN  # that was the root


def test_who_can_go_back_has_a_draw_in_hand(thread: SearchThread) -> None:
    set_up(thread, "6k1/8/8/q7/8/8/8/1R5K b - - 0 1")
    for text in ("g8g7", "b1b2", "g7g8"):  # and now b2b1 repeats the first position
        make(thread.position, parse_move(thread.position, thread.lists, text))
    assert quiescence(thread, -INFINITE, 0, 4) == 0
    assert quiescence(thread, -INFINITE, 0, 3) < 0  # which was the root


def test_a_stopped_search_returns_at_once(thread: SearchThread) -> None:
    set_up(thread, TACTICAL[0])
    thread.nodes, thread.stop = 0, 1
    assert quiescence(thread, -INFINITE, INFINITE, PLY) == 0 and thread.nodes == 0
    thread.stop, thread.node_limit = 0, 5
    quiescence(thread, -INFINITE, INFINITE, PLY)
    assert thread.nodes == 5 and thread.stop == 1


def test_at_the_end_of_the_stack_the_evaluation_counts(thread: SearchThread) -> None:
    set_up(thread, "4k3/8/8/3q4/8/8/8/3RK3 w - - 0 1")
    assert quiescence(thread, -INFINITE, INFINITE, MAX_PLY) == static_eval(thread)
    set_up(thread, CHECKS[0])
    assert quiescence(thread, -INFINITE, INFINITE, MAX_PLY) == 0


def test_what_is_known_is_not_searched_again(thread: SearchThread) -> None:
    fen = TACTICAL[0]
    exact = value(thread, fen)
    assert thread.nodes > 0
    thread.nodes = 0
    set_up(thread, fen)
    assert quiescence(thread, exact - 1, exact, PLY) == exact
    assert quiescence(thread, exact, exact + 1, PLY) == exact
    assert thread.nodes == 0


def test_a_score_of_the_table_is_better_known_than_the_evaluation(thread: SearchThread) -> None:
    fen = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"  # nothing to capture: the score is that of standing pat
    here = value(thread, fen)
    assert here == static_eval(thread)
    key = thread.position.snapshots[0].key

    def with_entry(score: int, bound: int) -> int:
        thread.tt.clusters.memory[:] = 0
        store(thread.tt, key, PLY, NO_MOVE, score, NO_SCORE, 0, bound, False)
        return int(quiescence(thread, here - 200, here + 200, PLY))

    assert with_entry(here + 50, LOWER) == here + 50
    assert with_entry(here - 50, UPPER) == here - 50
    assert with_entry(here - 50, LOWER) == here  # says nothing new
    assert with_entry(here + 50, UPPER) == here


def test_after_the_first_captures_only_recaptures_count(
    thread: SearchThread, params: Params
) -> None:
    """Pawns attack three knights. As White's queen is lost then, none of them raises the score."""
    fen = "1kr5/8/8/8/n2n2n1/1P2PP2/8/2Q1K3 w - - 0 1"

    def nodes_with(captures: int, last_to: str = "") -> int:
        params.quiescence_captures = captures
        thread.tt.clusters.memory[:] = 0
        set_up(thread, fen)
        if last_to:
            thread.position.snapshots[0].move = square_index(last_to) << 6
        thread.nodes = 0
        quiescence(thread, -INFINITE, INFINITE, PLY)
        return int(thread.nodes)

    assert nodes_with(1) < nodes_with(2) < nodes_with(3) == nodes_with(8)
    recaptures = [nodes_with(1, last_to) for last_to in ("a4", "d4", "g4")]
    assert sum(nodes > nodes_with(1) for nodes in recaptures) == 2  # the third is the first one


def test_standing_pat_leaves_a_deep_entry_alone(thread: SearchThread) -> None:
    fen = TACTICAL[0]
    set_up(thread, fen)
    key = thread.position.snapshots[0].key
    here = static_eval(thread)
    store(thread.tt, key, PLY, 77, 9999, NO_SCORE, 3, UPPER, False)  # decides nothing
    assert quiescence(thread, here - 1, here, PLY) == here
    assert entry_depth(probe(thread.tt, key)) == 3
    thread.tt.clusters.memory[:] = 0
    assert quiescence(thread, here - 1, here, PLY) == here
    stored = probe(thread.tt, key)
    assert (entry_depth(stored), entry_bound(stored)) == (0, LOWER)
