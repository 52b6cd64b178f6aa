"""Endings with a known result, compared with tablebases where these are there."""

from __future__ import annotations

import random
from pathlib import Path

import chess
import chess.syzygy
import pytest

from engine.board.fen import set_fen
from engine.eval.evaluate import evaluate
from engine.eval.known_endings import KNOWN_WIN, UNKNOWN, known_result
from engine.native import jit
from engine.search.state import Worker

COUNT = 100 if jit.INTERPRETED else 1000


def random_position(rng: random.Random, pieces: str) -> chess.Board:
    while True:
        board = chess.Board(None)
        for letter, square in zip(pieces, rng.sample(range(64), len(pieces)), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = rng.random() < 0.5
        if board.is_valid() and not board.is_check():
            return board


@pytest.mark.parametrize("pieces", ["KPk", "Kkp"])
def test_king_and_pawn_against_king(worker: Worker, tablebases: Path, pieces: str) -> None:
    rng = random.Random(1)
    with chess.syzygy.open_tablebase(str(tablebases)) as tablebase:
        for _ in range(COUNT):
            board = random_position(rng, pieces)
            truth = tablebase.probe_wdl(board)
            set_fen(worker.position, board.fen())
            score = int(evaluate(worker.position, worker.evaluator))
            assert (score > 0) - (score < 0) == (truth > 0) - (truth < 0), board.fen()


@pytest.mark.parametrize("pieces", ["KNNk", "KBk", "KNk", "knnK"])
def test_what_cannot_mate_is_a_draw(worker: Worker, pieces: str) -> None:
    rng = random.Random(2)
    for _ in range(20):
        set_fen(worker.position, random_position(rng, pieces).fen())
        assert evaluate(worker.position, worker.evaluator) == 0


@pytest.mark.parametrize("pieces", ["KQk", "KRk", "KBNk", "KQPk", "KBBNk", "kqK", "kbnK"])
def test_what_mates_is_known_to_win(worker: Worker, pieces: str) -> None:
    rng = random.Random(3)
    for _ in range(20):
        set_fen(worker.position, random_position(rng, pieces).fen())
        result = known_result(worker.position, worker.evaluator.kpk)
        assert (result if pieces[0] == "K" else -result) >= KNOWN_WIN


def test_bishop_and_knight_drive_to_the_right_corner(worker: Worker) -> None:
    """A dark bishop wants a1 or h8, a light one a8 or h1."""

    def score(bare: str, bishop: str) -> int:
        board = chess.Board(None)
        for name, letter in ((bare, "k"), (bishop, "B"), ("e4", "K"), ("d4", "N")):
            board.set_piece_at(chess.parse_square(name), chess.Piece.from_symbol(letter))
        board.turn = chess.BLACK
        set_fen(worker.position, board.fen())
        return -int(evaluate(worker.position, worker.evaluator))

    assert score("h8", "e3") > score("a8", "e3")
    assert score("a8", "e2") > score("h8", "e2")
    assert score("a1", "e3") > score("d7", "e3")


def test_bishops_of_one_colour_do_not_win(worker: Worker) -> None:
    set_fen(worker.position, "7k/8/8/8/4B3/3B4/8/K7 w - - 0 1")
    assert evaluate(worker.position, worker.evaluator) == 0


def test_the_wrong_bishop_for_a_rook_pawn(worker: Worker) -> None:
    wrong, right = "k7/8/8/P7/8/4B3/8/4K3 w - - 0 1", "k7/8/8/P7/8/3B4/8/4K3 w - - 0 1"
    set_fen(worker.position, wrong)
    here = int(evaluate(worker.position, worker.evaluator))
    set_fen(worker.position, right)
    assert here == 0 and evaluate(worker.position, worker.evaluator) != 0


def test_a_knight_beside_a_rook_pawn_is_no_draw(worker: Worker) -> None:
    set_fen(worker.position, "k7/8/8/P7/8/4N3/8/4K3 w - - 0 1")
    assert known_result(worker.position, worker.evaluator.kpk) == UNKNOWN


def test_other_endings_are_not_known(worker: Worker) -> None:
    for fen in ("8/8/4k3/3p4/3P4/4K3/8/8 w - - 0 1", "8/8/4k3/8/3PP3/4K3/8/8 w - - 0 1"):
        set_fen(worker.position, fen)
        assert known_result(worker.position, worker.evaluator.kpk) == UNKNOWN


def test_a_score_shrinks_towards_the_fifty_move_rule(worker: Worker) -> None:
    scores = []
    for clock in (0, 50, 99):
        set_fen(worker.position, f"4k3/8/8/8/8/8/3R4/4K3 w - - {clock} 60")
        scores.append(int(evaluate(worker.position, worker.evaluator)))
    assert scores[0] > scores[1] > scores[2] > 0
