"""The evaluation as a whole: symmetry, the sum of its terms, sane signs."""

from __future__ import annotations

import re

import pytest

from engine.bench import POSITIONS
from engine.board.fen import START, set_fen
from engine.diagram import flipped_fen
from engine.eval.classical.features import TEMPO
from engine.eval.classical.scores import endgame, make_score, middlegame
from engine.eval.evaluate import evaluate
from engine.eval.explain import explain
from engine.eval.known_endings import UNKNOWN, known_result
from engine.search.state import Worker
from tests.reference.random_fens import random_fens


def score(worker: Worker, fen: str) -> int:
    set_fen(worker.position, fen)
    return int(evaluate(worker.position, worker.evaluator))


def test_a_mirrored_position_has_the_same_score_for_the_side_to_move(worker: Worker) -> None:
    for fen in (*POSITIONS, *random_fens(100)):
        here = score(worker, fen)
        assert score(worker, flipped_fen(worker.position)) == here, fen


def test_the_start_position_is_worth_the_tempo(worker: Worker) -> None:
    assert score(worker, START) == middlegame(int(worker.evaluator.classical.weights.values[TEMPO]))


def test_the_cache_of_pawns_changes_nothing(worker: Worker) -> None:
    for fen in random_fens(30):
        filled = score(worker, fen)
        assert score(worker, fen) == filled  # from the cache
        worker.evaluator.classical.pawn_entries.memory[:] = 0
        assert score(worker, fen) == filled


def shown_total(text: str) -> tuple[int, int]:
    """Middlegame and endgame from the last line of the table of terms, in centipawns."""
    numbers = re.findall(r"-?[0-9]+\.[0-9]+", text.partition("\nTotal ")[2].partition("\n")[0])
    middle, end = (round(100 * float(number)) for number in numbers)
    return middle, end


@pytest.mark.jit_only  # `explain` asks the network about every man
def test_the_table_of_terms_adds_up_to_the_evaluation(worker: Worker) -> None:
    """All pieces: the middlegame's total; pawns alone: the endgame's; else something between."""
    fens = (*POSITIONS, *random_fens(30), *PAWN_ENDINGS)
    exact = 0
    for fen in fens:
        here = score(worker, fen)
        pos, evaluator = worker.position, worker.evaluator
        white_view = here if pos.side == 0 else -here
        text = explain(pos, evaluator)
        final = re.search(r"Final evaluation: ([+-][0-9.]+)", text)
        assert final and float(final[1]) == pytest.approx(white_view / 100)
        if known_result(pos, evaluator.kpk) != UNKNOWN or fen.split()[4] != "0":
            continue
        middle, end = shown_total(text)
        board = fen.split()[0]
        phase = sum(PHASES.get(letter.lower(), 0) for letter in board)
        if phase >= 24:
            assert white_view == middle, fen
            exact += 1
        elif phase == 0 and min(board.count("P"), board.count("p")) >= 3:  # nothing scaled down
            assert white_view == end, fen
            exact += 1
        else:  # the endgame may be worth less, but never more, than its total
            assert min(middle, end, 0) <= white_view <= max(middle, end, 0), fen
    assert exact > len(PAWN_ENDINGS)


PHASES = {"n": 1, "b": 1, "r": 2, "q": 4}  # 24 at the start
PAWN_ENDINGS = (
    "8/5k2/3p2p1/3P2P1/3K4/5P2/8/8 w - - 0 1",
    "8/pp3k2/2p5/8/2P5/1P6/P3K3/8 b - - 0 1",
)


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
def test_which_of_two_positions_is_better(worker: Worker, better: str, worse: str) -> None:
    assert score(worker, better) > score(worker, worse)


def test_packed_scores_keep_their_halves() -> None:
    for first in ((0, 0), (5, -7), (-5, 7), (-30000, -30000), (30000, -1)):
        for second in ((1, 1), (-1, -1), (123, -456)):
            total = make_score(*first) + 3 * make_score(*second)
            assert middlegame(total) == first[0] + 3 * second[0]
            assert endgame(total) == first[1] + 3 * second[1]
