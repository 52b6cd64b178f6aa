"""Plain Python: which materials to solve, in which order, and at what cost."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from tablebases.checksum import checksum_fits
from tablebases.generator import check
from tablebases.generator.files import Writer
from tablebases.generator.pairing import MAX_SYMBOLS
from tablebases.generator.solve import BARE_KINGS, CHUNK, Solution, index_count, solve
from tablebases.layout import DTZ_SUFFIX, WDL_SUFFIX
from tablebases.material import FormatError, dependencies, successors
from tablebases.reading import open_table

PROGRAM_BYTES = 100 << 20  # the program itself, with NumPy and the kernels
# Bytes and seconds for each index of a space. Pairs are counted in a table as large as the space,
# but no larger than there are pairs of symbols. The seconds are for a processor of about 2020, and
# include those for finding moves into smaller materials.
SOLVING_BYTES, HELD_BYTES, WRITING_BYTES, PAIRING_BYTES = 4, 1, 2, 6
SOLVING_SECONDS, WRITING_SECONDS = 0.2e-6, 0.5e-6

UNFINISHED = ".unfinished"  # a folder for files that are not complete


class Plan:
    """How to make the tables of some materials, from what is in a folder already."""

    def __init__(self, folder: Path, names: Sequence[str]):
        self.folder = folder
        self.finished = [name for name in names if is_finished(folder, name)]
        self.to_write = [name for name in names if name not in self.finished]
        needed = {other for name in self.to_write for other in (name, *dependencies(name))}
        # Captures leave fewer men, promotions fewer pawns.
        self.to_solve = sorted(needed, key=lambda name: (len(name), name.count("P"), name))

    def seconds(self) -> float:
        """A rough estimate."""
        return sum(
            index_count(name) * (SOLVING_SECONDS + WRITING_SECONDS * (name in self.to_write))
            for name in self.to_solve
        )

    def memory(self) -> int:
        """Bytes at the peak, about."""
        most = 0
        for place, name in enumerate(self.to_solve):
            held = sum(map(index_count, self._held(place))) * HELD_BYTES
            count = index_count(name)
            own = count * SOLVING_BYTES
            if name in self.to_write:
                own += count * WRITING_BYTES + min(count, MAX_SYMBOLS**2) * PAIRING_BYTES
            most = max(most, held + own)
        return PROGRAM_BYTES + most

    def _held(self, place: int) -> set[str]:
        """The materials before this place in the list that are needed there or later."""
        needed = {other for name in self.to_solve[place:] for other in successors(name)}
        return needed & set(self.to_solve[:place])

    def carry_out(self, announce: Callable[[str], None]) -> None:
        """Solve and write everything. Calls `announce` for each step of each material."""
        outcomes = {BARE_KINGS: solve(BARE_KINGS, {}).outcomes}
        for place, name in enumerate(self.to_solve):
            for forgotten in outcomes.keys() - self._held(place) - {BARE_KINGS}:
                del outcomes[forgotten]
            announce(f"{name}: solving")
            solution = solve(name, outcomes)
            if name in self.to_write:
                announce(f"{name}: writing")
                write_tables(solution, self.folder)
            outcomes[name] = solution.outcomes


def is_finished(folder: Path, name: str) -> bool:
    """Are both files there, and whole?"""
    try:
        for suffix in (WDL_SUFFIX, DTZ_SUFFIX):
            path = folder / (name + suffix)
            open_table(path)
            if checksum_fits(path) is False:
                return False
    except (FormatError, OSError):
        return False
    return True


def write_tables(solution: Solution, folder: Path) -> None:
    """Write both files, or neither: they get their names when they have been read back and found
    to be right. Raises OSError."""
    writer = Writer(solution)
    unfinished = folder / UNFINISHED
    unfinished.mkdir(exist_ok=True)  # what a run that was killed left in it is written anew
    try:
        paths = []
        for suffix, content in ((WDL_SUFFIX, writer.wdl_file), (DTZ_SUFFIX, writer.dtz_file)):
            path = unfinished / (solution.name + suffix)
            path.write_bytes(content())
            problem = wrong_position(solution, path)
            assert problem is None, problem
            paths.append(path)
        for path in paths:
            os.replace(path, folder / path.name)
    finally:
        shutil.rmtree(unfinished)


def wrong_position(solution: Solution, path: Path) -> str | None:
    """Where probing a file would not give what the solution says; None: nowhere.

    Right is every file that has these values, whoever made it, as long as DTZ is rounded alike.
    """
    opened = open_table(path)
    comparison = check.Comparison()
    comparison.solver = solution.solver
    comparison.table = opened.table
    is_wdl = path.suffix == WDL_SUFFIX
    first_wrong = check.first_wrong_wdl if is_wdl else check.first_wrong_dtz
    count = index_count(solution.name)
    for first in range(0, count, CHUNK):
        index = first_wrong(comparison, first, min(first + CHUNK, count))
        if index != check.ALL_RIGHT:
            return f"{path} is wrong about position {index} of {solution.name}"
    return None
