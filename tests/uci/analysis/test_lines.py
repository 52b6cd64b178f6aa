"""Lines as White sees them, and their table."""

from __future__ import annotations

import chess
import pytest

from uci.analysis.lines import Line, table


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
