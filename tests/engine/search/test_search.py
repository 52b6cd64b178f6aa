"""The search as a whole: mates, draws, reproducibility, limits of its memory."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

import pytest

from engine.board.fen import START, set_fen
from engine.board.makemove import make, unmake
from engine.board.move import NO_MOVE
from engine.board.notation import legal_moves, move_text, parse_move
from engine.eval.evaluate import evaluate
from engine.native import jit
from engine.scores import INFINITE, MATE, NO_SCORE
from engine.search.iterations import Iterations
from engine.search.negamax import negamax, probcut
from engine.search.node import improvement_of
from engine.search.params import new_params, tunables
from engine.search.root_moves import set_root_moves
from engine.search.shared import forget_game, full_width
from engine.search.state import Worker
from engine.search.tt import EXACT, UPPER


def search(worker: Worker, fen: str, depth: int, multi_pv: int = 1) -> Iterations:
    set_fen(worker.position, fen)
    set_root_moves(worker, legal_moves(worker.position, worker.lists))
    worker.nodes = worker.stop = 0
    iterations = Iterations(worker, multi_pv)
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
def test_mates_are_found_with_their_length(worker: Worker, fen: str, move: str, plies: int) -> None:
    line = search(worker, fen, plies + 4).lines[0]
    assert line.score == MATE - plies
    assert move_text(line.moves[0], False) == move
    assert len(line.moves) == plies


def test_a_quiet_way_to_mate_is_found(worker: Worker) -> None:
    """The full width shows the shortest mate at once; pruning may see a longer one first."""
    fen = "k7/8/2K5/8/8/8/8/1R6 w - - 0 1"
    with full_width(worker):
        line = search(worker, fen, 4).lines[0]
    assert line.score == MATE - 3
    assert move_text(line.moves[0], False) == "c6c7"
    if not jit.INTERPRETED:
        assert search(worker, fen, 12).lines[0].score >= MATE - 7


def test_the_side_that_is_mated_holds_out(worker: Worker) -> None:
    depth = 4 if jit.INTERPRETED else 8
    with full_width(worker) if jit.INTERPRETED else nullcontext():
        line = search(worker, "k7/2K5/8/8/8/8/8/1R6 b - - 0 1", depth).lines[0]
    assert line.score == -(MATE - 2)


def test_stalemate_and_bare_kings_are_draws(worker: Worker) -> None:
    # Either Black stalemates White or loses the pawn.
    assert search(worker, "8/8/8/8/8/1k6/p7/K7 b - - 0 1", 4).lines[0].score == 0


def test_the_fifty_move_rule_is_a_draw(worker: Worker) -> None:
    # A rook ahead, but the next move without a capture ends the game.
    assert search(worker, "7k/8/8/8/8/8/8/K6R b - - 99 80", 3).lines[0].score == 0


def test_the_same_search_twice_has_the_same_nodes(worker: Worker) -> None:
    depth = 5 if jit.INTERPRETED else 9
    counts = []
    for _ in range(2):
        worker.tt.generation = 0
        search(worker, START, depth)
        counts.append(int(worker.nodes))
        forget_game(worker)
        worker.tt.clusters.memory[:] = 0
    assert counts[0] == counts[1] > 100


def test_several_lines_are_different_and_ordered(worker: Worker) -> None:
    lines = search(worker, START, 3 if jit.INTERPRETED else 7, multi_pv=4).lines
    assert len({line.moves[0] for line in lines}) == 4
    assert [line.score for line in lines] == sorted((line.score for line in lines), reverse=True)


def test_a_stopped_iteration_corrects_the_last_one(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it found counts, and an old line is not above a new one that beat it."""
    iterations = search(worker, START, 2, multi_pv=4)
    first, second, third, fourth = (line.moves[0] for line in iterations.lines)
    old = dict(zip((first, second, third, fourth), (50, 40, 30, 20), strict=True))
    iterations.lines = [replace(line, score=old[line.moves[0]]) for line in iterations.lines]

    def stopped(worker: Worker, depth: int) -> bool:
        """The second move falls to 10 and the third is better; the first fails against 10."""
        for root_move in (worker.root_moves[index] for index in range(worker.root_count)):
            found = {first: (-INFINITE, 10), second: (10, 10), third: (25, 25)}
            if int(root_move.move) in found:
                root_move.score, root_move.ceiling = found[int(root_move.move)]
        worker.stop = 1
        return False

    monkeypatch.setattr("engine.search.iterations.search_window", stopped)
    assert not iterations.search(3)
    known = [(line.moves[0], line.score, line.depth, line.bound) for line in iterations.lines]
    assert known == [
        (third, 25, 3, EXACT),
        (fourth, 20, 2, EXACT),
        (second, 10, 3, EXACT),
        (first, 10, 3, UPPER),
    ]


