"""Setting up positions, and looking at them."""

from __future__ import annotations

import chess
import pytest

from engine.api import Engine
from engine.chances import half_and_spread, normalised
from engine.eval.explain import explanation
from engine.limits import Limits
from tests.engine.api.searching import go

pytestmark = pytest.mark.jit_only  # real searches


def test_the_game_before_the_position_counts_for_repetitions(engine: Engine) -> None:
    shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"]
    engine.set_position(None, shuffle * 2)
    assert engine.repetitions() == 2
    assert engine.eval_text() == "The position has occurred three times: a draw can be claimed."
    engine.set_position(None, ())
    assert engine.repetitions() == 0


def test_explanations_have_the_units_of_searches(engine: Engine) -> None:
    """A pawn more in an endgame: shown as more than a pawn, because it often wins."""
    engine.set_position("4k3/5ppp/8/8/8/8/4PPPP/3RK2r w - - 0 1", ())
    shown = engine.explanation()
    ours = explanation(engine._state.position, engine._state.workers[0].evaluator)
    material = 7 + 5 + 5
    assert shown.score == normalised(ours.score, material) != ours.score
    assert shown.network == normalised(ours.network or 0, material)
    factor = shown.shares[0].white / ours.shares[0].white
    assert factor == pytest.approx(100 / half_and_spread(material)[0])
    assert shown.words[0].endswith(f"({shown.score / 100:+.2f}).")


def test_the_third_time_is_a_draw_however_far_ahead(engine: Engine) -> None:
    """The move would repeat a position of the game for the second time; without the game before,
    the same move wins."""
    fen, limits = "7k/8/8/8/8/8/8/K2Q4 w - - 0 1", Limits(depth=6, search_moves=("d1d2",))
    engine.set_position(fen, ["d1d2", "h8g8", "d2d1", "g8h8"] * 2)
    assert go(engine, limits).infos[-1].score.centipawns == 0
    engine.new_game()
    engine.set_position(fen, ())
    score = go(engine, limits).infos[-1].score
    assert score.mate or (score.centipawns or 0) > 500


def test_rights_of_chess960_count_only_there(engine: Engine) -> None:
    """Also if the option changes after the position was set."""
    fen = "4k3/8/8/8/8/8/8/R3K1R1 w KQ - 0 1"
    for _ in range(2):
        assert "castling K ignored" in (engine.set_position(fen) or "")
    assert engine.fen() == "4k3/8/8/8/8/8/8/R3K1R1 w Q - 0 1"
    assert "e1c1" in engine.legal_moves() and "e1g1" not in engine.legal_moves()
    engine.configure(chess960=True)
    assert engine.fen() == "4k3/8/8/8/8/8/8/R3K1R1 w GA - 0 1"
    assert engine.set_position(fen, ["e1g1"]) is None
    assert engine.fen().startswith("4k3/8/8/8/8/8/8/R4RK1 b")
    engine.configure(chess960=False)  # that castling was none in standard chess
    assert engine.fen() == "4k3/8/8/8/8/8/8/R4RK1 b - - 1 1"


@pytest.mark.parametrize("fen, dropped, fen_of_engine", [
    ("3q4/4p3/4R3/7k/8/2pP2P1/1p4PB/4K1R1 w K - 0 1", "K",
     "3q4/4p3/4R3/7k/8/2pP2P1/1p4PB/4K1R1 w - - 0 1"),
    ("rr2k1rr/8/8/8/8/8/8/R3K2R b BFg - 0 1", "BFg", "rr2k1rr/8/8/8/8/8/8/R3K2R b - - 0 1"),
    ("4k3/8/8/8/8/8/8/4K3 w Kk - 0 1", "Kk", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
    ("r3k3/8/8/8/8/8/8/R3K3 w KQkq - 0 1", "Kk", "r3k3/8/8/8/8/8/8/R3K3 w Qq - 0 1"),
])  # fmt: skip
def test_boards_of_python_chess_lose_no_rights_in_silence(
    engine: Engine, fen: str, dropped: str, fen_of_engine: str
) -> None:
    """Their own FEN leaves such rights out."""
    board = chess.Board(fen)
    assert f"castling {dropped} ignored" in (engine.set_position(board) or "")
    assert engine.fen() == fen_of_engine
    assert engine.set_position(chess.Board(board.fen())) is None


@pytest.mark.parametrize(
    "fen",
    ["4k3/8/8/8/8/8/8/4K3 w - - -1 1", "4k3/8/8/8/8/8/8/4K3 w ABCD - 0 -5",
     "4k3/8/8/8/8/8/8/R3K2R w KKQkQ e4 0 0", "4k3/8/8/8/8/8/8/4K3 w"],
)  # fmt: skip
def test_what_python_chess_does_not_read_becomes_a_board(engine: Engine, fen: str) -> None:
    engine.set_position(fen, ["e1e2"])
    assert engine.board().fen() == engine.fen()
    assert str(engine.ending()) in engine.eval_text() or engine.ending() is None


def test_flip_exchanges_the_colours(engine: Engine) -> None:
    engine.set_position("r3k3/8/8/2pP4/8/8/8/4K2R w Kq c6 3 7", ())
    engine.flip()
    assert engine.fen() == "4k2r/8/8/8/2Pp4/8/8/R3K3 b Qk c3 3 7"


def test_the_diagram_shows_the_position(engine: Engine) -> None:
    engine.set_position("4k3/8/8/8/7b/8/8/4K3 w - - 0 1", ())
    text = engine.board_text()
    assert "Fen: 4k3/8/8/8/7b/8/8/4K3 w - - 0 1" in text and "Checkers: h4" in text
