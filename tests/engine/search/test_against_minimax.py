"""Alpha-beta has the value of minimax, and so has the engine's search without selective parts."""

from __future__ import annotations

import random

import chess
import pytest

from engine.board.fen import set_fen
from engine.board.notation import legal_moves
from engine.native import jit
from engine.scores import DRAW, INFINITE
from engine.search import textbook
from engine.search.negamax import negamax
from engine.search.root_moves import set_all_root_moves, set_root_moves
from engine.search.shared import full_width
from engine.search.state import Worker
from tests.reference import minimax as reference
from tests.reference.random_fens import random_ending, random_move

PLAIN_COUNT = 2 if jit.INTERPRETED else 30
COMPILED_COUNT = 3 if jit.INTERPRETED else 40


def random_positions(count: int) -> list[tuple[str, int]]:
    """Positions with a depth: 4 where there are few moves, else 3; all phases, checks and mates."""
    rng = random.Random(11)
    chosen: list[tuple[str, int]] = []
    while len(chosen) < count:
        board = chess.Board()
        for _ in range(rng.randrange(2, 160)):
            move = random_move(board, rng)
            if move is None:
                break
            board.push(move)
        if not board.is_game_over():
            few = board.legal_moves.count() <= 16
            chosen.append((board.fen(), 4 if few else 3))
    return chosen


def unselective(worker: Worker, depth: int) -> int:
    """The engine's own search with everything selective switched off."""
    set_root_moves(worker, legal_moves(worker.position, worker.lists))
    with full_width(worker):
        for current in range(1, depth + 1):  # earlier iterations fill the table and histories
            worker.root_depth = current
            score = negamax(worker, -INFINITE, INFINITE, current, 0, False)
    return int(score)


def test_plain_python_and_engine_agree(worker: Worker) -> None:
    for fen, depth in random_positions(PLAIN_COUNT):
        set_fen(worker.position, fen)
        depth = min(depth - 1, 2) if jit.INTERPRETED else depth - 1
        value = reference.minimax(worker, depth)
        assert reference.alpha_beta(worker, depth) == value, fen
        assert unselective(worker, depth) == value, fen


def test_compiled_minimax_alpha_beta_and_engine_agree(worker: Worker) -> None:
    for fen, depth in random_positions(COMPILED_COUNT):
        set_fen(worker.position, fen)
        depth = min(depth, 2) if jit.INTERPRETED else depth
        value = textbook.minimax(worker, depth, 0)
        assert textbook.alpha_beta(worker, -INFINITE, INFINITE, depth, 0) == value, fen
        assert unselective(worker, depth) == value, fen


@pytest.mark.jit_only
def test_the_table_claims_no_draw_and_no_win_that_the_fifty_move_rule_forbids(
    worker: Worker,
) -> None:
    """Though it remembers searches of the same positions with the clock at other values."""
    rng = random.Random(4)
    draws = wins = 0
    with full_width(worker):
        worker.params.table_cutoffs = 1
        for _ in range(15):
            fields = random_ending(rng).split()
            for clock in rng.sample([0, *range(93, 100)], 8):
                set_fen(worker.position, " ".join([*fields[:4], str(clock), "90"]))
                value = textbook.alpha_beta(worker, -INFINITE, INFINITE, 5, 0)
                set_all_root_moves(worker)
                for depth in range(1, 6):
                    worker.root_depth = depth
                    found = negamax(worker, -INFINITE, INFINITE, depth, 0, False)
                assert (found == DRAW) == (value == DRAW), (fields, clock)
                draws, wins = draws + (value == DRAW), wins + (abs(value) > 1000)
    assert draws > 20 and wins > 20


@pytest.mark.jit_only
def test_alpha_beta_looks_at_far_fewer_nodes(worker: Worker) -> None:
    set_fen(worker.position, "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4")
    worker.nodes = 0
    textbook.minimax(worker, 4, 0)
    minimax_nodes = int(worker.nodes)
    worker.nodes = 0
    textbook.alpha_beta(worker, -INFINITE, INFINITE, 4, 0)
    alpha_beta_nodes = int(worker.nodes)
    worker.nodes = 0
    unselective(worker, 4)
    assert alpha_beta_nodes < minimax_nodes / 5
    assert int(worker.nodes) < alpha_beta_nodes / 2
