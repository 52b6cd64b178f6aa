"""Start positions from books and from random moves."""

from __future__ import annotations

from pathlib import Path
from random import Random

import chess
import pytest

from engine.board.fen import START
from tuning.selfplay.starts import Book, RandomStarts

PGN = """[Event "one"]
[Result "*"]

1. e4 e5 2. Nf3 *

[Event "two"]
[Result "*"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]

1. e4
*
"""


def test_an_epd_book(tmp_path: Path) -> None:
    path = tmp_path / "book.epd"
    path.write_text(
        "# openings\n\n"
        'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - id "1. e4";\n'
        "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 3 7\n",
        encoding="utf-8",
    )
    book = Book(path)
    assert len(book) == 2
    assert book[0] == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -"
    assert book[1].endswith("b KQkq - 3 7")
    assert {book.choose(Random(n)) for n in range(20)} == {book[0], book[1]}


def test_a_pgn_book_gives_the_ends_of_its_games(tmp_path: Path) -> None:
    path = tmp_path / "book.pgn"
    path.write_text(PGN, encoding="utf-8")
    book = Book(path)
    assert len(book) == 2
    assert book[0] == "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"
    assert book[1].startswith("4k3/8/8/8/4P3/8/8/4K3 b")


def test_what_programs_add_makes_no_other_opening(tmp_path: Path) -> None:
    path = tmp_path / "book.epd"
    opening = "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq"
    others = [START.replace("w", "b"), START.replace("KQ", "Q"), START]
    same = [f"{opening} d3 0 1", f"{opening} -", f"{opening} - 0 9", f'{opening} - id "x";']
    path.write_text("\n".join(same + others), encoding="utf-8")
    assert openings_of(path) == [same[0], *others]


@pytest.mark.parametrize(
    "name, text, message",
    [
        ("empty.epd", "\n# nothing\n", "no openings"),
        ("empty.pgn", "", "no openings"),
        ("broken.epd", "rnbqkbnr/8/8 w - -\n", r"broken.epd:1: opening 1: .*ranks"),
        ("no-king.epd", f"# x\n\n{START}\n8/8/8/8/8/8/8/K7 w - -\n", r":4: opening 2: Black has 0"),
        ("check.epd", "k7/8/8/8/8/8/8/K6R b - - 0 1\nk7/8/8/8/8/8/8/R6K w - -", r":2: .*in check"),
        ("broken.pgn", '[Event "x"]\n\n1. e4 Ke5 *\n', r"broken.pgn:1: opening 1: .*illegal"),
        ("no-king.pgn", PGN.replace("/4K3 w", "/8 w"), r"no-king.pgn:6: opening 2: "),
    ],
)
def test_broken_books(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        openings_of(tmp_path / name)


def openings_of(path: Path) -> list[str]:
    book = Book(path)
    return [book[index] for index in range(len(book))]


@pytest.mark.jit_only
def test_random_starts_are_playable_and_repeatable() -> None:
    starts = RandomStarts(plies=6)
    fens = [starts.choose(Random(n)) for n in range(10)]
    assert fens == [starts.choose(Random(n)) for n in range(10)]
    boards = [chess.Board(fen) for fen in fens]
    assert all(board.is_valid() and not board.is_game_over() for board in boards)
    assert {board.ply() for board in boards} == {6, 7}
    assert len(set(fens)) == 10


@pytest.mark.jit_only
def test_chess960_starts_keep_their_castling_rights() -> None:
    starts = RandomStarts(plies=2, chess960=True)
    fens = [starts.choose(Random(n)) for n in range(20)]
    boards = [chess.Board(fen, chess960=True) for fen in fens]
    assert all(board.is_valid() for board in boards)
    assert len({board.king(chess.WHITE) for board in boards}) > 2
    # Two plies leave most rights; as letters of files nobody can misread them.
    rights = [fen.split()[2] for fen in fens]
    assert sum(len(right) == 4 for right in rights) > 10
    assert not any("K" in right or "q" in right for right in rights)
