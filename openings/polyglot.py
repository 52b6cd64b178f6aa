"""Polyglot books: files of 16-byte entries (key, move, weight, learn), sorted by key.

python-chess maps the file and computes keys. This module adds the check whether a file is a book,
the choice among the moves of a position, and the writing of books.
"""

from __future__ import annotations

import mmap
import os
import random
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import chess
import chess.polyglot
import numpy as np

_ENTRY = struct.Struct(">QHHI")
_CHECKED_WHOLE = 4 << 20  # bytes; of larger books only samples are looked at
_SAMPLES = 64
_PROMOTIONS = ("", "n", "b", "r", "q")  # by the bits of an entry; they have room for three more

# Castling is written as king takes rook.
_CASTLING = {
    (chess.E1, chess.G1): chess.H1,
    (chess.E1, chess.C1): chess.A1,
    (chess.E8, chess.G8): chess.H8,
    (chess.E8, chess.C8): chess.A8,
}


class BookError(ValueError):
    """Why a file is not a book, in words for the user."""


class Entry(NamedTuple):
    """One move of a position. Only the GUI's board knows whether it is legal."""

    move: str  # UCI notation, castling as king takes rook; ends with ? if it is legal nowhere
    weight: int  # 0 to 65535; 0 is never played


class Book:
    """A book on disk; of a large one only the pages that are looked at are read."""

    def __init__(self, path: Path) -> None:
        """Raises BookError with the reason if the file is not a book."""
        self.path = path
        try:
            if path.is_dir():
                raise BookError(f"{path} is a folder, not a book")
            self._size = path.stat().st_size
            if self._size == 0:
                raise BookError(f"{path} is empty")
            if self._size % _ENTRY.size:
                raise BookError(
                    f"{path} is cut off or no Polyglot book: "
                    f"{self._size} bytes are not a multiple of {_ENTRY.size}"
                )
            self._reader = chess.polyglot.MemoryMappedReader(path)
        except OSError as error:
            raise BookError(f"{path} cannot be read: {error.strerror or error}") from None
        if not isinstance(self._reader.mmap, mmap.mmap):
            raise BookError(f"{path} cannot be mapped into memory")
        if not _is_sorted(self._reader.mmap):
            self.close()
            raise BookError(f"{path} is no Polyglot book: its entries are not sorted by key")

    def close(self) -> None:
        self._reader.close()

    def __len__(self) -> int:
        return len(self._reader)

    def entries(self, key: int) -> list[Entry]:
        """The entries for a position, in the order of the file. Raises BookError."""
        # Reading beyond the end of a mapped file ends the process.
        try:
            size = os.stat(self.path).st_size
        except OSError as error:
            raise BookError(f"{self.path} cannot be read: {error.strerror or error}") from None
        if size != self._size:
            raise BookError(f"{self.path} has changed since it was opened")
        return [
            Entry(_text(entry.raw_move), entry.weight)
            for entry in self._reader.find_all(key, minimum_weight=0)
            if entry.raw_move != 0  # means "ignore this"
        ]


def choose(weights: Sequence[int], variety: int, chance: random.Random) -> int:
    """The index of the chosen move. At least one weight must be greater than 0.

    `variety` goes from 0, always the first of the greatest weight, to 100, in proportion to the
    weights. Between the two the weights are raised to the power 100 / variety, which favours
    the better moves the more the smaller it is.
    """
    best = max(weights)
    if variety <= 0:
        return weights.index(best)
    shares = [(weight / best) ** (100 / variety) for weight in weights]
    return chance.choices(range(len(weights)), shares)[0]


def _text(move: int) -> str:
    """The 16 bits as an entry's text. python-chess takes some for drops, or fails on them."""
    start, to, promotion = move >> 6 & 63, move & 63, move >> 12 & 7
    squares = chess.SQUARE_NAMES[start] + chess.SQUARE_NAMES[to]
    if start == to or promotion >= len(_PROMOTIONS):
        return squares + "?"
    return squares + _PROMOTIONS[promotion]


def _is_sorted(data: mmap.mmap) -> bool:
    count = len(data) // _ENTRY.size
    keys = np.ndarray(shape=(count,), dtype=">u8", buffer=data, strides=(_ENTRY.size,))
    if len(data) > _CHECKED_WHOLE:
        keys = keys[np.linspace(0, count - 1, _SAMPLES, dtype=np.int64)]
    return bool(np.all(keys[1:] >= keys[:-1]))


def raw_move(board: chess.Board, move: chess.Move) -> int:
    """A legal move as the 16 bits of the format."""
    to = move.to_square
    if board.is_castling(move):
        to = _CASTLING[move.from_square, to]
    promotion = 0 if move.promotion is None else move.promotion - 1
    return promotion << 12 | move.from_square << 6 | to


class RawEntry(NamedTuple):
    """An entry to write."""

    key: int
    move: int  # as raw_move makes it
    weight: int


def write_book(path: Path, entries: Iterable[RawEntry]) -> int:
    """Write a book, the best move of each position first; returns how many entries it has.

    The file appears under its name only when it is complete.
    """
    ordered = sorted(entries, key=lambda entry: (entry.key, -entry.weight, entry.move))
    unfinished = path.with_name(path.name + ".part")
    with unfinished.open("wb") as file:
        for entry in ordered:
            file.write(_ENTRY.pack(*entry, 0))
    os.replace(unfinished, path)
    return len(ordered)
