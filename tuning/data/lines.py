"""Opening lines and games from files: PGN, tables of games, lists of positions.

A file may be packed (.zip, .xz, .gz, .bz2). A table (.tsv) names its columns in its first line;
the one whose name starts with `moves` or `pgn` holds the moves in SAN, and what follows a move
after `:` or `@` (a score, a depth) is skipped. Other columns become tags, as in PGN.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

import chess

from openings.moves import read_move, without_marks
from openings.pgn import read_games
from tuning.adjudication import HALF_POINTS

_UNPACKERS: dict[str, Callable[..., Any]] = {
    ".xz": lzma.open,
    ".gz": gzip.open,
    ".bz2": bz2.open,
}
_SCORE = re.compile("[:@]")
_NUMBER = re.compile(r"\d+\.*")


@dataclass(frozen=True)
class OpeningLine:
    """Moves from the start position; `moves` ends before the first that could not be read."""

    moves: tuple[chess.Move, ...]
    tags: dict[str, str] = field(default_factory=dict)  # names in lower case
    left_out: Sequence[str] = ()  # sentences with file and line

    def white_points(self) -> float | None:
        """1, 0.5 or 0; None for an unknown result."""
        half_points = HALF_POINTS.get(self.tags.get("result", ""))
        return None if half_points is None else half_points / 2


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
    """Open UTF-8 for reading, unpacking on the way. Raises as `open_unpacked` does."""
    with open_unpacked(path) as file:
        yield io.TextIOWrapper(file, encoding="utf-8", errors="replace")


@contextmanager
def open_unpacked(path: Path) -> Iterator[io.BufferedReader]:
    """Open for reading, unpacking on the way. A .zip must hold one file. Raises ValueError."""
    packing = path.suffix.lower()
    try:
        with ExitStack() as stack:
            if packing == ".zip":
                archive = stack.enter_context(zipfile.ZipFile(path))
                names = [name for name in archive.namelist() if not name.endswith("/")]
                if len(names) != 1:
                    raise ValueError(f"{path}: must hold one file, not {len(names)}")
                file: Any = archive.open(names[0])
            else:
                file = _UNPACKERS.get(packing, open)(path, "rb")
            yield stack.enter_context(io.BufferedReader(file))
    except (zipfile.BadZipFile, lzma.LZMAError, zlib.error, EOFError) as reason:
        raise ValueError(f"{path}: {reason}") from None
    except OSError as reason:
        if reason.errno is not None:
            raise
        raise ValueError(f"{path}: {reason}") from None  # so gzip and bz2 say what is damaged


def _read_pgn(path: Path, most_plies: int) -> Iterator[OpeningLine]:
    with open_unpacked(path) as file:
        for found in read_games(file):
            tags = {name.lower(): value for name, value in found.game.headers.items()}
            if not found.refused and found.game.board().epd() != chess.Board().epd():
                found = replace(found, refused="it does not begin with the start position")
            moves = [] if found.refused else found.game.mainline_moves()
            line = tuple(islice(moves, most_plies))
            yield OpeningLine(line, tags, found.left_out(path, "read"))


# --- Tables --------------------------------------------------------------------------------------

# SAN that was parsed before, as a tree: the lines of a file mostly begin alike.
_Known = dict[str, tuple[chess.Move, "_Known"]]


def _read_table(path: Path, most_plies: int) -> Iterator[OpeningLine]:
    known: _Known = {}
    with open_text(path) as file:
        names = file.readline().lstrip("#\ufeff").rstrip("\r\n").lower().split("\t")
        at = next((i for i, name in enumerate(names) if name.startswith(("moves", "pgn"))), None)
        if at is None:
            raise ValueError(f"{path}, line 1: no column is named moves or pgn")
        for number, row in enumerate(file, 2):
            cells = row.rstrip("\r\n").split("\t")
            place = f"{path}:{number}"
            if len(cells) != len(names):
                reason = f"{place}: {len(cells)} columns instead of {len(names)}"
                yield OpeningLine((), left_out=(reason,))
                continue
            moves, error = _read_moves(cells[at], most_plies, known)
            tags = dict(zip(names, cells, strict=True))
            del tags[names[at]]
            yield OpeningLine(
                moves, tags, (f"{place}: {error}: read up to there",) if error else ()
            )


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
                known[san] = (read_move(board, without_marks(san)[0]), {})
            except ValueError:
                return tuple(moves), f"move {board.fullmove_number}, {san}, cannot be played"
        move, known = known[san]
        moves.append(move)
        if board is not None:
            board.push(move)
    return tuple(moves), None
