"""openings.polyglot: real and written books, files that are no books, the choice of a move."""

from __future__ import annotations

import random
import struct
from collections import Counter
from pathlib import Path

import chess
import chess.polyglot
import pytest

from openings.polyglot import Book, BookError, Entry, RawEntry, choose, raw_move, write_book
from tests.openings import books

# The nine vectors published with the format.
VECTORS = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0x463B96181691FC9C),
    ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", 0x823C9B50FD114196),
    ("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 2", 0x0756B94461C50FB0),
    ("rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2", 0x662FAFB965DB29D4),
    ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", 0x22A48B5A8E47FF78),
    ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR b kq - 0 3", 0x652A607CA3F242C1),
    ("rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w - - 0 4", 0x00FDD303C946BDD9),
    ("rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3", 0x3C8123EA7B067637),
    ("rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq - 0 4", 0x5C3F9B829B279560),
]
START_KEY = VECTORS[0][1]


@pytest.mark.parametrize("fen, key", VECTORS)
def test_published_keys(fen: str, key: int) -> None:
    assert chess.polyglot.zobrist_hash(chess.Board(fen)) == key


def test_every_real_book_reads(real_books: list[Path]) -> None:
    for path in real_books:
        book = Book(path)
        assert len(book) == path.stat().st_size // 16
        raw = path.read_bytes()
        # The first, the last and some other entries are found by their keys.
        for at in [0, len(book) - 1, *range(0, len(book), max(1, len(book) // 50))]:
            key, _, weight, _ = struct.unpack_from(">QHHI", raw, 16 * at)
            assert weight in [entry.weight for entry in book.entries(key)], (path, at)
        book.close()


def test_moves_of_real_books_are_legal(real_books: list[Path]) -> None:
    with_start = 0
    for path in real_books:
        book = Book(path)
        entries = book.entries(START_KEY)
        with_start += bool(entries)
        for entry in entries:
            assert chess.Move.from_uci(entry.move) in chess.Board().legal_moves
        book.close()
    assert with_start >= len(real_books) - 1  # the Lasker trap begins later


def test_written_moves_are_read_again(tmp_path: Path) -> None:
    fens = [
        "r3k2r/pPppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
        "8/P6k/8/8/8/8/8/K3R2R w - - 0 1",  # no castling, though a rook goes from e1
    ]
    entries = []
    expected = {}
    for fen in fens:
        board = chess.Board(fen)
        key = chess.polyglot.zobrist_hash(board)
        moves = list(board.legal_moves)
        entries += [RawEntry(key, raw_move(board, m), 9 + n) for n, m in enumerate(moves)]
        expected[key] = {board.uci(m, chess960=True): 9 + n for n, m in enumerate(moves)}
    random.Random(1).shuffle(entries)
    assert write_book(tmp_path / "small.bin", entries) == len(entries)
    book = Book(tmp_path / "small.bin")
    for key, moves_there in expected.items():
        found = book.entries(key)
        assert dict(found) == moves_there
        assert [entry.weight for entry in found] == sorted(moves_there.values(), reverse=True)
    assert book.entries(START_KEY) == []
    assert [path.name for path in tmp_path.iterdir()] == ["small.bin"]


def test_move_0_means_nothing(tmp_path: Path) -> None:
    path = tmp_path / "book.bin"
    path.write_bytes(books.pack(5, 0, 100) + books.pack(5, 0o1434, 7))
    assert Book(path).entries(5) == [Entry("e2e4", 7)]


@pytest.mark.parametrize(
    "move, text",
    [
        (4 << 12 | 0o6474, "e7e8q"),
        (5 << 12 | 0o6474, "e7e8?"),
        (6 << 12 | 0o6474, "e7e8?"),
        (7 << 12 | 0o1434, "e2e4?"),
        (0o1414, "e2e2?"),
        (1 << 12 | 0o1414, "e2e2?"),
        (6 << 12 | 0o1414, "e2e2?"),
        (0o0606, "g1g1?"),  # without the ? it could be castling in Chess960
    ],
)
def test_all_bits_of_a_move_are_read(tmp_path: Path, move: int, text: str) -> None:
    path = tmp_path / "book.bin"
    path.write_bytes(books.pack(5, move, 7))
    assert Book(path).entries(5) == [Entry(text, 7)]


def random_bytes(count: int) -> bytes:
    return random.Random(2).randbytes(count)


@pytest.mark.parametrize(
    "content, reason",
    [
        (b"", "is empty"),
        (b"x", "multiple of 16"),
        (books.pack(1, 2, 3)[:-1], "multiple of 16"),
        (books.pack(2, 0, 0) + books.pack(1, 0, 0), "not sorted"),
        (b'[Event "A game"]\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n' * 16, "not sorted"),
        (random_bytes(16 * 1000), "not sorted"),
        (random_bytes(16 * 400_000), "not sorted"),  # larger than what is checked whole
    ],
)
def test_what_is_no_book(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "no.bin"
    path.write_bytes(content)
    with pytest.raises(BookError, match=reason) as raised:
        Book(path)
    assert str(path) in str(raised.value)


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(BookError, match="folder"):
        Book(tmp_path)
    with pytest.raises(BookError, match="No such file"):
        Book(tmp_path / "missing.bin")
    with pytest.raises(BookError, match="name too long"):
        Book(tmp_path / ("x" * 300))


def test_a_folder_that_may_not_be_looked_into(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_dir", refuse)
    with pytest.raises(BookError, match=r"x\.bin cannot be read: Permission denied"):
        Book(tmp_path / "x.bin")


def test_a_book_that_is_cut_while_open(tmp_path: Path) -> None:
    path = books.write(tmp_path / "book.bin", {"": {"e4": 1}})
    book = Book(path)
    path.write_bytes(b"")
    with pytest.raises(BookError, match="has changed"):
        book.entries(START_KEY)


def test_a_large_book_is_mapped_and_not_read(tmp_path: Path) -> None:
    """100 MB, of which the file system keeps almost nothing: all keys but the last are 0."""
    path = tmp_path / "large.bin"
    with path.open("wb") as file:
        file.truncate(100 << 20)
        file.seek(0, 2)
        file.write(books.pack(START_KEY, 0o1434, 3))
    before = resident_mb()
    book = Book(path)
    assert book.entries(START_KEY) == [Entry("e2e4", 3)]
    assert resident_mb() - before < 20
    book.close()


def resident_mb() -> float:
    status = Path("/proc/self/statm")
    if not status.exists():
        pytest.skip("this system does not tell how much memory is used")
    return int(status.read_text(encoding="utf-8").split()[1]) * 4096 / (1 << 20)


# --- Choosing a move ------------------------------------------------------------------------------

WEIGHTS = [10, 60, 0, 30]


def shares(variety: int) -> list[float]:
    chance = random.Random(7)
    found = Counter(choose(WEIGHTS, variety, chance) for _ in range(4000))
    return [found[index] / 4000 for index in range(4)]


def test_in_proportion() -> None:
    assert shares(100) == pytest.approx([0.1, 0.6, 0, 0.3], abs=0.03)


def test_always_the_first_of_the_best() -> None:
    assert shares(0) == [0, 1, 0, 0]
    assert choose([5, 9, 9], 0, random.Random()) == 1


def test_between() -> None:
    # weights to the power 2
    assert shares(50) == pytest.approx([1 / 46, 36 / 46, 0, 9 / 46], abs=0.03)
    assert shares(1)[1] == 1


def test_large_weights_and_one_move() -> None:
    assert choose([65535], 1, random.Random()) == 0
    assert choose([0, 1], 37, random.Random()) == 1
