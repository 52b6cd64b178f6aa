"""Files of positions that are larger than memory: mapped for reading, written piece by piece.

The format is that of tuning.dataset.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tuning.data.dataset import RECORD, Records

MAGIC = b"WADJPOS1"
NUMBERS = struct.Struct("<IIQQ")  # where records begin, bytes of one, how many, their CRC-32
FIRST = len(MAGIC) + NUMBERS.size
WRITTEN_HEADER = 4096  # bytes, of a file that grows: its notes change while it does
PART = 1 << 20  # records read at a time


@dataclass
class PositionsFile:
    """A file of positions, whose records are read when they are looked at."""

    path: Path
    records: Records  # dtype RECORD, mapped
    sources: list[str]
    checksum: int
    notes: dict[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.records)


def open_positions(path: Path, check: bool = True) -> PositionsFile:
    """Map a file, and read it once to see whether it is whole.

    Raises OSError, and ValueError that names the file and what is wrong where.
    """
    with open(path, "rb") as file:
        head = file.read(FIRST)
        if len(head) < FIRST or head[:8] != MAGIC:
            raise ValueError(f"{path}: not a file of positions")
        start, size, count, checksum = NUMBERS.unpack(head[8:])
        if size != RECORD.itemsize or start < FIRST or start % 32:
            raise ValueError(f"{path}: byte 8: records of another format")
        length = os.fstat(file.fileno()).st_size
        if length != start + count * size:
            raise ValueError(
                f"{path}: cut off at byte {length}: "
                f"{max(0, length - start) // size} of {count} positions are there"
            )
        try:
            notes = json.loads(file.read(start - FIRST))
            sources = [str(name) for name in notes.pop("sources")]
        except (ValueError, KeyError, AttributeError, TypeError) as reason:
            raise ValueError(f"{path}: byte {FIRST}: a broken header: {reason}") from reason
    records: Records = np.zeros(0, RECORD)
    if count:  # an empty file cannot be mapped
        records = np.memmap(path, RECORD, "r", offset=start, shape=(count,))
    if check:
        found = 0
        for first in range(0, count, PART):
            found = zlib.crc32(records[first : first + PART].tobytes(), found)
        if found != checksum:
            raise ValueError(f"{path}: the positions are damaged")
    return PositionsFile(path, records, sources, checksum, notes)


class PositionsWriter:
    """A file of positions that grows, and survives a kill at any moment.

    Until `finish` it is called NAME.part. `commit` makes what was appended permanent, together with
    notes from which a later run goes on; what was appended after it is forgotten, and a file
    without a committed position disappears.
    """

    def __init__(self, path: Path, sources: list[str]):
        """Go on with the part file if there is one. ValueError if it has other sources."""
        self.path, self.sources = path, sources
        self.part = path.with_name(path.name + ".part")
        self.count, self.checksum, self._committed = 0, 0, 0
        self.notes: dict[str, Any] = {}
        if self.part.exists():
            self._resume()
        else:
            self._file = open(self.part, "x+b")  # noqa: SIM115 - closed by close()
            self.commit({})

    def _resume(self) -> None:
        with open(self.part, "rb") as file:
            head = file.read(FIRST)
            text = file.read(WRITTEN_HEADER - FIRST)
        if len(text) < WRITTEN_HEADER - FIRST or head[:8] != MAGIC:
            raise ValueError(f"{self.part}: not a file of positions to go on with; remove it")
        start, _, self.count, self.checksum = NUMBERS.unpack(head[8:])
        try:
            self.notes = json.loads(text)
            sources = self.notes.pop("sources")
        except (ValueError, KeyError, AttributeError, TypeError) as reason:
            raise ValueError(f"{self.part}: byte {FIRST}: a broken header: {reason}") from reason
        end = start + self.count * RECORD.itemsize
        if start != WRITTEN_HEADER or self.part.stat().st_size < end:
            raise ValueError(f"{self.part}: cut off; remove it to begin anew")
        if sources != self.sources:
            raise ValueError(f"{self.part}: was begun with scores of {', '.join(sources)}")
        self._committed = self.count
        self._file = open(self.part, "r+b")  # noqa: SIM115 - closed by close()
        self._file.truncate(end)
        self._file.seek(end)

    def append(self, records: Records) -> None:
        data = records.tobytes()
        self._file.write(data)
        self.count += len(records)
        self.checksum = zlib.crc32(data, self.checksum)

    def commit(self, notes: dict[str, Any]) -> None:
        """ValueError if the notes are too long for a header."""
        self.notes = notes
        text = json.dumps({"sources": self.sources, **notes}).encode()
        if len(text) > WRITTEN_HEADER - FIRST:
            raise ValueError(f"{self.path}: its notes are longer than {WRITTEN_HEADER} bytes")
        self._file.flush()
        os.fsync(self._file.fileno())  # first the positions, then the header that counts them
        numbers = NUMBERS.pack(WRITTEN_HEADER, RECORD.itemsize, self.count, self.checksum)
        end = max(self._file.tell(), WRITTEN_HEADER)
        self._file.seek(0)
        self._file.write(MAGIC + numbers + text.ljust(WRITTEN_HEADER - FIRST))
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
        self._file.close()
        if not self._committed:
            self.part.unlink(missing_ok=True)

    def __enter__(self) -> PositionsWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
