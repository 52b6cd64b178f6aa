"""What a reply wins, and why, in the words of a beginner."""

from __future__ import annotations

import chess
import pytest

from uci.analysis.reasons import Gain, gain, in_words, pattern_of

PROMOTION = "3nk3/4P3/8/8/8/8/8/4K3 w - - 0 1"
CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"


def line(text: str) -> list[chess.Move]:
    return [chess.Move.from_uci(move) for move in text.split()]


def said(fen: str, moves: str, last: str = "") -> str:
    """Of a line after the move `last`, if there is one, in the position."""
    board = chess.Board(fen)
    if last:
        board.push_uci(last)
    found = gain(board, line(moves), board.peek() if last else None)
    return found.words + found.because


@pytest.mark.parametrize(
    "fen, last, moves, words",
    [
        # The knight on c3 protects e4, but it is pinned to the king.
        (
            "r1bqk2r/pppp1ppp/2n2n2/8/1b1PP3/2N2N2/PPP2PPP/R1BQKB1R w KQkq - 0 1", "h2h3",
            "f6e4 f1d3 d7d5 e1g1", "wins a pawn, because the knight on c3 is pinned",
        ),
        (
            "r1bqk2r/pppp1ppp/2n2n2/8/1b1PP3/2N2N2/PPP2PPP/R1BQKB1R w KQkq - 0 1", "a2a3",
            "f6e4 a3b4", "",  # the bishop hangs: nothing is won
        ),
        # A queen on a square that a rook attacks.
        (
            "3rk3/8/8/8/8/8/8/2KQ4 w - - 0 1", "d1d5",
            "d8d5 c1c2", "wins a queen, because nothing protects the queen on d5",
        ),
        # The rook that moves has protected the knight.
        (
            "3rk3/8/8/8/3N4/8/8/3RK3 w - - 0 1", "d1a1",
            "d8d4 e1e2", "wins a knight, because the rook no longer protects it",
        ),
        # Two attack the pawn, one protects it.
        (
            "3rk3/8/5n2/8/4P3/3N4/2B5/6K1 w - - 0 1", "d3e1", "f6e4 c2e4", "",
        ),
        (
            "4r1k1/8/5n2/8/4P3/3P4/8/4R1K1 w - - 0 1", "g1g2",
            "f6e4 d3e4 e8e4 e1e4", "",  # it costs more than it brings
        ),
        (
            "4r1k1/8/5n2/8/4P3/8/2R5/4R1K1 w - - 0 1", "c2c1",
            "f6e4 g1g2",
            "wins a pawn, because the pawn on e4 is attacked more often than protected",
        ),
        (
            "rn2kb1r/pp2qppp/2p2n2/4p1B1/2B1P3/1QN5/PPP2PPP/R3K2R b KQkq - 1 9", "b7b5",
            "c3b5 e7b4", "wins a pawn",  # the count says more, but the knight could be taken
        ),
        # An exchange, a piece for a pawn, and even trades.
        (
            "6k1/8/8/8/3n4/8/4P3/4R1K1 b - - 0 1", "g8g7", "e2e3 d4f3 g1f2 f3e1 f2e1", "",
        ),
        (
            "6k1/5ppp/8/4n3/8/5N2/5PPP/R5K1 w - - 0 1", "a1e1",
            "e5f3 g2f3", "",
        ),
    ],
)  # fmt: skip
def test_what_a_reply_wins(fen: str, last: str, moves: str, words: str) -> None:
    assert said(fen, moves, last) == words


def test_what_the_last_move_took_counts() -> None:
    """A recapture wins nothing."""
    fen = "3rk3/8/8/3n4/8/8/8/2KR4 w - - 0 1"
    assert said(fen, "d8d5 c1c2", "d1d5") == (
        "wins the exchange, because nothing protects the rook on d5"
    )
    assert said("3rk3/8/8/3q4/8/8/8/2KQ4 w - - 0 1", "d8d5 c1c2", "d1d5") == ""


@pytest.mark.parametrize(
    "fen, moves, words",
    [
        ("3qk3/8/8/8/4N3/8/8/4K3 w - - 0 1", "e4f6 e8f8 f6d7 f8g8", ""),  # takes nothing
        ("r3k3/8/8/1N6/8/8/8/4K3 w - - 0 1", "b5c7 e8e7 c7a8",
         "attacks the king and the rook at once and wins a rook"),
        ("4k3/4q3/8/8/8/8/8/R5K1 w - - 0 1", "a1e1 e7e1", ""),
        ("4k3/4q3/8/8/8/8/8/R2R2K1 w - - 0 1", "d1e1 e8f8 e1e7 f8e7",
         "pins the queen and wins a queen for a rook"),
        ("4k3/8/8/q7/8/8/3B4/3QK3 w - - 0 1", "d2b4 a5e5 e1f2 e5f5", ""),
        ("q3k3/8/8/8/4N3/8/6B1/4K3 w - - 0 1", "e4f6 e8e7 g2a8 e7f6",
         "uncovers an attack on the queen and wins a queen for a knight"),
    ],
)  # fmt: skip
def test_threats_that_are_carried_out(fen: str, moves: str, words: str) -> None:
    assert said(fen, moves) == words


def test_what_is_taken_back_later_is_no_gain() -> None:
    fen = "3r2k1/5ppp/8/3n4/8/8/5PPP/3RR1K1 w - - 0 1"
    assert gain(chess.Board(fen), line("d1d5 h7h6 h2h3 d8d5")).words != ""  # not taken at once ...
    assert gain(chess.Board(fen), line("d1d5 h7h6 h2h3 d8d5 g2g3 g7g6")) == Gain(3, "")  # ... later


@pytest.mark.parametrize(
    "fen, moves, pattern",
    [
        ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "a1a8", " on the back rank"),
        ("6k1/5pp1/7p/8/8/8/5PPP/R5K1 w - - 0 1", "a1a8", ""),  # the king has h7: no mate
        ("6rk/6pp/8/6N1/8/8/8/6K1 w - - 0 1", "g5f7", ", a smothered mate"),
        ("k7/8/1K6/8/8/8/8/7R w - - 0 1", "h1h8", ""),  # the king stands in the way
    ],
)
def test_mates_that_have_a_name(fen: str, moves: str, pattern: str) -> None:
    assert pattern_of(chess.Board(fen), line(moves)) == pattern


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