def test_only_the_given_root_moves_are_searched(worker: Worker) -> None:
    set_fen(worker.position, "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    moves = legal_moves(worker.position, worker.lists)
    allowed = [move for move in moves if move_text(move, False) in ("a1a2", "g2g3")]
    set_root_moves(worker, allowed)
    iterations = Iterations(worker, 1)
    assert iterations.search(3)
    assert iterations.lines[0].moves[0] in allowed


def test_a_node_limit_is_exact(worker: Worker) -> None:
    for limit in (1, 50, 777):
        set_fen(worker.position, START)
        moves = legal_moves(worker.position, worker.lists)
        set_root_moves(worker, moves)
        worker.nodes = worker.stop = 0
        worker.node_limit = limit
        iterations = Iterations(worker, 1)
        depth = 1
        while iterations.search(depth):
            depth += 1
        assert worker.nodes == limit
        assert iterations.lines[0].moves[0] in moves


def test_a_stopped_iteration_keeps_what_its_first_move_proved(worker: Worker) -> None:
    """Even if no other move was searched to its end."""
    kept = []
    for limit in range(100, 700, 50) if jit.INTERPRETED else range(100, 3000, 10):
        set_fen(worker.position, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
        set_root_moves(worker, legal_moves(worker.position, worker.lists))
        worker.nodes = worker.stop = 0
        worker.tt.clusters.memory[:] = 0
        worker.node_limit = limit
        iterations = Iterations(worker, 1)
        depth = 1
        while iterations.search(depth):
            depth += 1
        if worker.root_best == 0:
            kept.append(iterations.lines[0].depth == depth)
    assert kept and all(kept)


def test_the_selective_depth_is_that_of_open_windows(worker: Worker) -> None:
    set_fen(worker.position, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    worker.selective_depth = 0
    negamax(worker, -INFINITE, 1 - INFINITE, 1, 5, False)
    assert worker.selective_depth == 0
    negamax(worker, -INFINITE, INFINITE, 1, 5, False)
    assert worker.selective_depth >= 5


def test_who_improves_is_better_off_than_when_last_not_in_check(worker: Worker) -> None:
    for ply, static_eval in enumerate((10, NO_SCORE, NO_SCORE, 0)):
        worker.stack[ply].static_eval = static_eval

    def improvement(ply: int, static_eval: int) -> int:
        worker.stack[ply].static_eval = static_eval
        return int(improvement_of(worker, ply))

    assert improvement(4, 11) == 1 and improvement(4, 10) == 0
    assert improvement(2, 11) == 1
    assert improvement(3, -500) > 0  # in check at ply 1, and no move before


@pytest.mark.skipif(not jit.INTERPRETED, reason="to compile the search takes longer than this")
@pytest.mark.usefixtures("wrap_around")
def test_probcut_wants_a_capture_that_holds_in_quiescence_too(worker: Worker) -> None:
    """After Rxa4 Black may take the queen; that this allows a mate, only a deeper search sees."""
    set_fen(worker.position, "6k1/5ppp/5n2/3Q4/p7/8/8/R3K3 w - - 0 1")
    make(worker.position, parse_move(worker.position, worker.lists, "a1a4"))
    bound = -evaluate(worker.position, worker.evaluator)  # Black, who stands pat, reaches it just
    unmake(worker.position)
    worker.nodes = worker.stop = 0
    worker.stack[1].static_eval = bound
    with full_width(worker):
        worker.params.quiesce = 1
        assert probcut(worker, 1, 8, bound, NO_MOVE, bound, True) == NO_SCORE


def test_every_tunable_lies_in_its_range() -> None:
    params = new_params()
    assert len(tunables()) > 5
    for name, values in tunables().items():
        assert values.minimum < values.maximum and values.step > 0, name
        assert values.minimum <= getattr(params, name) <= values.maximum, name


def test_a_line_holds_no_moves_of_an_older_one(worker: Worker) -> None:
    """Near a mate, nodes of the principal variation have children with null windows."""
    set_fen(worker.position, "k7/8/2K5/8/8/8/8/1R6 w - - 0 1")
    set_root_moves(worker, legal_moves(worker.position, worker.lists))
    worker.nodes = worker.stop = worker.root_first = 0
    worker.root_depth = 4
    for frame in worker.stack:
        frame.pv_length = 9  # left behind by another search
    with full_width(worker):
        assert negamax(worker, MATE - 4, INFINITE, 4, 0, False) == MATE - 3
    best = worker.root_moves[worker.root_best]
    assert move_text(int(best.move), False) == "c6c7"
    assert best.pv_length == 3
