"""The evaluation as a whole: symmetry, the sum of its terms, sane signs."""

from __future__ import annotations

import re

import pytest

from engine.bench import POSITIONS
from engine.board.fen import START, set_fen
from engine.diagram import flipped_fen
from engine.eval.classical.explain import terms
from engine.eval.classical.features import TEMPO
from engine.eval.classical.packed import endgame, middlegame, pack
from engine.eval.classical.weighted_sum import taper
from engine.eval.evaluate import evaluate
from engine.eval.explain import explain
from engine.eval.fifty_moves import FULL_FIFTY_MOVE_SCALE, fifty_move_scale
from engine.eval.known_endings import UNKNOWN, known_result
from engine.eval.rounding import truncated
from engine.search.state import SearchThread
from tests.reference.random_fens import random_fens


def score(thread: SearchThread, fen: str) -> int:
    set_fen(thread.position, fen)
    return int(evaluate(thread.position, thread.evaluator))


def test_a_mirrored_position_has_the_same_score_for_the_side_to_move(thread: SearchThread) -> None:
    for fen in (*POSITIONS, *random_fens(100)):
        here = score(thread, fen)
        assert score(thread, flipped_fen(thread.position)) == here, fen


def test_the_start_position_is_worth_the_tempo(thread: SearchThread) -> None:
    assert score(thread, START) == middlegame(int(thread.evaluator.classical.weights.values[TEMPO]))


def test_the_cache_of_pawns_changes_nothing(thread: SearchThread) -> None:
    for fen in random_fens(30):
        filled = score(thread, fen)
        assert score(thread, fen) == filled  # from the cache
        thread.evaluator.classical.pawn_entries.memory[:] = 0
        assert score(thread, fen) == filled


def test_the_table_of_terms_adds_up_to_the_evaluation(thread: SearchThread) -> None:
    for fen in (*POSITIONS, *random_fens(30)):
        here = score(thread, fen)
        pos, evaluator = thread.position, thread.evaluator
        white_view = here if pos.side == 0 else -here
        total = sum(white - black for white, black in terms(pos, evaluator.classical).values())
        tempo = int(evaluator.classical.weights.values[TEMPO])
        total += tempo if pos.side == 0 else -tempo
        if known_result(pos, evaluator.kpk) == UNKNOWN:
            score_now = taper(pos, int(total)) * fifty_move_scale(pos)
            assert truncated(score_now, FULL_FIFTY_MOVE_SCALE) == white_view
        shown = re.search(r"Final evaluation: ([+-][0-9.]+)", explain(pos, evaluator))
        assert shown and float(shown[1]) == pytest.approx(white_view / 100)


@pytest.mark.parametrize(
    "better, worse",
    [
        # An extra pawn; a passed pawn further on; a sheltered king; a doubled pawn less.
        ("4k3/8/8/8/8/8/PP6/4K3 w - - 0 1", "4k3/8/8/8/8/8/P7/4K3 w - - 0 1"),
        ("4k3/8/P7/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/P7/8/8/4K3 w - - 0 1"),
        (
            "rnbq1rk1/5ppp/8/8/8/8/5PPP/RNBQ1RK1 w - - 0 1",
            "rnbq1rk1/5ppp/8/8/8/8/PPP5/RNBQ1RK1 w - - 0 1",
        ),
        ("4k3/pp6/8/8/8/8/PP6/4K3 w - - 0 1", "4k3/pp6/8/8/8/P7/P7/4K3 w - - 0 1"),
        ("4k3/8/8/8/3N4/8/8/4K2r w - - 0 1", "4k3/8/8/8/8/8/8/N3K2r w - - 0 1"),
    ],
)
def test_which_of_two_positions_is_better(thread: SearchThread, better: str, worse: str) -> None:
    assert score(thread, better) > score(thread, worse)


def test_packed_scores_keep_their_halves() -> None:
    for first in ((0, 0), (5, -7), (-5, 7), (-30000, -30000), (30000, -1)):
        for second in ((1, 1), (-1, -1), (123, -456)):
            total = pack(*first) + 3 * pack(*second)
            assert middlegame(total) == first[0] + 3 * second[0]
            assert endgame(total) == first[1] + 3 * second[1]
