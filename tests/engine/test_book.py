"""engine.book and its place in engine.api: when the book answers, with what, and what it says."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import chess
import chess.polyglot
import pytest

from engine.api import Engine, PositionError
from engine.book import OpeningBook
from engine.events import SearchResult
from engine.limits import Limits
from engine.native.settings import CHECKED
from engine.settings import Settings
from openings.polyglot import Book, BookError, Entry, raw_move
from tests.engine.api.searching import Answers, start
from tests.openings import books

pytestmark = pytest.mark.jit_only  # real searches

CLOCK = Limits(white_time_ms=1000, black_time_ms=1000)


@pytest.fixture(scope="module")
def shared_engine() -> Engine:
    return Engine(hash_mb=2)


@pytest.fixture
def engine(shared_engine: Engine) -> Iterator[Engine]:
    shared_engine.book = OpeningBook(random.Random(3))
    shared_engine.set_position(None, ())
    yield shared_engine
    shared_engine.stop()
    shared_engine.wait()
    shared_engine.configure(**asdict(Settings(hash_mb=2)))


@pytest.fixture
def small_book(tmp_path: Path) -> Path:
    return books.write(
        tmp_path / "small.bin",
        {
            "": {"e4": 60, "d4": 30, "c4": 10, "Nf3": 0},
            "e4": {"e5": 2, "c5": 3},
            "e4 e5": {"Nf3": 1},
            "d4": {"d5": 0},
            "e4 e5 Nf3 Nc6 Bc4 Bc5": {"O-O": 1},
        },
    )


def use(engine: Engine, path: Path) -> None:
    engine.book.set_file(str(path))
    engine.book.enable(True)


def go(engine: Engine, moves: str = "", limits: Limits = CLOCK, fen: str | None = None) -> Answers:
    engine.set_position(fen, moves.split())
    answers = start(engine, limits)
    engine.wait()
    assert len(answers.results) == 1
    return answers


def test_a_move_with_its_opening_candidates_and_reply(engine: Engine, small_book: Path) -> None:
    use(engine, small_book)
    answers = go(engine, "e2e4 e7e5")
    assert answers.results == [SearchResult("g1f3", None)]
    assert answers.texts == ["book: C20 King's Pawn Game: g1f3 1 (100%)"]
    assert not answers.infos

    engine.configure(book_best_move=True)
    answers = go(engine)
    assert answers.results == [SearchResult("e2e4", "c7c5")]
    assert answers.texts == ["book: no named opening: e2e4 60 (60%), d2d4 30 (30%), c2c4 10 (10%)"]


def test_the_choice_follows_the_weights(engine: Engine, small_book: Path) -> None:
    use(engine, small_book)

    def shares() -> dict[str | None, float]:
        moves = Counter(go(engine).results[0].best_move for _ in range(300))
        return {move: count / 300 for move, count in moves.items()}

    assert shares() == pytest.approx({"e2e4": 0.6, "d2d4": 0.3, "c2c4": 0.1}, abs=0.1)
    engine.configure(book_variety=0)
    assert shares() == {"e2e4": 1}
    engine.configure(book_variety=100)
    engine.configure(book_best_move=True)
    assert shares() == {"e2e4": 1}


def test_castling_and_promotion(engine: Engine, tmp_path: Path) -> None:
    board = chess.Board("r3k2r/1P6/8/8/8/8/8/R3K2R w KQkq - 0 1")
    key = chess.polyglot.zobrist_hash(board)
    for san, uci, uci960 in [
        ("O-O", "e1g1", "e1h1"),
        ("O-O-O", "e1c1", "e1a1"),
        ("bxa8=N", "b7a8n", "b7a8n"),
    ]:
        path = tmp_path / "one.bin"
        path.write_bytes(books.pack(key, raw_move(board, board.parse_san(san)), 1))
        use(engine, path)
        engine.configure(chess960=False)
        assert go(engine, fen=board.fen()).results[0].best_move == uci
        engine.configure(chess960=True)
        assert go(engine, fen=board.fen()).results[0].best_move == uci960


def test_out_of_book_it_searches(engine: Engine, small_book: Path) -> None:
    use(engine, small_book)
    answers = go(engine, "a2a3", Limits(depth=2))
    assert answers.infos and not any("book" in text for text in answers.texts)


def test_book_depth(engine: Engine, small_book: Path) -> None:
    use(engine, small_book)
    engine.configure(book_most_moves=1)
    assert not go(engine, "e2e4").infos
    assert go(engine, "e2e4 e7e5", Limits(depth=2)).infos
    engine.configure(book_most_moves=2)
    assert not go(engine, "e2e4 e7e5", Limits(depth=2)).infos


@pytest.mark.parametrize(
    "limits",
    [
        Limits(infinite=True),
        Limits(),
        Limits(mate=2, nodes=100),
        Limits(depth=2, search_moves=("a2a3",)),
    ],
)
def test_who_wants_a_search_gets_one(engine: Engine, small_book: Path, limits: Limits) -> None:
    use(engine, small_book)
    engine.set_position(None, ())
    answers = start(engine, limits)
    time.sleep(0.05)
    engine.stop()
    engine.wait()
    assert answers.infos and not any("book" in text for text in answers.texts)


def test_analysis_is_a_search(engine: Engine, small_book: Path) -> None:
    use(engine, small_book)
    engine.configure(analyse_mode=True)
    assert go(engine, limits=Limits(depth=2)).infos


def test_pondering_waits_and_then_the_book_answers(engine: Engine, small_book: Path) -> None:
    use(engine, small_book)
    engine.set_position(None, ["e2e4", "e7e5"])
    answers = start(engine, Limits(white_time_ms=1000, black_time_ms=1000, ponder=True))
    time.sleep(0.1)
    assert not answers.results and not answers.texts
    engine.ponderhit()
    engine.wait()
    assert [result.best_move for result in answers.results] == ["g1f3"]
    assert len(answers.texts) == 1


def test_a_miss_while_pondering_ends_the_search(engine: Engine, small_book: Path) -> None:
    use(engine, small_book)
    engine.set_position(None, ["e2e4", "e7e5"])
    answers = start(engine, Limits(white_time_ms=1000, black_time_ms=1000, ponder=True))
    time.sleep(0.05)
    engine.stop()
    engine.wait()
    assert len(answers.results) == 1 and answers.infos and not answers.texts


def test_no_move_repeats_a_position(engine: Engine, tmp_path: Path) -> None:
    path = books.write(
        tmp_path / "back.bin",
        {"Nf3 Nf6": {"Ng1": 100, "g3": 1}, "Nf3 Nf6 Ng1": {"Ng8": 1}},
    )
    use(engine, path)
    answers = go(engine, "g1f3 g8f6")  # back to g1: Black is to move there for the first time
    assert {"f3g1 100 (99%)", "g2g3 1 (1%)"} <= set(answers.texts[0].split(": ", 2)[2].split(", "))
    answers = go(engine, "g1f3 g8f6 f3g1", Limits(depth=2))  # Ng8 would be the start position again
    assert answers.infos
    assert answers.texts == ["book move f6g8 skipped: it repeats the position"]


def test_entries_that_cannot_be_played(engine: Engine, small_book: Path, tmp_path: Path) -> None:
    use(engine, small_book)
    answers = go(engine, "d2d4", Limits(depth=2))
    assert answers.infos
    assert answers.texts == ["small.bin contains only moves of weight 0 here"]

    key = chess.polyglot.zobrist_hash(chess.Board())
    bad = tmp_path / "bad.bin"
    e2e5 = chess.E2 << 6 | chess.E5
    e1h1 = chess.E1 << 6 | chess.H1  # castling, but not now
    moves = (e1h1, e2e5, 6 << 12 | 0o1434, 6 << 12 | 0o1414)  # e2-e4 and e2-e2, promoting to 6
    bad.write_bytes(b"".join(books.pack(key, move, 9) for move in moves))
    use(engine, bad)
    answers = go(engine, limits=Limits(depth=2))
    assert answers.infos
    assert answers.texts == [
        "bad.bin contains the illegal move e1h1 here",
        "bad.bin contains the illegal move e2e5 here",
        "bad.bin contains the illegal move e2e4? here",
        "bad.bin contains the illegal move e2e2? here",
    ]


@pytest.mark.parametrize("content", [b"", b"cut", b"no Polyglot book" * 2 + b"A" * 16])
def test_without_a_readable_book_it_searches(
    engine: Engine, tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "broken.bin"
    path.write_bytes(content)
    searches_instead_of(engine, str(path))
    remark = engine.book.set_file("")
    assert remark is not None and "moves in wadjet.bin" in remark
    assert not go(engine).infos


@pytest.mark.parametrize("name", ["", "none.bin", "~nobody-of-that-name/x.bin", "x" * 300])
def test_paths_that_lead_to_no_file(engine: Engine, tmp_path: Path, name: str) -> None:
    path = name if name.startswith("~") else str(tmp_path / name)
    assert ("folder" in searches_instead_of(engine, path)) == (name == "")


def searches_instead_of(engine: Engine, path: str) -> str:
    """The remark on a book that cannot be read."""
    engine.book.enable(True)
    remark = engine.book.set_file(path)
    assert remark is not None and path in remark and "searches instead" in remark
    assert go(engine, limits=Limits(depth=2)).infos
    return remark


def test_a_book_that_fails_at_its_first_lookup(
    engine: Engine, small_book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_at_lookup(1, monkeypatch)
    engine.book.set_file(str(small_book))
    remark = engine.book.enable(True)
    assert remark == "the disk has gone; the engine searches instead"
    assert go(engine, limits=Limits(depth=2)).infos


def test_a_book_that_fails_at_the_reply(
    engine: Engine, small_book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(engine, small_book)
    fail_at_lookup(2, monkeypatch)
    answers = go(engine, "e2e4 e7e5")
    assert answers.results == [SearchResult("g1f3", None)]  # was read before
    assert answers.texts[1:] == ["the disk has gone; the engine searches instead"]
    answers = go(engine, "e2e4 e7e5", Limits(depth=2))
    assert answers.infos and not answers.texts


def fail_at_lookup(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    read, lookups = Book.entries, 0

    def entries(book: Book, key: int) -> list[Entry]:
        nonlocal lookups
        lookups += 1
        if lookups == number:
            raise BookError("the disk has gone")
        return read(book, key)

    monkeypatch.setattr(Book, "entries", entries)


def test_a_book_that_is_cut_during_the_game(engine: Engine, small_book: Path) -> None:
    use(engine, small_book)
    assert not go(engine).infos
    small_book.write_bytes(b"")
    answers = go(engine, "e2e4", Limits(depth=2))
    assert answers.infos
    assert "has changed" in answers.texts[0]
    assert not go(engine, "e2e4", Limits(depth=2)).texts  # said once


def test_the_position_that_counts_is_the_last_good_one(engine: Engine, small_book: Path) -> None:
    use(engine, small_book)
    engine.set_position(None, ["e2e4", "e7e5"])
    with pytest.raises(PositionError):
        engine.set_position(None, ["d2d4", "e2e4"])
    answers = start(engine, CLOCK)
    assert [result.best_move for result in answers.results] == ["g1f3"]
    engine.set_position(None, ["e2e4", "e7e5"])
    engine.perft(1)
    assert [result.best_move for result in start(engine, CLOCK).results] == ["g1f3"]
    assert "Opening: C20" in engine.board_text()


def test_switching_it_off(engine: Engine, small_book: Path) -> None:
    use(engine, small_book)
    assert engine.book.enable(False) is None
    assert go(engine, limits=Limits(depth=2)).infos


def test_chess960_starts_are_no_book_positions(engine: Engine) -> None:
    engine.book.enable(True)
    engine.configure(chess960=True)
    shuffled = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1"
    assert go(engine, limits=Limits(depth=2), fen=shuffled).infos
    normal = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1"
    assert not go(engine, limits=Limits(depth=2), fen=normal).infos


def test_no_accident_with_rights_of_other_rooks(engine: Engine, tmp_path: Path) -> None:
    """The Polyglot key of rights that belong to a rook on g1 is that of rights to h1."""
    strange = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBR1 w Gkq - 0 1"
    board = chess.Board(strange, chess960=True)
    path = tmp_path / "strange.bin"
    path.write_bytes(books.pack(chess.polyglot.zobrist_hash(board), 0o1434, 1))
    use(engine, path)
    engine.configure(chess960=True)
    assert go(engine, limits=Limits(depth=2), fen=strange).infos


def test_real_books_open_games(engine: Engine, real_books: list[Path]) -> None:
    for path in real_books:
        if path.name != "lasker-trap.bin":  # begins later
            use(engine, path)
            engine.configure(book_best_move=True)  # others lead out of a small book
            board = chess.Board()
            for _ in range(4):
                answers = go(engine, " ".join(move.uci() for move in board.move_stack))
                assert not answers.infos, path
                board.push_uci(answers.results[0].best_move or "")


@pytest.mark.alone
def test_a_lookup_takes_less_than_a_millisecond(engine: Engine, real_books: list[Path]) -> None:
    use(engine, max(real_books, key=lambda path: path.stat().st_size))
    moves = "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6"
    engine.book.opening("", moves.split()[:-2])
    engine.set_position(None, moves.split())
    times = []
    for _ in range(20):
        engine.book.opening("", moves.split()[:-2])  # the game two plies ago
        started = time.process_time()  # whatever else the machine is doing
        answers = start(engine, CLOCK)
        times.append(time.process_time() - started)
        assert not answers.infos
    assert min(times) < (0.005 if CHECKED else 0.001)  # seconds


def test_python_chess_stays_outside_without_a_book() -> None:
    program = """
import sys
from engine.api import Engine
book = Engine(hash_mb=1).book
book.set_file("anything.bin")
assert not {name for name in sys.modules if name == "chess" or name.startswith("chess.")}
book.set_file("")
print(book.enable(True))
assert "chess.polyglot" in sys.modules
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stderr
    assert "moves in wadjet.bin" in done.stdout


def test_the_board_names_the_opening(engine: Engine) -> None:
    moves = "d2d4 g8f6 c2c4 g7g6 b1c3 d7d5"
    engine.set_position(None, moves.split())
    assert engine.board_text().splitlines()[-1].startswith("Opening: D80 Grünfeld Defense")
    engine.set_position("8/8/4k3/8/8/4K3/4P3/8 w - - 0 1", ())
    assert "Opening" not in engine.board_text()
