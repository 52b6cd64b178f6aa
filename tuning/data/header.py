"""The header of a file of positions. Its format stands in dataset.py."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tuning.data.packed import POSITION

MAGIC = b"WADJPOS1"
NUMBERS = struct.Struct("<IIQQ")  # where records begin, bytes of one, how many, their CRC-32
FIRST = len(MAGIC) + NUMBERS.size  # byte of the text


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
    """The header of so many records, with a text that is padded already."""
    return MAGIC + NUMBERS.pack(FIRST + len(text), POSITION.itemsize, count, checksum) + text
