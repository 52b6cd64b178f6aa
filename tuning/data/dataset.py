"""Sets of labelled positions, 32 bytes each.

A file of positions (usually `*.positions`), all numbers little-endian:

    0   8 bytes   b"WADJPOS1"
    8   uint32    length of the header, where the records begin; a multiple of 32
    12  uint32    length of a record, 32
    16  uint64    number of records
    24  uint64    CRC-32 of the records
    32  text      JSON in UTF-8, padded with spaces: {"sources": [names], ...}
    ... records   tuning.data.packed.PackedPosition, with these labels:

        int16  score in centipawns, White's view; NO_SCORE if unknown
        int8   result in half points of White, 0 to 2; NO_RESULT if unknown
        uint8  index into "sources": where the score is from; each has its own scale
        int8   move number, at most 127
        int8   1 if a new game begins here, else 0

The positions of a game are neighbours, so that a set can be split between games.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from engine.board.constants import PAWN
from engine.files import written_whole
from tuning.data.packed import POSITION
from tuning.files import lock

MOST_SOURCES = 256
NO_SCORE = -(1 << 15)
NO_RESULT = -1
LARGEST_SCORE = 32000

MAGIC = b"WADJPOS1"
NUMBERS = struct.Struct("<IIQQ")  # where records begin, bytes of one, how many, their CRC-32
FIRST = len(MAGIC) + NUMBERS.size  # byte of the text
WRITTEN_HEADER = 4096  # bytes, of a file that grows: its notes change while it does
PART = 1 << 20  # records read at a time

Records = np.ndarray[Any, np.dtype[np.void]]
Counts = np.ndarray[Any, np.dtype[np.int64]]
UNITS = np.array([0, 1, 1, 2, 4, 0])  # by kind

_LABELS = POSITION.fields["labels"][1] if POSITION.fields else 0
# A record with its labels named. The same bytes as POSITION.
RECORD = np.dtype(
    {
        "names": [
            "occupied",
            "pieces",
            "side",
            "clock",
            "score",
            "result",
            "source",
            "move",
            "starts_game",
        ],
        "formats": ["<i8", ("<i8", (2,)), "i1", "i1", "<i2", "i1", "u1", "i1", "i1"],
        "offsets": [0, 8, 24, 25, *(_LABELS + n for n in (0, 2, 3, 4, 5))],
        "itemsize": POSITION.itemsize,
    }
)


@dataclass
class Dataset:
    """Labelled positions in memory. `records` has dtype RECORD."""

    records: Records
    sources: list[str]
    notes: dict[str, Any] = field(default_factory=dict)  # on their origin, for people

    def __len__(self) -> int:
        return len(self.records)

    @property
    def positions(self) -> Records:
        """The same memory as packed.POSITION."""
        return self.records.view(POSITION)

    def game_numbers(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """For each position the number of its game, from 0."""
        starts = self.records["starts_game"].astype(np.int64)
        if len(starts):
            starts[0] = 1
        return cast("np.ndarray[Any, np.dtype[np.int64]]", np.cumsum(starts) - 1)

    def only(self, kept: np.ndarray[Any, np.dtype[np.bool_]]) -> Dataset:
        """The positions with `kept`, still grouped by game."""
        records = self.records[kept]
        records["starts_game"] = np.diff(self.game_numbers()[kept], prepend=-1) != 0
        return Dataset(records, self.sources, self.notes)

    def save(self, path: Path) -> None:
        """Write the file, complete or not at all."""
        text = header_text(self.sources, self.notes)
        text += b" " * (-len(text) % 32)
        data = self.records.tobytes()
        with written_whole(path) as file:
            file.write(header_bytes(text, len(self.records), zlib.crc32(data)))
            file.write(data)


def load(path: Path) -> Dataset:
    """Read a file of positions. Raises as `open_positions` does."""
    file = open_positions(path)
    return Dataset(np.array(file.records), file.sources, file.notes)


def source_index(sources: list[str], name: str) -> int:
    """The index of `name` in `sources`, which it is added to. ValueError for more than 256."""
    if name not in sources:
        if len(sources) == MOST_SOURCES:
            raise ValueError(f"more than {MOST_SOURCES} sources of scores")
        sources.append(name)
    return sources.index(name)


def load_all(paths: Sequence[Path]) -> Dataset:
    """Several files as one set. ValueError if they hold no position."""
    sets = [load(path) for path in paths]
    sources: list[str] = []
    for each in sets:
        index = np.array([source_index(sources, name) for name in each.sources] or [0], np.uint8)
        each.records["source"] = index[each.records["source"]]
        each.records["starts_game"][:1] = 1
    records = np.concatenate([each.records for each in sets])
    if not len(records):
        raise ValueError(f"{', '.join(map(str, paths))}: no positions")
    return Dataset(records, sources, {"files": [str(path) for path in paths]})


def men_of(records: Records) -> tuple[Counts, Counts]:
    """(codes, squares) of at most 32 men of each position: kind + 8 for Black; code -1 where there
    are fewer."""
    count = len(records)
    words = np.ascontiguousarray(records["pieces"]).view(np.uint8).reshape(count, 16)
    codes = np.stack([words & 15, words >> 4], axis=2).reshape(count, 32).astype(np.int64)
    occupied = np.ascontiguousarray(records["occupied"]).view(np.uint8).reshape(count, 8)
    bits = np.unpackbits(occupied, axis=1, bitorder="little")
    codes[np.arange(32) >= bits.sum(axis=1)[:, None]] = -1
    squares = np.zeros((count, 32), np.int64)
    rows, places = np.nonzero(bits)
    squares[rows, (np.cumsum(bits, axis=1) - 1)[rows, places]] = places
    return codes, squares


def units_of(codes: Counts) -> Counts:
    """Non-pawn material of both sides by the codes of `men_of`, 24 at the start of a game."""
    return np.asarray(UNITS[np.where(codes >= 0, codes & 7, PAWN)].sum(axis=1))


# --- Files larger than memory: mapped for reading, written piece by piece ------------------------


@dataclass
class PositionsFile:
    """A file of positions, whose records are read when they are used."""

    path: Path
    records: Records  # dtype RECORD, mapped
    sources: list[str]
    checksum: int
    notes: dict[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.records)


def open_positions(path: Path) -> PositionsFile:
    """Map a file, and read it once to check that it is whole.

    Raises OSError, and ValueError with file, place and fault.
    """
    with open(path, "rb") as file:
        header = read_header(file, path)
        length = os.fstat(file.fileno()).st_size
    count, size = header.count, RECORD.itemsize
    if length != header.start + count * size:
        raise ValueError(
            f"{path}: cut off at byte {length}: "
            f"{max(0, length - header.start) // size} of {count} positions are there"
        )
    records: Records = np.zeros(0, RECORD)
    if count:  # an empty file cannot be mapped
        records = np.memmap(path, RECORD, "r", offset=header.start, shape=(count,))
    found = 0
    for first in range(0, count, PART):
        found = zlib.crc32(records[first : first + PART].tobytes(), found)
    if found != header.checksum:
        raise ValueError(f"{path}: the positions are damaged")
    return PositionsFile(path, records, header.sources, header.checksum, header.notes)


class PositionsWriter:
    """A file of positions that grows, and survives a kill at any moment.

    Until `finish` it is called NAME.part. `commit` makes what was appended permanent, together with
    notes from which a later run resumes; whatever was appended after it is dropped, and a file
    without a committed position disappears.
    """

    def __init__(self, path: Path, sources: list[str]):
        """Resume the part file if there is one.

        Raises ValueError if it has other sources, OSError if another process writes it.
        """
        self.path, self.sources = path, sources
        self.part = path.with_name(path.name + ".part")
        self.count, self.checksum, self._committed = 0, 0, 0
        self.notes: dict[str, Any] = {}
        resumes = self.part.exists()
        self._file = open(self.part, "r+b" if resumes else "x+b")  # noqa: SIM115 - close() does
        try:
            lock(self._file, self.part)
            if resumes:
                self._resume()
            else:
                self.commit({})
        except BaseException:
            if resumes:
                self._file.close()
            else:
                self.close()
            raise

    def _resume(self) -> None:
        header = read_header(self._file, self.part)
        end = header.start + header.count * RECORD.itemsize
        if header.start != WRITTEN_HEADER or self.part.stat().st_size < end:
            raise ValueError(f"{self.part}: cut off; remove it to begin anew")
        if header.sources != self.sources:
            raise ValueError(f"{self.part}: was begun with scores of {', '.join(header.sources)}")
        self.count, self.checksum, self.notes = header.count, header.checksum, header.notes
        self._committed = self.count
        self._file.truncate(end)
        self._file.seek(end)

    def begun(self, name: str, settings: dict[str, Any]) -> dict[str, Any]:
        """The notes from which a run with these settings resumes, empty for a new file. ValueError
        if they hold other settings under `name`."""
        if self.notes and self.notes.get(name) != settings:
            raise ValueError(f"{self.part}: was begun with other settings; finish or remove it")
        return self.notes

    def append(self, records: Records) -> None:
        data = records.tobytes()
        self._file.write(data)
        self.count += len(records)
        self.checksum = zlib.crc32(data, self.checksum)

    def commit(self, notes: dict[str, Any]) -> None:
        """ValueError if the notes are too long for a header."""
        self.notes = notes
        text = header_text(self.sources, notes)
        if len(text) > WRITTEN_HEADER - FIRST:
            raise ValueError(f"{self.path}: its notes are longer than {WRITTEN_HEADER} bytes")
        self._file.flush()
        os.fsync(self._file.fileno())  # first the positions, then the header that counts them
        end = max(self._file.tell(), WRITTEN_HEADER)
        self._file.seek(0)
        padded = text.ljust(WRITTEN_HEADER - FIRST)
        self._file.write(header_bytes(padded, self.count, self.checksum))
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.seek(end)
        self._committed = self.count

    def finish(self, notes: dict[str, Any]) -> None:
        """The file gets its name."""
        self.commit(notes)
        self._file.close()
        os.replace(self.part, self.path)

    def close(self) -> None:
        try:
            self._file.close()
        finally:  # also if the disk is too full for the rest
            if not self._committed:
                self.part.unlink(missing_ok=True)

    def __enter__(self) -> PositionsWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


# --- Headers -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Header:
    start: int  # byte at which the records begin
    count: int  # of records
    checksum: int
    sources: list[str]
    notes: dict[str, Any]  # on their origin


def read_header(file: IO[bytes], path: Path) -> Header:
    """Read up to the first record. Raises ValueError with file, place and fault."""
    head = file.read(FIRST)
    if len(head) < FIRST or not head.startswith(MAGIC):
        raise ValueError(f"{path}: not a file of positions")
    start, size, count, checksum = NUMBERS.unpack(head[len(MAGIC) :])
    if size != POSITION.itemsize or start < FIRST or start % POSITION.itemsize:
        raise ValueError(f"{path}: byte {len(MAGIC)}: records of another format")
    try:
        notes = json.loads(file.read(start - FIRST))
        sources = [str(name) for name in notes.pop("sources")]
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError) as reason:
        raise ValueError(f"{path}: byte {FIRST}: a broken header: {reason}") from reason
    return Header(start, count, checksum, sources, notes)


def header_text(sources: list[str], notes: dict[str, Any]) -> bytes:
    return json.dumps({"sources": sources, **notes}).encode()


def header_bytes(text: bytes, count: int, checksum: int) -> bytes:
    """The header of `count` records, with a text that is padded already."""
    return MAGIC + NUMBERS.pack(FIRST + len(text), POSITION.itemsize, count, checksum) + text
