"""Plain Python: the tables in folders, opened when a search may need them.

Kernels cannot open files. Before a search, `prepare` opens every table that the position can lead
to, which costs about a millisecond a file, once; probing finds only those.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tablebases.decoding import find_slot
from tablebases.layout import DTZ_SUFFIX, WDL_SUFFIX
from tablebases.material import FormatError, is_table_name, men, sides, signature
from tablebases.reading import OpenTable, open_table
from tablebases.tables import TableSet

BUILT_IN = Path(__file__).parent / "data"  # the tables in the package
FAR_AWAY = 10  # with that many men more on the board than in any table, none is opened yet

_LOOKS_LIKE_A_TABLE = re.compile(r"([KQRBNP]+v[KQRBNP]+)(\.rtb[wz])")


@dataclass(frozen=True)
class Found:
    """The files in folders: paths by name, for each suffix."""

    wdl: dict[str, Path] = field(default_factory=dict)
    dtz: dict[str, Path] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def split_path(text: str) -> list[Path]:
    """The folders in a list such as `SyzygyPath`, separated by `;` or, outside of Windows, `:`."""
    separators = ";" if os.name == "nt" else "[;:]"
    return [Path(part.strip()) for part in re.split(separators, text) if part.strip()]


def find_tables(folders: Iterable[Path]) -> Found:
    """All tables by name; reads only the folders. Of two tables of one name it takes the first."""
    found = Found()
    for folder in folders:
        try:
            names = sorted(os.listdir(folder))
        except OSError as reason:
            found.problems.append(f"{folder}: {reason.strerror or reason}")
            continue
        for name in names:
            match = _LOOKS_LIKE_A_TABLE.fullmatch(name)
            if match is None:
                continue
            material, suffix = match.groups()
            if is_table_name(material):
                paths = found.wdl if suffix == WDL_SUFFIX else found.dtz
                paths.setdefault(material, folder / name)
            else:
                found.problems.append(f"{folder / name}: {material} is not the name of a table")
    return found


def reachable(table: str, white: str, black: str) -> bool:
    """Can captures and promotions lead from these sides to the material of `table`?"""
    one, other = sides(table)
    return (_can_become(white, one) and _can_become(black, other)) or (
        _can_become(white, other) and _can_become(black, one)
    )


def _can_become(side: str, later: str) -> bool:
    pawns, queens, rooks, bishops, knights = _counts(later)
    most, *pieces = _counts(side)
    for more, kept in zip((queens, rooks, bishops, knights), pieces, strict=True):
        pawns += max(0, more - kept)
    return pawns <= most


@functools.lru_cache(256)  # positions have many more materials than tables
def _counts(side: str) -> tuple[int, ...]:
    return tuple(map(side.count, "PQRBN"))


class Tablebase:
    """Tables of some folders, and those of the folder `base` that no other has, or has damaged.

    `memory` is what kernels probe; change it only between searches.
    """

    def __init__(self, folders: Sequence[Path], base: Path | None = None) -> None:
        self.found = find_tables([*folders, base] if base is not None else folders)
        self._base = base
        self.memory = TableSet()
        self.most_men = max(map(men, self.found.wdl), default=0)
        self._open: dict[Path, OpenTable] = {}
        self._damaged: set[Path] = set()
        self._pieces: tuple[str, str] | None = None  # of the last position, and
        self._wanted: list[tuple[str, dict[str, Path]]] = []  # the tables that it can lead to

    def summary(self) -> str:
        """The number of tables, in one line."""
        found = self.found
        text = f"{len(found.wdl)} WDL and {len(found.dtz)} DTZ tables, up to {self.most_men} men"
        lacking = len(self.missing_dtz())
        return text + (f", {lacking} WDL tables without DTZ" if lacking else "")

    def is_near(self, count: int) -> bool:
        """Can a position with so many men lead to a table soon?"""
        return count <= self.most_men + FAR_AWAY

    def prepare(
        self, white: str, black: str, enough: Callable[[], bool] = lambda: False
    ) -> list[str]:
        """Open all tables that a position with these pieces, such as KQP and KR, can lead to.

        First come those of these pieces themselves, without which a won ending is not won. After
        `enough()` it opens only these and, so that no clock is too short for ever, one more.

        Returns problems with files, which it then skips. It opens a replaced file again.
        """
        problems: list[str] = []
        if not self.is_near(len(white) + len(black)):
            return problems
        here = (f"{white}v{black}", f"{black}v{white}")
        if self._pieces != (white, black):  # they seldom change, and there may be 1,000 tables
            wanted = [
                (name, paths)
                for paths in (self.found.wdl, self.found.dtz)
                for name in paths
                if men(name) <= len(white) + len(black) and reachable(name, white, black)
            ]
            self._wanted = sorted(wanted, key=lambda table: table[0] not in here)
            self._pieces = white, black
        opened = is_late = False
        for name, paths in self._wanted:
            path = paths[name]
            if name not in here:
                is_late = is_late or enough()
                if is_late and (opened or path in self._open):
                    continue
            try:
                opened |= self._prepare(name, path)
            except (FormatError, OSError) as reason:
                problems.append(str(reason))
                if self._base is not None and (self._base / path.name).is_file():
                    paths[name] = self._base / path.name
                    with suppress(FormatError, OSError):  # damaged too, and the same
                        self._prepare(name, paths[name])
        return problems

    def open_ahead(self, enough: Callable[[], bool]) -> None:
        """Open tables before a position can lead to them, those of the fewest men first, until
        `enough()`. What is damaged is left to `prepare`, which says so."""
        tables = [*self.found.wdl.items(), *self.found.dtz.items()]
        for name, path in sorted(tables, key=lambda table: men(table[0])):
            if path in self._open or path in self._damaged:
                continue
            if enough():
                break
            try:
                self._prepare(name, path)
            except (FormatError, OSError):
                self._damaged.discard(path)

    def _prepare(self, name: str, path: Path) -> bool:
        """Open a file unless it is open, and unchanged, or damaged; whether it was opened."""
        known = self._open.get(path)
        if path in self._damaged or (known is not None and known.is_unchanged()):
            return False
        self._open.pop(path, None)
        self._register(name, path.suffix, None)
        try:
            opened = open_table(path)
        except (FormatError, OSError):
            self._damaged.add(path)
            raise
        self._open[path] = opened
        self._register(name, path.suffix, opened)
        return True

    def _register(self, name: str, suffix: str, opened: OpenTable | None) -> None:
        """Make kernels find the table, whichever colour has which side; None: no longer."""
        one, other = sides(name)
        for key in {signature(one, other), signature(other, one)}:
            slot = self.memory.slots[find_slot(self.memory, key)]
            slot.signature = key
            if suffix == DTZ_SUFFIX:
                slot.has_dtz = int(opened is not None)
                if opened is not None:
                    slot.dtz = opened.table
            else:
                slot.has_wdl = int(opened is not None)
                if opened is not None:
                    slot.wdl = opened.table

    def missing_dtz(self) -> list[str]:
        """Materials with WDL but without DTZ."""
        return sorted(self.found.wdl.keys() - self.found.dtz.keys())
