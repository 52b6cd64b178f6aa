"""The command `book`, from games to a book that the engine has checked."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import IO, Any, BinaryIO

import chess
import chess.polyglot
import pytest

from openings.game import read_names
from openings.polyglot import Book
from tuning.__main__ import main
from tuning.books.audit import audit
from tuning.books.building import Choice
from tuning.books.graph import START_KEY, Graph
from tuning.books.position_scores import PositionScores
from tuning.selfplay.player import engine_hash

pytestmark = pytest.mark.jit_only  # searches some hundred positions

GAMES = """[Result "1-0"]

1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 1-0

[Result "1/2-1/2"]

1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. d3 1/2-1/2

[Result "0-1"]
[WhiteElo "1200"]
[BlackElo "1900"]

1. e4 e5 2. Qh5 Nc6 3. Qxf7+ Kxf7 0-1

[Result "0-1"]

1. e4 e5 2. Qh5 Nc6 3. Qxf7+ Kxf7 0-1

"""
ECO = "eco\tname\tpgn\nB00\tNimzowitsch Defense\t1. e4 Nc6\nC20\tKing's Pawn\t1. e4 e5\n"
HEAD = f"# scores of engine {engine_hash()} at 500 nodes: key, centipawns, best move\n"


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.pgn"
    path.write_text(GAMES, encoding="utf-8")
    return path


def moves_in(path: Path, line: str = "") -> dict[str, int]:
    board = chess.Board()
    for san in line.split():
        board.push_san(san)
    book = Book(path)
    found = book.entries(chess.polyglot.zobrist_hash(board))
    book.close()
    return {board.san(board.parse_uci(entry.move)): entry.weight for entry in found}


def build(*arguments: object) -> int:
    return main(["book", *map(str, arguments)])


def test_without_verification(games: Path, tmp_path: Path) -> None:
    out = tmp_path / "b.bin"
    assert build(games, "--min-games", 1, "--output", out) == 0
    assert set(moves_in(out, "e4 e5 Nf3 Nc6 Bc4")) == {"Bc5", "Nf6"}
    assert set(moves_in(out, "e4 e5 Qh5 Nc6")) == {"Qxf7+"}
    assert moves_in(out, "e4 e5")["Nf3"] > moves_in(out, "e4 e5")["Qh5"]
    assert not moves_in(out, "e4 c5")


def test_what_is_left_out_of_the_games_is_said(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "b.bin"
    games.write_text("1. e4 e5 *\n1. e4 c5 2. Ke7 *\n", encoding="utf-8")
    assert build(games, "--min-games", 1, "--output", out) == 1
    assert set(moves_in(out, "e4")) == {"e5", "c5"}
    reason = "game 2: move 2, Ke7, is illegal: read up to there"
    assert f"{games}:2: {reason}\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    "filters, at_queen_move",
    [
        (["--plies", 4], set()),
        (["--min-games", 2], {"Qxf7+"}),
    ],
)
def test_filters(
    games: Path, tmp_path: Path, filters: list[object], at_queen_move: set[str]
) -> None:
    out = tmp_path / "b.bin"
    assert build(games, "--min-games", 1, *filters, "--output", out) == 0
    assert set(moves_in(out, "e4 e5 Qh5 Nc6")) == at_queen_move


def test_the_engine_throws_out_blunders(games: Path, tmp_path: Path) -> None:
    out = tmp_path / "b.bin"
    flags = ["--min-games", 1, "--nodes", 20_000, "--margin", 100, "--output", out]
    assert build(games, *flags) == 0
    (instead,) = moves_in(out, "e4 e5 Qh5 Nc6")
    assert instead != "Qxf7+"  # a move of the engine's own: all that were played lose
    assert set(moves_in(out, "e4 e5 Nf3")) == {"Nc6"}


def test_rare_positions_get_the_move_of_the_engine(games: Path, tmp_path: Path) -> None:
    several, one = tmp_path / "several.bin", tmp_path / "one.bin"
    flags = ["--min-games", 1, "--nodes", 5000, "--margin", 500]
    assert build(games, *flags, "--output", several) == 0
    assert build(games, *flags, "--single-below", 3, "--output", one) == 0
    assert set(moves_in(one, "e4 e5")) == set(moves_in(several, "e4 e5")) == {"Nf3", "Qh5"}
    assert len(moves_in(several, "e4 e5 Nf3 Nc6 Bc4")) == 2
    assert len(moves_in(one, "e4 e5 Nf3 Nc6 Bc4")) == 1


def test_named_openings_are_answered_and_continued(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "eco.tsv").write_text(ECO, encoding="utf-8")
    out, table = tmp_path / "b.bin", tmp_path / "names.tsv"
    flags = ["--eco", tmp_path / "eco.tsv", "--eco-beyond", 3, "--nodes", 300, "--min-games", 99]
    assert build(games, *flags, "--output", out, "--eco-output", table) == 0
    line = ["e4", "Nc6"]
    for _ in range(4):  # the named position and three plies on
        book = moves_in(out, " ".join(line))
        assert book
        line.append(max(book, key=lambda san: book[san]))
    assert [str(opening) for opening in read_names(table).values()] == [
        "B00 Nimzowitsch Defense",
        "C20 King's Pawn",
    ]
    said = capsys.readouterr().out
    assert "ECO codes with a reply to every named line: 2 of 500" in said
    assert "moves that lose most against the best" in said


def test_a_break_loses_nothing(
    games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, resumed, scores = tmp_path / "a.bin", tmp_path / "b.bin", tmp_path / "scores.txt"
    flags = ["--min-games", 1, "--nodes", 500, "--margin", 100]
    assert build(games, *flags, "--output", whole) == 0
    search = PositionScores._search
    searched = 0

    def break_after_5(self: PositionScores, board: chess.Board) -> object:
        nonlocal searched
        searched += 1
        if searched == 6:
            raise KeyboardInterrupt
        return search(self, board)

    monkeypatch.setattr(PositionScores, "_search", break_after_5)
    assert build(games, *flags, "--scores", scores, "--output", resumed) == 1
    assert not resumed.exists()
    assert len(scores.read_text(encoding="utf-8").splitlines()) == 1 + 5
    with scores.open("a", encoding="utf-8") as file:
        file.write("0123456789abcdef 1")  # the process was killed while it wrote
    searched = -1_000_000  # no more breaks
    assert build(games, *flags, "--scores", scores, "--output", resumed) == 0
    assert resumed.stat().st_size < 100 * 16  # few games: lines nobody played soon end
    assert resumed.read_bytes() == whole.read_bytes()
    before = searched
    assert build(games, *flags, "--scores", scores, "--output", resumed) == 0
    assert searched == before


@pytest.mark.parametrize(
    "content, message",
    [
        (HEAD.replace("500", "7"), "at 500 nodes"),
        (HEAD.replace(engine_hash(), "0123456789abcdef"), f"scores of engine {engine_hash()}"),
        ("anything\n", "begins with 'anything'"),
        ("", "at 500 nodes"),
        (f"{HEAD}x y z\n", "line 2"),
        (f"{HEAD}1 2 e2e4\n1 2 é\n", "line 3"),
    ],
)
def test_files_of_other_scores(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, message: str
) -> None:
    scores = tmp_path / "scores.txt"
    scores.write_text(content, encoding="utf-8")
    assert build(games, "--nodes", 500, "--scores", scores) == 1
    said = capsys.readouterr().err
    assert message in said and str(scores) in said
    assert scores.read_text(encoding="utf-8") == content


def test_scores_are_the_same_bytes_on_every_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows, text is written with `\\r\\n` unless something else is asked for."""

    class WindowsText(io.TextIOWrapper):
        def __init__(self, buffer: BinaryIO, newline: str | None = None) -> None:
            newline = "\r\n" if newline is None else newline
            super().__init__(buffer, "ascii", newline=newline, line_buffering=True)

    def open_as_there(
        path: Path, mode: str = "r", *, encoding: str = "", newline: str | None = None,
        **_: object,
    ) -> IO[Any]:  # fmt: skip
        if mode != "a":
            return open(path, mode, encoding=encoding or None)
        return WindowsText(open(path, "ab"), newline)

    path = tmp_path / "scores.txt"
    board = chess.Board()
    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", open_as_there)
        for key in (1, 2):
            scores = PositionScores(500, path)
            scores.score(key, board)
            scores.close()
    assert path.read_bytes().count(b"\n") == 3 and b"\r" not in path.read_bytes()
    scores = PositionScores(500, path)
    assert set(scores.known) == {1, 2}
    scores.close()


