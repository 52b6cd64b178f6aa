"""Plain Python: opens one table, and checks everything that kernels rely on.

A file is mapped into memory: the system loads each page when it is first read. Only the header is
read here. After these checks no byte of the data can lead a kernel out of the file: the lists of
spans and sizes, the blocks and the maps of DTZ values lie inside, the symbols contain neither
themselves nor others that are missing, and each code begins where a longer one ends. A file that is
cut short while a search reads it ends the program, as with other engines; replacing it is safe.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.native.structs import Array, StructArray
from tablebases.decoding import measure_symbols
from tablebases.layout import (
    CHECKSUM_BYTES,
    DATA_ALIGNMENT,
    DTZ_SUFFIX,
    HAS_PAWNS,
    MAGIC_OF,
    MAPPED,
    NO_ORDER,
    NO_RIGHT_CHILD,
    ONE_VALUE,
    WDL_OFFSET,
    WDL_SUFFIX,
    WIDE_MAP,
    fill_encoding,
    new_index_tables,
    pawn_counts,
)
from tablebases.mapping import map_file
from tablebases.material import FormatError, is_symmetric, men, sides, signature
from tablebases.tables import Half, Part, Symbol, Table, Word

INDEX_TABLES = new_index_tables()

LONGEST_CODE = 32  # bits
LARGEST_BLOCK = 20  # its logarithm, in bytes


@dataclass
class OpenTable:
    """A table that kernels can read as long as this object lives."""

    path: Path
    content: Array  # the mapped file, uint8
    table: Table
    identity: tuple[int, ...]  # of the file that was opened; changes when it is replaced

    def is_unchanged(self) -> bool:
        """Is the file still the one that was opened?"""
        try:
            return _identity(os.stat(self.path)) == self.identity
        except OSError:
            return False


def open_table(path: Path) -> OpenTable:
    """Map a file and check it. Raises FormatError or OSError, which name the file."""
    try:
        if not path.is_file() and path.exists():  # opening a named pipe would wait for its writer
            raise FormatError("it is not a file")
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            if status.st_size % DATA_ALIGNMENT != CHECKSUM_BYTES:
                raise FormatError(f"it cannot have {status.st_size} bytes")
            content = map_file(file)
        return OpenTable(path, content, _Header(path, content).table, _identity(status))
    except (FormatError, IndexError) as reason:
        text = "it ends too early" if isinstance(reason, IndexError) else str(reason)
        raise FormatError(f"{path}: {text}") from None


def _identity(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


class _Header:
    """Reads the beginning of a file, from front to back."""

    def __init__(self, path: Path, content: Array):
        self.name, self.is_wdl = path.stem, path.suffix == WDL_SUFFIX
        if path.suffix not in (WDL_SUFFIX, DTZ_SUFFIX):
            raise FormatError(f"its name does not end in {WDL_SUFFIX} or {DTZ_SUFFIX}")
        if content[:4].tobytes() != MAGIC_OF[path.suffix]:
            raise FormatError(f"it does not begin as a {path.suffix} file")
        self.content = content
        self.end = len(content) - CHECKSUM_BYTES
        self.position = 5
        self.halves = StructArray(Half, len(content) // 2, content)
        self.words = StructArray(Word, len(content) // 4, content)
        self.table = self._table()

    def byte(self) -> int:
        if self.position >= self.end:
            raise IndexError
        self.position += 1
        return int(self.content[self.position - 1])

    def number(self, size: int) -> int:
        """A little-endian number."""
        return int.from_bytes(self._bytes(size), "little")

    def _bytes(self, count: int) -> bytes:
        start = self.position
        if start + count > self.end:
            raise IndexError
        self.position += count
        return self.content[start : self.position].tobytes()

    def _align(self, boundary: int) -> None:
        self.position += -self.position % boundary

    def _skip(self, count: int) -> int:
        """Where `count` bytes begin that kernels will read."""
        start = self.position
        if start + count > self.end:
            raise IndexError
        self.position += count
        return start

    def _table(self) -> Table:
        white, black = sides(self.name)
        has_pawns = "P" in self.name
        flags = int(self.content[4])
        if bool(flags & HAS_PAWNS) != has_pawns or flags >> 4 not in (0, men(self.name)):
            raise FormatError(f"it is not a table of {self.name}")
        table = Table()
        table.signature = signature(white, black)
        table.is_symmetric = int(is_symmetric(self.name))
        table.has_pawns = int(has_pawns)
        sides_stored = 2 if self.is_wdl and not table.is_symmetric else 1
        table.sides = sides_stored
        files = 4 if has_pawns else 1
        table.parts = parts = StructArray(Part, sides_stored * files)
        for file in range(files):
            self._orders(list(parts)[sides_stored * file : sides_stored * (file + 1)], file)
        self._align(2)
        index_counts = [self._compression(part) for part in parts]
        if not self.is_wdl:
            self._maps(parts)
            self._align(2)
        self._places(parts, index_counts)
        return table

    def _orders(self, parts: list[Part], file: int) -> None:
        """The order of pieces and groups: the lower halves of the bytes are White's."""
        order = self.byte()
        both_have_pawns = pawn_counts(self.name)[1] > 0
        second_order = self.byte() if both_have_pawns else NO_ORDER * 17
        pieces = self._bytes(men(self.name))
        for part, shift in zip(parts, (0, 4), strict=False):
            fill_encoding(
                part.encoding,
                INDEX_TABLES,
                self.name,
                [piece >> shift & 15 for piece in pieces],
                order >> shift & 15,
                second_order >> shift & 15,
                file,
            )

    def _compression(self, part: Part) -> int:
        """The header of a part; returns how many spans it has."""
        part.halves, part.words = self.halves, self.words
        part.word_count = len(self.words)
        part.symbols = StructArray(Symbol, 0)
        part.flags = flags = self.byte()
        if flags & ONE_VALUE:
            value = self.byte()
            part.is_constant = 1
            part.constant = value if self.is_wdl else 0
            if self.is_wdl and value > 2 * WDL_OFFSET:
                raise FormatError(f"all its values are {value}")
            return 0
        block_bits, span_bits, padding = self.byte(), self.byte(), self.byte()
        if not 2 <= block_bits <= LARGEST_BLOCK or not 1 <= span_bits <= 32:
            raise FormatError(f"blocks of 2^{block_bits} bytes, spans of 2^{span_bits} positions")
        part.block_bits = block_bits - 2
        part.span_bits = span_bits
        part.block_count = self.number(4)
        part.size_count = part.block_count + padding
        self._code(part)
        return -(-int(part.encoding.index_count) // (1 << span_bits))

    def _code(self, part: Part) -> None:
        """The lengths of the code words and the symbols they stand for."""
        longest, shortest = self.byte(), self.byte()
        if not 1 <= shortest <= longest <= LONGEST_CODE:
            raise FormatError(f"code words of {shortest} to {longest} bits")
        part.shortest_code = shortest
        firsts = [self.number(2) for _ in range(longest - shortest + 1)]
        count = self.number(2)
        code = 0
        for bits in range(longest, shortest - 1, -1):
            part.first_symbol[bits] = firsts[bits - shortest]
            if bits < longest:
                code = (code + firsts[bits - shortest] - firsts[bits - shortest + 1]) // 2
            if not 0 <= code < 1 << bits:
                raise FormatError("its code words contradict each other")
            part.first_code[bits] = code << 32 - bits

        data = np.frombuffer(self._bytes(3 * count), np.uint8).reshape(count, 3).astype(np.int16)
        self._align(2)
        left = data[:, 0] | (data[:, 1] & 15) << 8
        right = data[:, 1] >> 4 | data[:, 2] << 4
        is_value = right == NO_RIGHT_CHILD
        part.symbols = symbols = StructArray(Symbol, count)
        part.symbol_count = count
        columns = symbols.memory.view(np.int16).reshape(count, 3)
        columns[:, 0] = left
        columns[:, 1] = np.where(is_value, -1, right)
        if not measure_symbols(part):
            raise FormatError("its symbols have no end")
        if self.is_wdl and np.any(left[is_value] > 2 * WDL_OFFSET):
            raise FormatError(f"it has values above {2 * WDL_OFFSET}")

    def _maps(self, parts: StructArray[Part]) -> None:
        """Which DTZ the stored values stand for, for each class of WDL."""
        for part in parts:
            if not part.flags & MAPPED:
                continue
            width = 2 if part.flags & WIDE_MAP else 1
            if width == 2:
                self._align(2)
            for which in range(4):
                part.map_length[which] = length = self.number(width)
                part.map_start[which] = self._skip(width * length)

    def _places(self, parts: StructArray[Part], span_counts: list[int]) -> None:
        """Where the lists and the data are: all parts' spans, all sizes, then all blocks."""
        for part, count in zip(parts, span_counts, strict=True):
            part.spans = self._skip(6 * count) // 2
        for part in parts:
            part.sizes = self._skip(2 * int(part.size_count)) // 2
        for part in parts:
            if not part.is_constant:
                self._align(DATA_ALIGNMENT)
                blocks = self._skip(int(part.block_count) << int(part.block_bits) + 2)
                part.blocks = blocks // 4
        self._align(DATA_ALIGNMENT)
        if self.position != self.end:
            raise FormatError(f"its {len(self.content)} bytes are too few or too many")
