"""Setting up positions, and looking at them."""

from __future__ import annotations

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


def test_castling_that_another_move_could_be_is_king_takes_rook_without_chess960(
    engine: Engine,
) -> None:
    engine.set_position("4k3/8/8/8/8/8/8/6KR w K - 0 1", ())  # the king would stay on g1
    assert "g1h1" in engine.legal_moves() and "g1g1" not in engine.legal_moves()
    engine.set_position("4k3/8/8/8/8/8/8/6KR w K - 0 1", ["g1h1"])
    assert engine.fen().startswith("4k3/8/8/8/8/8/8/5RK1 b")


def test_flip_exchanges_the_colours(engine: Engine) -> None:
    engine.set_position("r3k3/8/8/2pP4/8/8/8/4K2R w Kq c6 3 7", ())
    engine.flip()
    assert engine.fen() == "4k2r/8/8/8/2Pp4/8/8/R3K3 b Qk c3 3 7"


def test_the_diagram_shows_the_position(engine: Engine) -> None:
    engine.set_position("4k3/8/8/8/7b/8/8/4K3 w - - 0 1", ())
    text = engine.board_text()
    assert "Fen: 4k3/8/8/8/7b/8/8/4K3 w - - 0 1" in text and "Checkers: h4" in text
