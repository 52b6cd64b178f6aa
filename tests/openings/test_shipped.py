"""The book and the names that come along."""

from __future__ import annotations

import chess
import chess.polyglot
import numpy as np
import pytest

from openings import SHIPPED_BOOK_PATH as PATH
from openings.game import read_names
from openings.polyglot import Book

MATED = 2  # named lines that end the game


@pytest.fixture(scope="module")
def book() -> Book:
    return Book(PATH)


def test_its_size() -> None:
    keys = np.fromfile(PATH, dtype=[("key", ">u8"), ("rest", ">u8")])["key"]
    assert len(np.unique(keys)) >= 30_000
    assert PATH.stat().st_size < 2_000_000


def test_every_named_opening_is_answered(book: Book) -> None:
    names = read_names()
    unanswered = [str(names[key]) for key in names if not book.entries(key)]
    assert len(unanswered) <= MATED, unanswered


def test_what_it_plays_is_legal_and_weighed(book: Book) -> None:
    queue = [chess.Board()]
    seen = {chess.polyglot.zobrist_hash(queue[0])}
    for board in queue:  # grows
        entries = book.entries(chess.polyglot.zobrist_hash(board))
        weights = [entry.weight for entry in entries]
        assert min(weights, default=1) > 0
        assert weights == sorted(weights, reverse=True)
        assert len({entry.move for entry in entries}) == len(entries)
        for entry in entries:
            move = board.parse_uci(entry.move)
            following = board.copy(stack=False)
            following.push(move)
            key = chess.polyglot.zobrist_hash(following)
            if key not in seen and len(queue) < 2000:
                seen.add(key)
                queue.append(following)
    assert len(queue) == 2000
