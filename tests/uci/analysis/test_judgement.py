"""Marks, accuracy, and what is said about mistakes."""

from __future__ import annotations

import chess
import pytest

from engine.board.ending import ending_by_rule
from tests.uci.analysis.made import centipawns_for
from uci.analysis.judgement import Mark, MoveReview, mark
from uci.analysis.lines import Line
from uci.analysis.standing import Standing

NOBODY = (0, 1000, 0)


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


def line(*moves: str) -> tuple[chess.Move, ...]:
    return tuple(chess.Move.from_uci(move) for move in moves)


def position(points: float, *moves: str) -> Standing:
    """White expects so many of 100."""
    return Standing(Line(centipawns_for(points), None, NOBODY, line(*moves)), 1800)


def mate(count: int, *moves: str) -> Standing:
    """White mates in so many moves; negative: Black does."""
    return Standing(Line(None, count, NOBODY, line(*moves)), 1800)


def played(
    fen: str, move: str, before: Standing, after: Standing, known: bool = False
) -> MoveReview:
    return MoveReview(chess.Board(fen), chess.Move.from_uci(move), before, after, known)


def test_a_blunder_that_hangs_the_queen() -> None:
    found = played(
        "3rk3/8/8/8/8/8/3Q4/2K5 w - - 0 1",
        "d2d7",
        position(95, "d2e2", "e8f7"),
        position(2, "d8d7", "c1c2", "d7d6"),
    )
    assert (found.name, found.label) == ("1. Qd7+??", "blunder")
    assert found.explanation() == [
        "Your chances fell from 95 to 2 %.",
        "1...Rxd7 wins a queen, because nothing protects the queen on d7.",
        "Better was queen from d2 to e2: 1. Qe2+ Kf7.",
    ]


FOOLS = "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2"
BACK_RANK = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"


@pytest.mark.parametrize("known", [False, True])
def test_a_mate_that_is_allowed_is_marked_in_any_opening(known: bool) -> None:
    allows = played(FOOLS, "g2g4", position(45, "e2e4"), mate(-1, "d8h4"), known)
    assert allows.mark is Mark.BLUNDER and allows.allowed_mate == 1
    assert "It allows mate in 1: 2...Qh4#." in allows.explanation()


def test_a_mate_in_one_that_is_missed_is_mentioned() -> None:
    misses = played(BACK_RANK, "h2h3", mate(1, "a1a8"), position(99, "h7h6"))
    assert misses.mark is Mark.INACCURACY and misses.label == "inaccuracy, missed mate in 1"
    assert "It misses mate in 1." in misses.explanation()
    assert "Better was rook from a1 to a8: 1. Ra8#." in misses.explanation()


@pytest.mark.parametrize(
    "before, after, expected",
    [
        # The mate takes longer.
        (mate(1, "a1a8"), mate(2, "h7h6"), Mark.INACCURACY),
        (mate(2, "a1a8"), mate(9, "h7h6"), None),
        (mate(9, "a1a8"), mate(8, "h7h6"), None),
        # There is no mate any more, but the game stays won by far.
        (mate(3, "a1a8"), position(97, "h7h6"), Mark.INACCURACY),
        (mate(4, "a1a8"), position(86, "h7h6"), None),
        # It does not.
        (mate(9, "a1a8"), position(84, "h7h6"), Mark.MISTAKE),
        (mate(9, "a1a8"), position(50, "h7h6"), Mark.BLUNDER),
        (mate(9, "a1a8"), mate(-9, "h7h6"), Mark.BLUNDER),
        # The opponent mates ...
        (position(30, "a1a8"), mate(-2, "h7h6"), Mark.BLUNDER),
        (position(18, "a1a8"), mate(-9, "h7h6"), Mark.MISTAKE),
        # ... in a game that was lost anyway.
        (position(1, "a1a8"), mate(-2, "h7h6"), Mark.INACCURACY),
        (position(1, "a1a8"), mate(-9, "h7h6"), None),
        # He mated before.
        (mate(-9, "a1a8"), mate(-1, "h7h6"), None),
        # Mate is on the board, by another move than the engine's.
        (mate(1, "a1a8"), Standing(Line(None, 0, (1000, 0, 0), ()), 1800), None),
    ],
)
def test_mates_have_rules_of_their_own(
    before: Standing, after: Standing, expected: Mark | None
) -> None:
    assert played(BACK_RANK, "h2h3", before, after).mark is expected


def test_a_game_that_stays_won_by_far_has_at_most_inaccuracies() -> None:
    found = played(BACK_RANK, "h2h3", position(99.9, "a1a8"), position(90.1, "h7h6"))
    assert found.mark is Mark.INACCURACY


def test_what_counts_for_the_accuracy() -> None:
    even = played(BACK_RANK, "h2h3", position(50, "a1a8"), position(45, "h7h6"))
    won = played(BACK_RANK, "h2h3", position(97, "a1a8"), position(95, "h7h6"))
    lost = played(BACK_RANK, "h2h3", position(3, "a1a8"), position(2, "h7h6"))
    thrown_away = played(BACK_RANK, "h2h3", position(97, "a1a8"), position(50, "h7h6"))
    book = played(BACK_RANK, "h2h3", position(50, "a1a8"), position(45, "h7h6"), known=True)
    forced = played(
        "7k/8/8/8/8/8/q7/7K w - - 0 1", "h1g1", position(50, "h1g1"), position(50, "a2b2")
    )
    assert [move.counts for move in (even, won, lost, thrown_away, book, forced)] == [
        True, False, False, True, False, False,
    ]  # fmt: skip


def test_known_moves_carry_no_blame() -> None:
    known = played(BACK_RANK, "h2h3", position(50, "a1a8"), position(42, "h7h6"), known=True)
    assert (known.mark, known.label, known.name) == (None, "book", "1. h3")


@pytest.mark.parametrize(
    "fen, moves, reason",
    [
        ("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "f1f7", "stalemate"),
        ("8/8/8/8/3k1n2/8/5p2/4K3 w - - 0 1", "e1f2", "nobody can mate any more"),
        ("7k/8/6K1/8/8/8/8/5Q2 w - - 99 90", "f1e1",
         "fifty moves without a capture or a pawn move"),
        ("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "f1e1 h8g8 e1f1 g8h8 f1e1 h8g8 e1f1 g8h8 f1e1",
         "the position has occurred three times"),
    ],
)  # fmt: skip
def test_draws_are_named_before_what_they_miss(fen: str, moves: str, reason: str) -> None:
    board = chess.Board(fen)
    for move in moves.split():
        board.push_uci(move)
    ending = ending_by_rule(board, claimed=True)
    assert ending is not None
    after = Standing(Line.of(ending), 1800)
    last = board.pop()
    found = played(board.fen(), last.uci(), mate(1, "f1f8"), after)
    assert found.lost() == 50 and found.label == "blunder, missed mate in 1"
    assert found.reason() == f"It is a draw: {reason}."
    assert after.words() == f"{ending.reason}. The game is drawn."


def test_an_exchange_loses_nothing() -> None:
    found = played(
        "2rrk3/8/8/8/8/8/3R4/3RK3 w - - 0 1",
        "d2d8",
        position(80, "e1e2"),
        position(45, "c8d8", "d1d8", "e8d8"),
    )
    assert found.reason() == ""
    assert found.explanation()[1] == "The answer is 1...Rxd8 2. Rxd8+ Kxd8."