def test_what_is_played_often_is_verified_again(games: Path, tmp_path: Path) -> None:
    out = tmp_path / "b.bin"
    flags = ["--min-games", 1, "--nodes", 1, "--margin", 300, "--output", out]
    assert build(games, *flags) == 0
    assert "Qxf7+" in moves_in(out, "e4 e5 Qh5 Nc6")  # a node is not enough to see it
    scores = tmp_path / "scores.txt"
    assert build(games, *flags, "--deep-nodes", 20_000, "--often", 10_000, "--scores", scores) == 0
    assert "Qxf7+" not in moves_in(out, "e4 e5 Qh5 Nc6")
    assert moves_in(out, "e4 e5")
    assert "at 20000 nodes" in (tmp_path / "scores.txt.deep").read_text(encoding="utf-8")
    assert build(games, "--deep-nodes", 20_000) == 2  # deeper than what?


def test_the_rarest_positions_make_room(games: Path, tmp_path: Path) -> None:
    out = tmp_path / "b.bin"
    assert build(games, "--min-games", 1, "--most-bytes", 100, "--output", out) == 0
    assert 0 < out.stat().st_size <= 100
    assert moves_in(out)


@pytest.mark.parametrize(
    "name, content, message",
    [
        ("missing.pgn", None, "missing.pgn"),
        ("x.txt", b"1. e4", ".txt"),
        ("x.bin", b"12345", "not from .bin"),
        ("x.tsv", b"a\tb\n", "line 1"),
    ],
)
def test_bad_sources(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    content: bytes | None,
    message: str,
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert build(tmp_path / name, "--output", tmp_path / "out.bin") == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out.bin").exists()


def test_no_book_replaces_one_with_moves(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    book, empty = tmp_path / "out.bin", tmp_path / "empty.pgn"
    assert build(games, "--output", book) == 0
    before = book.read_bytes()
    empty.touch()
    assert build(empty, "--output", book) == 1
    assert "no book was written" in capsys.readouterr().err
    assert book.read_bytes() == before != b""


def test_games_are_not_replaced_by_what_is_made_of_them(
    games: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(games.parent)
    for command in ("book", "openings", "import"):
        assert main([command, str(games), "--output", games.name]) == 2
        assert "games.pgn would be replaced" in capsys.readouterr().err
    assert games.read_text(encoding="utf-8") == GAMES


def test_the_audit_plays_the_book_against_itself() -> None:
    graph = Graph()
    king, queen = chess.Move.from_uci("e2e4"), chess.Move.from_uci("d2d4")
    graph.add([king, chess.Move.from_uci("e7e5")])
    graph.add([queen])
    start = graph.nodes[START_KEY].edges
    after_king = graph.nodes[start[king].to].edges
    book = {
        START_KEY: [Choice(king, start[king], 0, 1), Choice(queen, start[queen], 8, 1)],
        start[king].to: [Choice(move, edge, 0, 1) for move, edge in after_king.items()],
    }
    (told,) = (line for line in audit(graph, book, {}) if "against itself" in line)
    found = re.search(r": ([\d.]+) plies, (\d+) different .* ([\d.]+) cp lost", told)
    assert found is not None
    assert float(found[1]) == pytest.approx(1.5, abs=0.1)
    assert found[2] == "0"
    assert float(found[3]) == pytest.approx(8 / 2 / 2, abs=0.3)
