"""`python -m tablebases generate`: makes tables, one material after the other."""

from __future__ import annotations

import argparse
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from engine.native.memory import StructArray
from tablebases.generator import check
from tablebases.generator.files import Writer
from tablebases.generator.memory import MAX_MEN, Outcome
from tablebases.generator.solve import (
    BARE_KINGS,
    CHUNK,
    Progress,
    Solution,
    index_count,
    memory_needed,
    solve,
)
from tablebases.layout import CHECKSUM_BYTES, DTZ_SUFFIX, WDL_SUFFIX
from tablebases.material import dependencies, is_table_name, materials, men, successors
from tablebases.reading import open_table

# What a machine of 2020 needs, roughly; the compression's share was measured with four men.
SOLVING_SECONDS_PER_INDEX = 0.2e-6
WRITING_SECONDS_PER_INDEX = 0.6e-6
WRITING_BYTES_PER_INDEX = 3

# The parts of the work on a material, for the progress bar, in passes over its indices.
SOLVING_PASSES, WRITING_PASSES = 3, 6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "materials",
        nargs="*",
        metavar="MATERIAL",
        help=f"such as KQvKR, of up to {MAX_MEN} men; all of 3 and 4 men if none is named",
    )
    parser.add_argument("--folder", type=Path, required=True, help="where the files are written")


def run(arguments: argparse.Namespace) -> int:
    """Returns the exit status. Raises ValueError or OSError, whose text is for the user."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    console = Console()
    names = arguments.materials or materials(3) + materials(4)
    for name in names:
        if not is_table_name(name):
            raise ValueError(f"{name!r} is not the name of a table, such as KQvKR")
        if men(name) > MAX_MEN:
            raise ValueError(f"{name}: tables of more than {MAX_MEN} men need too much memory")
    plan = Plan(arguments.folder, names)
    console.print(plan.summary())
    plan.check_memory()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()
    with Bars(*columns, console=console) as bars:
        task = bars.add_task("", total=plan.passes())
        plan.carry_out(
            progress=lambda done: bars.advance(task, done),
            announce=lambda text: bars.update(task, description=text),
        )
    return 0
