"""Games that the engine judges as `wadjet analyse` does: what players know must come out."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import chess
import chess.pgn
import pytest

from uci.analysis.batch import GAME_LIMITS, Analysts
from uci.analysis.judgement import Mark, MoveReview, Review, review
from uci.analysis.lines import Analysis

pytestmark = pytest.mark.jit_only
QUEEN_DOWN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1"


Judge = Callable[..., Review]


@pytest.fixture(scope="module")
def judged() -> Judge:
    """A function that judges moves, from the start or from a FEN."""
    analysts, known = Analysts(2), dict[str, Analysis]()

    def judged(moves: str, fen: str = chess.STARTING_FEN) -> Review:
        setup = "" if fen == chess.STARTING_FEN else f'[SetUp "1"]\n[FEN "{fen}"]\n\n'
        game = chess.pgn.read_game(io.StringIO(f"{setup}{moves} *"))
        assert game is not None and not game.errors
        # What precedes a position changes nothing here: none is repeated.
        fens = {node: node.board().fen() for node in (game, *game.mainline())}
        new = [node for node in fens if fens[node] not in known]
        known.update((fens[node], found) for node, found in analysts.analyse(new, GAME_LIMITS))
        return review(game, [known[fen] for fen in fens.values()])

    return judged


def marked(moves: Sequence[MoveReview]) -> list[str]:
    return [move.name for move in moves if move.mark]


@pytest.mark.parametrize(
    "moves",
    [
        "1. e4 d5 2. exd5 Qxd5 3. Nc3 Qa5",
        "1. d4 f5 2. g3",
        "1. e4 d6 2. d4 Nf6 3. Nc3 g6",
        "1. e4 Nf6 2. e5 Nd5",
        "1. f4 d5 2. Nf3",
        "1. f4 e5 2. fxe5 d6",
        "1. e4 e5 2. f4 exf4 3. Nf3 g5",
        "1. c4 e5",
        "1. b4 e5",
        "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. b4 Bxb4",
        "1. d4 Nf6 2. c4 c5 3. d5 b5",
        "1. d4 Nf6 2. c4 e5 3. dxe5 Ng4",
    ],
)
def test_known_openings_are_not_blamed(judged: Judge, moves: str) -> None:
    found = judged(moves)
    assert [move.label for move in found.moves] == ["book"] * len(found.moves)
    assert marked(found.moves) == [] and found.accuracy(chess.WHITE) is None


def test_a_mate_is_marked_in_an_opening_that_has_a_name(judged: Judge) -> None:
    found = judged("1. f3 e5 2. g4 Qh4#")
    assert "Fool's Mate" in str(found.opening)
    assert marked(found.moves)[-1] == "2. g4??"
    assert found.moves[2].reason() == "It allows mate in 1: 2...Qh4#."
    assert found.standings[-1].words() == "Checkmate. Black has won."


def test_a_gambit_that_costs_a_mistake_is_marked(judged: Judge) -> None:
    assert marked(judged("1. e4 e5 2. Nf3 f6").moves) == ["2...f6?"]


def test_aimless_moves_a_queen_down_have_no_accuracy(judged: Judge) -> None:
    found = judged("1. a3 a6 2. h3 h6 3. b3 b6 4. g3 g6 5. Ra2 Ra7", QUEEN_DOWN)
    assert found.accuracy(chess.WHITE) is None and found.accuracy(chess.BLACK) is None
    assert Mark.BLUNDER not in [move.mark for move in found.moves]


def test_the_move_that_allows_mate_in_two_is_marked(judged: Judge) -> None:
    moves = "1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5#"
    found = judged(moves)
    assert "5...Bxd1??" in marked(found.moves)
    assert found.moves[9].reason() == "It allows mate in 2: 6. Bxf7+ Ke7 7. Nd5#."
    accuracy = found.accuracy(chess.BLACK)
    assert accuracy is None or accuracy.percent < 70
