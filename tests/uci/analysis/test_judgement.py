"""Marks, accuracy, and what is said about mistakes."""

from __future__ import annotations

import math

import chess
import pytest

from uci.analysis.judgement import Mark, MoveReview, accuracy, in_words, mark, move_accuracy
from uci.analysis.lines import Line

PROMOTION = "3nk3/4P3/8/8/8/8/8/4K3 w - - 0 1"
CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
EVEN = (250, 500, 250)


@pytest.mark.parametrize(
    "lost, expected",
    [
        (0, None), (4.9, None), (5, Mark.INACCURACY), (9.9, Mark.INACCURACY), (10, Mark.MISTAKE),
        (19.9, Mark.MISTAKE), (20, Mark.BLUNDER), (100, Mark.BLUNDER),
    ],
)  # fmt: skip
def test_marks_begin_where_the_manual_says(lost: float, expected: Mark | None) -> None:
    assert mark(lost) is expected


def test_signs_and_numbers_are_those_of_pgn() -> None:
    assert [(one.sign, one.nag) for one in Mark] == [("?!", 6), ("?", 2), ("??", 4)]


def test_counts_are_good_english() -> None:
    assert [mark.counted(count) for count, mark in enumerate(Mark)] == [
        "0 inaccuracies", "1 mistake", "2 blunders",
    ]  # fmt: skip


def test_accuracy_is_the_mean_of_a_falling_function() -> None:
    assert move_accuracy(0) == 100
    assert move_accuracy(25) == pytest.approx(100 / math.e)
    assert move_accuracy(10) > move_accuracy(11) > 0
    assert accuracy([0, 25]) == pytest.approx((100 + 100 / math.e) / 2)


def test_who_had_no_choice_has_no_accuracy() -> None:
    assert accuracy([]) is None


def line(*moves: str) -> tuple[chess.Move, ...]:
    return tuple(chess.Move.from_uci(move) for move in moves)


def mistake(fen: str, move: str, before: Line, after: Line) -> MoveReview:
    return MoveReview(chess.Board(fen), chess.Move.from_uci(move), before, after)


def test_a_blunder_that_hangs_the_queen() -> None:
    found = mistake(
        "3rk3/8/8/8/8/8/3Q4/2K5 w - - 0 1",
        "d2d7",
        Line(400, None, (900, 100, 0), line("d2e2", "e8f7")),
        Line(-500, None, (0, 50, 950), line("d8d7", "c1c2", "d7d6")),
    )
    assert found.name == "1. Qd7+??"
    assert found.explanation() == [
        "Your chances fell from 95 to 2 %.",
        "It loses a queen: 1...Rxd7 2. Kc2 Rd6.",
        "Better was queen from d2 to e2: 1. Qe2+ Kf7.",
    ]


def test_a_mate_that_is_allowed_and_one_that_is_missed() -> None:
    before = Line(0, None, EVEN, line("e2e4"))
    allows = mistake(
        "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2",
        "g2g4",
        before,
        Line(None, -1, (0, 0, 1000), line("d8h4")),
    )
    assert "It allows mate in 1: 2...Qh4#." in allows.explanation()
    misses = mistake(
        "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1",
        "h2h3",
        Line(None, 1, (1000, 0, 0), line("a1a8")),
        Line(300, None, (500, 500, 0), line("h7h6")),
    )
    assert "It misses mate in 1." in misses.explanation()
    assert "Better was rook from a1 to a8: 1. Ra8#." in misses.explanation()


def test_a_stalemate() -> None:
    found = mistake(
        "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1",
        "f1f7",
        Line(None, 1, (1000, 0, 0), line("f1f8")),
        Line(0, None, (0, 1000, 0), ()),
    )
    assert found.lost == 50 and "It misses mate in 1." in found.explanation()


def test_an_exchange_loses_nothing() -> None:
    found = mistake(
        "2rrk3/8/8/8/8/8/3R4/3RK3 w - - 0 1",
        "d2d8",
        Line(0, None, (600, 400, 0), line("e1e2")),
        Line(0, None, (0, 900, 100), line("c8d8", "d1d8", "e8d8")),
    )
    assert not any("loses" in sentence for sentence in found.explanation())


@pytest.mark.parametrize(
    "fen, move, words",
    [
        (chess.STARTING_FEN, "g1f3", "knight from g1 to f3"),
        (PROMOTION, "e7d8q", "pawn from e7 takes the knight on d8 and becomes a queen"),
        (CASTLING, "e1c1", "castle on the queen's side"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "pawn from e5 takes the pawn on d6"),
    ],
)
def test_in_words(fen: str, move: str, words: str) -> None:
    assert in_words(chess.Board(fen), chess.Move.from_uci(move)) == words
