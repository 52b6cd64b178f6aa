"""EPD lines in all the forms that suites use."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

from tuning.data.epd import lines, parse

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"


def test_operations() -> None:
    epd = parse(START + ' bm e4 Nf3!; id "a; b"; c0 "e4=10, d4=3"; acn 12; c1 loose words;', 7)
    assert epd.name == "a; b"
    assert epd.operations["c0"] == "e4=10, d4=3"
    assert epd.operations["c1"] == "loose words"
    assert epd.moves("bm") == [chess.Move.from_uci("e2e4"), chess.Move.from_uci("g1f3")]
    assert epd.moves("am") == []
    assert epd.mate is None


def test_a_last_operation_without_its_semicolon() -> None:
    assert parse(START + " bm d4; ce 25", 1).operations == {"bm": "d4", "ce": "25"}


def test_clocks_of_a_fen_are_not_operations() -> None:
    epd = parse(START + " 3 17", 4)
    assert (epd.board.halfmove_clock, epd.board.fullmove_number) == (3, 17)
    assert epd.operations == {} and epd.name == "line 4"
    assert parse(START + " 3 17; bm e4;", 4).moves("bm")
    assert parse(START + " 3 17 bm e4;", 4).moves("bm")


@pytest.mark.parametrize(
    "operations, mate", [("dm 3;", 3), ("bm #15;", 15), ("bm #-2;", -2), ("bm Qxf7#;", None)]
)
def test_mates(operations: str, mate: int | None) -> None:
    assert parse(f"{START} {operations}", 1).mate == mate


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "four fields"),
        ("8/8/8/8/8/8/8/8 w - -", "NO_WHITE_KING"),
        ("8/8/8/8/8/8/8/8/8 w - -", "rows"),
        ("k7/8/8/8/8/8/8/K7 x - -", "turn"),
    ],
)
def test_broken_lines(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(text, 1)


def test_moves_that_are_none() -> None:
    with pytest.raises(ValueError, match="Ke4"):
        parse(START + " bm Ke4;", 1).moves("bm")


def test_lines_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "x.epd"
    path.write_text(f"# comment\n\n{START}\n{START} bm e4;\n", encoding="utf-8")
    assert [number for number, _ in lines(path)] == [3, 4]
