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

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np

from engine.files import written_whole
from tuning.data.header import header_bytes, header_text, read_header
from tuning.data.packed import POSITION

MOST_SOURCES = 256
NO_SCORE = -(1 << 15)
NO_RESULT = -1
LARGEST_SCORE = 32000

Records = np.ndarray[Any, np.dtype[np.void]]

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
    """Read a file of positions. Raises OSError, and ValueError with file, place and fault."""
    with open(path, "rb") as file:
        header = read_header(file, path)
        data = np.fromfile(file, np.uint8)
    count, size = header.count, RECORD.itemsize
    if len(data) != count * size:
        raise ValueError(
            f"{path}: cut off at byte {header.start + len(data)}: "
            f"{len(data) // size} of {count} positions are there"
        )
    if zlib.crc32(data.tobytes()) != header.checksum:
        raise ValueError(f"{path}: the positions are damaged")
    return Dataset(data.view(RECORD), header.sources, header.notes)


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
