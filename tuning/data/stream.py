"""Files of positions that are larger than memory: mapped for reading, written piece by piece.

Their format stands in dataset.py.
"""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tuning.data.dataset import RECORD, Records
from tuning.data.header import FIRST, header_bytes, header_text, read_header
from tuning.files import lock

WRITTEN_HEADER = 4096  # bytes, of a file that grows: its notes change while it does
PART = 1 << 20  # records read at a time


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


def open_positions(path: Path, check: bool = True) -> PositionsFile:
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
    if check:
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
