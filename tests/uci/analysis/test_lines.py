"""Lines as White sees them, and their table."""

from __future__ import annotations

import chess
import pytest

from engine.api import Engine
from engine.limits import Limits
from uci.analysis.lines import Line, analyse, table


def moves(text: str) -> tuple[chess.Move, ...]:
    return tuple(map(chess.Move.from_uci, text.split()))


LINES = [
    Line(35, None, (300, 500, 200), moves("e2e4 e7e5 g1f3 b8c6"), 12),
    Line(None, -12, (0, 0, 1000), moves("g2g4"), 9),
]


def test_scores_are_whites() -> None:
    better, mated = LINES
    assert (better.score_text(), mated.score_text()) == ("+0.35", "#-12")
    assert (mated.mate_for(chess.BLACK), mated.mate_for(chess.WHITE)) == (12, None)
    assert Line(None, 0, (0, 0, 1000), ()).score_text() == "#"


def test_a_row_for_each_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    heads, first, second = table(chess.Board(), LINES)
    assert heads.split() == ["Move", "Score", "White", "Draw", "Black", "Depth", "Line"]
    assert first.split(maxsplit=7) == [
        "1.", "e4", "+0.35", "30%", "50%", "20%", "12", "1. e4 e5 2. Nf3 Nc6",
    ]  # fmt: skip
    assert second.split()[:3] == ["2.", "g4", "#-12"]
    assert heads.index("Line") == first.index("1. e4 e5") == second.index("1. g4")


@pytest.mark.parametrize("columns", [10, 60, 61, 62, 63, 64, 65])
def test_lines_end_with_a_whole_move(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    for row in table(chess.Board(), LINES)[1:]:
        assert row[-1].isalnum() and not row.endswith(" 2.")
        assert len(row) <= max(columns, 60)


def test_castling_of_chess960_is_understood() -> None:
    board = chess.Board("4k3/8/8/8/8/8/8/1RK5 w B - 0 1", chess960=True)
    assert " O-O-O " in table(board, [Line(0, None, (0, 1000, 0), moves("c1b1"), 1)])[1]


SHUFFLE = ["d1d2", "h8g8", "d2d1", "g8h8"]
QUEEN_UP = "7k/8/8/8/8/8/8/K2Q4 w - - {} 90"


@pytest.mark.jit_only  # real searches
@pytest.mark.parametrize(
    "fen, rounds, claimed, chances",
    [
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", 0, False, (1000, 0, 0)),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 0, False, (0, 1000, 0)),
        ("7k/8/8/8/8/8/8/K4N2 w - - 0 1", 0, False, (0, 1000, 0)),
        (QUEEN_UP.format(150), 0, False, (0, 1000, 0)),
        (QUEEN_UP.format(100), 0, True, (0, 1000, 0)),
        (QUEEN_UP.format(99), 0, True, None),
        (QUEEN_UP.format(100), 0, False, None),
        (QUEEN_UP.format(0), 4, False, (0, 1000, 0)),
        (QUEEN_UP.format(0), 2, True, (0, 1000, 0)),
        (QUEEN_UP.format(0), 1, True, None),
        (QUEEN_UP.format(0), 2, False, None),
    ],
)
def test_after_the_end_line_and_words_know_the_result_only(
    fen: str, rounds: int, claimed: bool, chances: tuple[int, int, int] | None
) -> None:
    board = chess.Board(fen)
    for move in SHUFFLE * rounds:
        board.push_uci(move)
    with Engine(hash_mb=2, show_wdl=True) as engine:
        found = analyse(engine, board, Limits(nodes=500), claimed)
        words = engine.explanation(claimed).words
        text = engine.eval_text()
    if chances is None:
        assert found.line.moves and found.reasons["terms"]
    else:
        assert (found.line.moves, found.line.chances, found.reasons["terms"]) == ((), chances, [])
        assert len(words) == 1 and words[0].endswith(
            " White has won." if chances[0] else " The game is drawn."
        )
        assert claimed or text == words[0]
