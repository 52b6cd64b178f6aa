"""Plain Python: puts a solved material into the two files of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from engine.native.structs import Array, StructArray
from tablebases.checksum import CHUNK, checksum
from tablebases.generator import arrange
from tablebases.generator.arrange import Arrangement, Leaders
from tablebases.generator.compress import (
    Compressed,
    Workspace,
    constant,
    estimate,
    frequencies,
    pair_up,
    replace_values,
    write_out,
)
from tablebases.generator.pairing import fill_dtz, fill_wdl
from tablebases.generator.placements import FIFTY_MOVES
from tablebases.generator.solve import Ranges, Solution, slots
from tablebases.layout import (
    BLACK_TO_MOVE,
    BOTH_SIDES,
    DATA_ALIGNMENT,
    DTZ_MAGIC,
    HAS_PAWNS,
    LOSS_IN_PLIES,
    MAPPED,
    NO_ORDER,
    ONE_VALUE,
    WDL_MAGIC,
    WIDE_MAP,
    WIN_IN_PLIES,
    fill_encoding,
    new_index_tables,
    pawn_counts,
)
from tablebases.material import FormatError, counts, is_symmetric, men
from tablebases.tables import Encoding, Half, Men

WDL_BLOCKS = range(5, 7)  # logarithms of block sizes in bytes: small, so that probing is fast
DTZ_BLOCKS = range(5, 11)
SAMPLE_RUNS, SAMPLE_RUN = 32, 2048  # values that decide about the order of pieces
FINALISTS = 2  # orders that are tried on all values
DTZ_CODES = 5 << arrange.DTZ_WDL_SHIFT
WDL_CLASSES = (2, -2, 1, -1)  # in the order of the lists in a DTZ table

# The standard table has Black to move, although White takes less room here. Pairs of plies make
# values differ by one with the side that is stored: only the same side gives the same values.
STANDARD_SIDES = {"KBBvK": (1,)}

INDEX_TABLES = new_index_tables()


@dataclass
class Order:
    """What a sub-table chooses: its pieces' and its groups' order."""

    pieces: tuple[int, ...]
    group: int
    second_group: int = NO_ORDER


@dataclass
class Part:
    """One sub-table for one side."""

    order: Order
    compressed: Compressed
    maps: bytes = b""  # DTZ only


class Writer:
    """Makes the files of one solved material."""

    def __init__(self, solution: Solution):
        self.solution = solution
        self.name = solution.name
        self.files = range(4 if "P" in self.name else 1)
        self.sides = (0,) if is_symmetric(self.name) else (0, 1)
        self.orders = list(_orders(self.name))
        largest = max(int(self._encoding(self.orders[0], file).index_count) for file in self.files)
        self.workspace = Workspace(largest)
        self.leaders: dict[tuple[int, int], StructArray[Leaders]] = {}

    def wdl_file(self) -> bytes:
        parts = [[self._wdl_part(file, side) for side in self.sides] for file in self.files]
        return self._assemble(WDL_MAGIC, parts)

    def dtz_file(self) -> bytes:
        """The side to move that takes less room is the one stored, with few exceptions."""
        sides = STANDARD_SIDES.get(self.name, self.sides)
        candidates = [[[self._dtz_part(file, side)] for file in self.files] for side in sides]
        best = min(candidates, key=lambda parts: sum(part[0].compressed.size for part in parts))
        return self._assemble(DTZ_MAGIC, best)

    # --- One sub-table ---------------------------------------------------------------------------

    def _wdl_part(self, file: int, side: int) -> Part:
        def prepare(order: Order, runs: Ranges) -> int:
            length = self._collect(arrange.collect_wdl, order, file, side, 0, runs)
            fill_wdl(self.workspace.sequence, 0, length)
            return length

        whole = self._whole(file)
        length = self._collect(arrange.collect_wdl, self.orders[0], file, side, 0, whole)
        value = _only_wdl(self.workspace.symbols[:length])
        if value is not None:
            return Part(self.orders[0], constant(ONE_VALUE, value))
        order, compressed = self._smallest(file, prepare, 0, WDL_BLOCKS)
        return Part(order, compressed)

    def _dtz_part(self, file: int, side: int) -> Part:
        in_plies = self._in_plies(side)
        whole = self._whole(file)
        length = self._collect(arrange.collect_dtz, self.orders[0], file, side, in_plies, whole)
        values = self.workspace.symbols[:length]
        maps = _dtz_maps(values)
        if all(value == 0 for row in maps for value in row):
            return Part(self.orders[0], constant(ONE_VALUE, 0))
        flags = in_plies | side * BLACK_TO_MOVE
        is_mapped = sum(len(row) > 0 for row in maps) > 1
        if is_mapped:
            flags |= MAPPED
            if any(max(len(row), *row) > 255 for row in maps if row):
                flags |= WIDE_MAP
        ranks = _ranks(maps, is_mapped)

        def prepare(order: Order, runs: Ranges) -> int:
            length = self._collect(arrange.collect_dtz, order, file, side, in_plies, runs)
            symbols = self.workspace.symbols[:length]
            replace_values(symbols, ranks)
            fill_dtz(self.workspace.sequence, 0, length)
            return length

        order, compressed = self._smallest(file, prepare, flags, DTZ_BLOCKS)
        return Part(order, compressed, _map_bytes(maps, flags))

    def _smallest(
        self,
        file: int,
        prepare: Callable[[Order, Ranges], int],
        flags: int,
        block_sizes: range,
    ) -> tuple[Order, Compressed]:
        """The order of pieces that compresses best, judged by a sample first."""
        count = self._index_count(file)
        runs = _sample(count)
        judged = [
            (estimate(self.workspace.symbols[: prepare(order, runs)]), i)
            for i, order in enumerate(self.orders)
        ]
        best: tuple[Order, Compressed] | None = None
        for _, i in sorted(judged)[:FINALISTS]:
            length = prepare(self.orders[i], [(0, count)])
            compressed = write_out(pair_up(self.workspace, length), flags, block_sizes, count)
            if best is None or compressed.size < best[1].size:
                best = self.orders[i], compressed
        assert best is not None
        return best

    def _collect(
        self,
        collect: Callable[[Arrangement, int, int, int], None],
        order: Order,
        file: int,
        side: int,
        in_plies: int,
        runs: Ranges,
    ) -> int:
        """Write what is to be stored at these runs of indices into the workspace."""
        arrangement = self._arrangement(order, file)
        arrangement.side = side
        arrangement.in_plies = in_plies
        at = 0
        for first, last in runs:
            collect(arrangement, first, last, at)
            at += last - first
        return at

    def _whole(self, file: int) -> Ranges:
        return [(0, self._index_count(file))]

    def _index_count(self, file: int) -> int:
        return int(self._encoding(self.orders[0], file).index_count)

    def _encoding(self, order: Order, file: int) -> Encoding:
        encoding = Encoding()
        fill_encoding(
            encoding, INDEX_TABLES, self.name, order.pieces, order.group, order.second_group, file
        )
        return encoding

    def _arrangement(self, order: Order, file: int) -> Arrangement:
        arrangement = Arrangement()
        arrangement.solver = self.solution.solver
        arrangement.encoding = encoding = self._encoding(order, file)
        groups = int(encoding.group_count)
        factors = [int(factor) for factor in encoding.factor[:groups]]
        for group, factor in enumerate(factors):
            above = [other for other in factors if other > factor]
            arrangement.choices[group] = min(above, default=int(encoding.index_count)) // factor
        free = slots(self.name)
        for i, piece in enumerate(order.pieces):
            slot = free.index((piece & 7, piece >> 3))
            arrangement.slots[i] = slot
            free[slot] = (0, 0)
        arrangement.wanted = StructArray(
            Half, len(self.workspace.symbols), self.workspace.sequence.symbols.memory
        )
        key = (file, int(arrangement.choices[0]))
        if key not in self.leaders:
            self.leaders[key] = StructArray(Leaders, int(arrangement.choices[0]))
            arrangement.leaders = self.leaders[key]
            arrange.fill_leaders(arrangement, Men(), file)
        arrangement.leaders = self.leaders[key]
        return arrangement

    def _in_plies(self, side: int) -> int:
        """Pairs of plies are exact enough unless something is won or lost in just 100 plies."""
        plies = self.solution.solver.plies.memory.view(np.int16)
        sides = plies.reshape(-1, 2, 1 << int(self.solution.solver.space.side_shift))
        ours, theirs = sides[:, side], sides[:, side ^ 1]
        win, loss = FIFTY_MOVES, -FIFTY_MOVES - 1
        flags = WIN_IN_PLIES if (ours == win).any() or (theirs == loss).any() else 0
        return flags | (LOSS_IN_PLIES if (theirs == win).any() or (ours == loss).any() else 0)

    # --- The file --------------------------------------------------------------------------------

    def _assemble(self, magic: bytes, parts: list[list[Part]]) -> bytes:
        kind = BOTH_SIDES * (not is_symmetric(self.name)) | HAS_PAWNS * ("P" in self.name)
        content = bytearray(magic)
        content.append(kind | men(self.name) << 4)
        for halves in parts:
            content += self._order_bytes([part.order for part in halves], magic == WDL_MAGIC)
        _align(content, 2)
        flat = [part for halves in parts for part in halves]
        for part in flat:
            content += part.compressed.header
        for part in flat:
            if part.maps and part.compressed.header[0] & WIDE_MAP:
                _align(content, 2)
            content += part.maps
        _align(content, 2)
        for part in flat:
            content += part.compressed.sparse_index
        for part in flat:
            content += part.compressed.block_lengths
        for part in flat:
            if part.compressed.data:
                _align(content, DATA_ALIGNMENT)
                content += part.compressed.data
        _align(content, DATA_ALIGNMENT)
        blocks = (bytes(content[i : i + CHUNK]) for i in range(0, len(content), CHUNK))
        return bytes(content) + checksum(blocks)

    def _order_bytes(self, orders: list[Order], repeat: bool) -> bytes:
        """White to move is in the lower halves of the bytes. A WDL table that stores one side
        repeats it, a DTZ table leaves the upper halves empty."""
        low = orders[0]
        if len(orders) == 1 and not repeat:
            rows = [low.group, low.second_group, *low.pieces]
            if not pawn_counts(self.name)[1]:
                del rows[1]
            return bytes(rows)
        high = orders[-1]
        rows = [low.group | high.group << 4]
        if pawn_counts(self.name)[1]:
            rows.append(low.second_group | high.second_group << 4)
        rows += [a | b << 4 for a, b in zip(low.pieces, high.pieces, strict=True)]
        return bytes(rows)


def _align(content: bytearray, boundary: int) -> None:
    content += bytes(-len(content) % boundary)


def _orders(name: str) -> Iterator[Order]:
    """All orders that the format allows."""
    scratch = Encoding()
    has_second = "P" in name and pawn_counts(name)[1] > 0
    for kinds in permutations(counts(name)):
        pieces = tuple(piece for piece, count in kinds for _ in range(count))
        for group in range(len(kinds)):
            for second in range(len(kinds)) if has_second else (NO_ORDER,):
                try:
                    fill_encoding(scratch, INDEX_TABLES, name, pieces, group, second)
                except FormatError:
                    continue
                yield Order(pieces, group, second)


def _sample(count: int) -> Ranges:
    if count <= SAMPLE_RUNS * SAMPLE_RUN:
        return [(0, count)]
    step = count // SAMPLE_RUNS
    return [(i * step, i * step + SAMPLE_RUN) for i in range(SAMPLE_RUNS)]


def _only_wdl(wanted: Array) -> int | None:
    """The value that will do for all positions, if there is one."""
    occurring = np.flatnonzero(frequencies(wanted, arrange.ANY_WDL + 1))
    exact = [int(value) for value in occurring if value < arrange.ANY_UP_TO]
    lowest = min(
        (int(value) - arrange.ANY_UP_TO for value in occurring if value >= arrange.ANY_UP_TO),
        default=4,
    )
    if not exact:
        return lowest
    return exact[0] if len(exact) == 1 and exact[0] <= lowest else None


def _dtz_maps(wanted: Array) -> list[list[int]]:
    """For each of WDL_CLASSES its values, the most frequent first."""
    # Shifted by one, for what may be anything.
    frequency = frequencies(wanted + 1, DTZ_CODES + 1)[1:]
    maps = []
    for wdl in WDL_CLASSES:
        first = wdl + 2 << arrange.DTZ_WDL_SHIFT
        own = frequency[first : first + (1 << arrange.DTZ_WDL_SHIFT)]
        order = np.lexsort((np.arange(len(own)), -own))
        maps.append([int(value) for value in order[: np.count_nonzero(own)]])
    return maps


def _ranks(maps: list[list[int]], is_mapped: bool) -> Array:
    """[wanted] -> symbol; the last one is for anything."""
    ranks = np.full(DTZ_CODES + 1, arrange.ANY_DTZ, np.int16)
    for wdl, values in zip(WDL_CLASSES, maps, strict=True):
        for rank, value in enumerate(values):
            ranks[(wdl + 2 << arrange.DTZ_WDL_SHIFT) + value] = rank if is_mapped else value
    return ranks


def _map_bytes(maps: list[list[int]], flags: int) -> bytes:
    if not flags & MAPPED:
        return b""
    width = 2 if flags & WIDE_MAP else 1
    rows = [number for values in maps for number in (len(values), *values)]
    return b"".join(number.to_bytes(width, "little") for number in rows)
