"""Compares tables with the solution of their materials, in every position: about five minutes.

    python -m tests.benchmarks.generated_tables FOLDER ...

For each material of 3 and 4 men and each folder, one line: how many positions were compared, the
sizes of both files, and which side to move DTZ has. With standard tables in the folder `syzygy`,
and our own:

    python -m tests.benchmarks.generated_tables syzygy tablebases/data
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from engine.native.structs import StructArray
from tablebases.generator.plan import Plan, wrong_position
from tablebases.generator.retrograde import ILLEGAL_NOTE
from tablebases.generator.solve import BARE_KINGS, solve
from tablebases.layout import BLACK_TO_MOVE, DTZ_SUFFIX, WDL_SUFFIX
from tablebases.material import is_symmetric, materials
from tablebases.reading import open_table
from tablebases.tables import Byte


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    folders: list[Path] = parser.parse_args().folders
    names = materials(3) + materials(4)
    outcomes: dict[str, StructArray[Byte]] = {BARE_KINGS: solve(BARE_KINGS, {}).outcomes}
    totals = dict.fromkeys(folders, 0)
    problems: list[str] = []
    print("material     positions  folder                     WDL     DTZ  side  wrong")
    for name in Plan(Path("nowhere"), names).to_solve:
        solution = solve(name, outcomes)
        outcomes[name] = solution.outcomes
        legal = np.count_nonzero(solution.solver.counts.memory.view(np.int8) != ILLEGAL_NOTE)
        for folder in folders:
            paths = [folder / (name + suffix) for suffix in (WDL_SUFFIX, DTZ_SUFFIX)]
            wrong = [problem for path in paths if (problem := wrong_position(solution, path))]
            problems += wrong
            sizes = [path.stat().st_size for path in paths]
            totals[folder] += sum(sizes)
            print(
                f"{name:8} {legal:13,}  {str(folder)[-20:]:20} {sizes[0]:9,} {sizes[1]:7,}"
                f"  {stored_side(paths[1]):4}  {len(wrong)}",
                flush=True,
            )
    print(
        "\n".join([*problems, *(f"{folder}: {total:,} bytes" for folder, total in totals.items())])
    )
    return 1 if problems else 0


def stored_side(path: Path) -> str:
    """Which side to move a DTZ table has."""
    part = open_table(path).table.parts[0]
    if part.is_constant or is_symmetric(path.stem):
        return "any"
    return "b" if part.flags & BLACK_TO_MOVE else "w"


if __name__ == "__main__":
    sys.exit(main())
