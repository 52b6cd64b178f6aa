"""Opening lines and games from files: PGN, tables of games, Polyglot books, lists of positions.

A file may be packed (.zip, .xz, .gz, .bz2). A table (.tsv) names its columns in its first line;
the one whose name starts with `moves` or `pgn` holds the moves in SAN, and what follows a move
after `:` or `@` (a score, a depth) is skipped. Other columns become tags, as in PGN.
"""

from __future__ import annotations

import bz2
import gzip
import io
import itertools
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

import chess
import chess.pgn

_UNPACKERS: dict[str, Callable[..., TextIO]] = {
    ".xz": lzma.open,
    ".gz": gzip.open,
    ".bz2": bz2.open,
}
_SCORE = re.compile("[:@]")
_NUMBER = re.compile(r"\d+\.*")
_POINTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}


@dataclass(frozen=True)
class OpeningLine:
    """Moves from the start position; `moves` ends before the first that could not be read."""

    moves: tuple[chess.Move, ...]
    place: str  # file and line or game, for messages
    tags: dict[str, str] = field(default_factory=dict)  # names in lower case
    error: str | None = None

    def white_points(self) -> float | None:
        """1, 0.5 or 0; None for an unknown result."""
        return _POINTS.get(self.tags.get("result", ""))


def read_lines(path: Path, most_plies: int) -> Iterator[OpeningLine]:
    """The lines of a PGN file or of a table, each cut after `most_plies`."""
    suffix = text_suffix(path)
    if suffix == ".pgn":
        return _read_pgn(path, most_plies)
    if suffix == ".tsv":
        return _read_table(path, most_plies)
    raise ValueError(f"{path}: lines are read from .pgn and .tsv, not from {suffix or 'this'}")


def read_positions(path: Path) -> Iterator[chess.Board]:
    """The positions of an EPD file; operations after the fourth field are skipped."""
    with open_text(path) as file:
        for number, row in enumerate(file, 1):
            fields = row.split()
            if not fields:
                continue
            try:
                # chess960 also reads castling rights of the standard position
                yield chess.Board(" ".join(fields[:4]) + " 0 1", chess960=True)
            except ValueError as reason:
                raise ValueError(f"{path}, line {number}: {reason}") from None


def text_suffix(path: Path) -> str:
    """`.pgn` for x.pgn and for x.pgn.zip."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in (*_UNPACKERS, ".zip"):
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


@contextmanager
def open_text(path: Path) -> Iterator[TextIO]:
    """Open for reading, unpacking on the way. A .zip must hold one file. Raises ValueError."""
    packing = path.suffix.lower()
    try:
        if packing == ".zip":
            with zipfile.ZipFile(path) as archive:
                names = [name for name in archive.namelist() if not name.endswith("/")]
                if len(names) != 1:
                    raise ValueError(f"{path}: must hold one file, not {len(names)}")
                with archive.open(names[0]) as raw:
                    yield io.TextIOWrapper(raw, encoding="utf-8", errors="replace")
        elif packing in _UNPACKERS:
            with _UNPACKERS[packing](path, "rt", encoding="utf-8", errors="replace") as file:
                yield file
        else:
            with path.open(encoding="utf-8", errors="replace") as file:
                yield file
    except (zipfile.BadZipFile, lzma.LZMAError, zlib.error, EOFError) as reason:
        raise ValueError(f"{path}: {reason}") from None
    except OSError as reason:
        if reason.errno is not None:
            raise
        raise ValueError(f"{path}: {reason}") from None  # so gzip and bz2 say what is damaged


# SAN that was parsed before, as a tree: the lines of a file mostly begin alike.
_Known = dict[str, tuple[chess.Move, "_Known"]]

# --- PGN -----------------------------------------------------------------------------------------


class _LineReader(chess.pgn.BaseVisitor[OpeningLine]):  # type: ignore[misc]  # its types are not read
    """The main line of a game, without moves if it does not start from the start position."""

    def __init__(self, place: str, most_plies: int, known: _Known) -> None:
        self._place = place
        self._known = known  # from the last move on
        self._most_plies = most_plies
        self._moves: list[chess.Move] = []
        self._tags: dict[str, str] = {}
        self._error: str | None = None

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        self._tags[tagname.lower()] = tagvalue

    def end_headers(self) -> chess.pgn.SkipType | None:
        fen = self._tags.get("fen", chess.STARTING_FEN)
        if fen.split()[:4] == chess.STARTING_FEN.split()[:4]:
            return None
        self._error = "does not begin with the start position"
        return chess.pgn.SKIP

    def begin_variation(self) -> chess.pgn.SkipType:
        return chess.pgn.SKIP

    def parse_san(self, board: chess.Board, san: str) -> chess.Move:
        if san not in self._known:
            self._known[san] = (super().parse_san(board, san), {})
        move, self._known = self._known[san]
        return move

    def visit_move(self, board: chess.Board, move: chess.Move) -> None:
        if len(self._moves) < self._most_plies and self._error is None:
            self._moves.append(move)

    def handle_error(self, error: Exception) -> None:
        self._error = self._error or str(error)

    def result(self) -> OpeningLine:
        return OpeningLine(tuple(self._moves), self._place, self._tags, self._error)


def _read_pgn(path: Path, most_plies: int) -> Iterator[OpeningLine]:
    known: _Known = {}
    with open_text(path) as file:
        for number in itertools.count(1):
            reader = _LineReader(f"{path}, game {number}", most_plies, known)
            line = chess.pgn.read_game(file, Visitor=lambda reader=reader: reader)
            if line is None:
                return
            yield line


# --- Tables --------------------------------------------------------------------------------------


def _read_table(path: Path, most_plies: int) -> Iterator[OpeningLine]:
    known: _Known = {}
    with open_text(path) as file:
        names = file.readline().lstrip("#\ufeff").rstrip("\r\n").lower().split("\t")
        at = next((i for i, name in enumerate(names) if name.startswith(("moves", "pgn"))), None)
        if at is None:
            raise ValueError(f"{path}, line 1: no column is named moves or pgn")
        for number, row in enumerate(file, 2):
            cells = row.rstrip("\r\n").split("\t")
            place = f"{path}, line {number}"
            if len(cells) != len(names):
                reason = f"{len(cells)} columns instead of {len(names)}"
                yield OpeningLine((), place, error=reason)
                continue
            moves, error = _read_moves(cells[at], most_plies, known)
            tags = dict(zip(names, cells, strict=True))
            del tags[names[at]]
            yield OpeningLine(moves, place, tags, error)


def _read_moves(
    text: str, most_plies: int, known: _Known
) -> tuple[tuple[chess.Move, ...], str | None]:
    """Moves in SAN, with or without numbers, and what is wrong with the first bad one."""
    moves: list[chess.Move] = []
    board: chess.Board | None = None  # made when something is not known
    for word in text.split():
        san = _SCORE.split(word, maxsplit=1)[0]
        if _NUMBER.fullmatch(san):
            continue
        if len(moves) >= most_plies:
            break
        if san not in known:
            if board is None:
                board = chess.Board()
                for move in moves:
                    board.push(move)
            try:
                known[san] = (board.parse_san(san), {})
            except ValueError as reason:
                return tuple(moves), str(reason)
        move, known = known[san]
        moves.append(move)
        if board is not None:
            board.push(move)
    return tuple(moves), None
