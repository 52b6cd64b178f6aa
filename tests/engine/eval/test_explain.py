"""The evaluation in words."""

from __future__ import annotations

import re

import pytest

from engine.bench import POSITIONS
from engine.board.fen import START, set_fen
from engine.diagram import flipped_fen
from engine.eval.classical.explain import IN_WORDS, shares
from engine.eval.classical.weighted_sum import weighted_sum
from engine.eval.explain import VERDICTS, Explanation, explain, explanation, verdict
from engine.search.state import Worker
from tests.reference.random_fens import random_fens

PAWN_UP = "4k3/pp3ppp/8/8/8/8/PPP2PPP/4K3 w - - 0 1"
OPPOSITE_BISHOPS = "4k3/5b2/8/8/4P3/3P4/5B2/4K3 w - - 0 1"


def explained(worker: Worker, fen: str) -> Explanation:
    set_fen(worker.position, fen)
    return explanation(worker.position, worker.evaluator)


def exchanged(text: str) -> str:
    return text.replace("White", "?").replace("Black", "White").replace("?", "Black")


def without_signs(text: str) -> str:
    return re.sub(r"[+-](?=\d)", "", text)


def test_shares_add_up_to_the_weighted_sum(worker: Worker) -> None:
    for fen in (*POSITIONS, *random_fens(100), PAWN_UP, OPPOSITE_BISHOPS):
        set_fen(worker.position, fen)
        parts = shares(worker.position, worker.evaluator.classical)
        total = sum(share.difference for share in parts)
        here = int(weighted_sum(worker.position, worker.evaluator.classical))
        assert total == pytest.approx(here, abs=1), fen
        assert [share.name for share in parts] == list(IN_WORDS)


@pytest.mark.jit_only  # asks the network about every man
def test_colours_exchanged_exchange_the_reasons(worker: Worker) -> None:
    for fen in (*POSITIONS[:10], PAWN_UP):
        here = explained(worker, fen)
        there = explained(worker, flipped_fen(worker.position))
        assert (there.score, there.weighted_sum) == (-here.score, -here.weighted_sum)
        assert sorted(map(without_signs, there.words)) == sorted(
            without_signs(exchanged(text)) for text in here.words
        )


@pytest.mark.jit_only  # the same
def test_the_words_name_what_is_on_the_board(worker: Worker) -> None:
    first, *reasons = explained(worker, PAWN_UP).words
    assert re.fullmatch(r"White is .*\(\+\d\.\d\d\)\.", first)
    white = next(text for text in reasons if text.startswith("White has"))
    assert "more material" in white and "the move" in white
    assert "more material" not in " ".join(text for text in reasons if text != white)


@pytest.mark.jit_only  # the same
def test_checks_and_known_endings_are_said(worker: Worker) -> None:
    check = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
    assert "in check" in explained(worker, check).words[-1]
    bare = explained(worker, "4k3/8/8/8/8/8/8/4K1N1 w - - 0 1").words
    assert bare == ["The position is about equal (+0.00).", "The result of this ending is known."]


@pytest.mark.jit_only  # the same
def test_the_text_ends_with_the_words(worker: Worker) -> None:
    here = explained(worker, START)
    assert explain(worker.position, worker.evaluator).endswith("\n\n" + "\n".join(here.words))
    assert here.words == ["The position is about equal (+0.18).", "White has the move (0.18)."]


def test_verdicts_grow_with_the_score() -> None:
    assert verdict(0) == verdict(24) == verdict(-24) == "The position is about equal"
    for least, words in VERDICTS:
        assert verdict(least) == f"White is {words}"
        assert verdict(-least) == f"Black is {words}"
        assert verdict(least - 1) != verdict(least)
