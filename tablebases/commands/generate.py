"""`wadjet-tablebases generate`: makes tables from the rules of chess."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.command_line import UsageError
from engine.machine import memory_mb
from tablebases.generator.placements import MAX_MEN
from tablebases.generator.plan import Plan
from tablebases.material import is_table_name, materials, men


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "materials",
        nargs="*",
        metavar="MATERIAL",
        help=f"such as KQvKR, of up to {MAX_MEN} men (default: all of 3 and 4 men)",
    )
    parser.add_argument(
        "--folder",
        type=Path,
        required=True,
        help="folder for the files; complete files in it are kept",
    )


def run(arguments: argparse.Namespace) -> int:
    names = arguments.materials or materials(3) + materials(4)
    for name in names:
        if not is_table_name(name) or men(name) > MAX_MEN:
            raise UsageError(f"{name!r} is not a material of 3 to {MAX_MEN} men, such as KQvKR")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    plan = Plan(arguments.folder, names)
    print("\n".join(describe(plan)), flush=True)
    check_memory(plan)
    if plan.to_write:
        plan.carry_out(announce=lambda text: print(text, flush=True))
    return 0


def describe(plan: Plan) -> list[str]:
    """The lines that describe the plan."""
    lines = []
    if plan.finished:
        lines.append(f"kept: {' '.join(plan.finished)}")
    if not plan.to_write:
        return [*lines, "nothing to do"]
    lines.append(f"to be made in {plan.folder}: {' '.join(plan.to_write)}")
    only_solved = [name for name in plan.to_solve if name not in plan.to_write]
    if only_solved:
        lines.append(f"to be solved for that: {' '.join(only_solved)}")
    needed_mb = plan.memory() / 2**20
    lines.append(f"takes about {needed_mb:,.0f} MB of memory and {plan.seconds() / 60:.1f} minutes")
    return lines


def check_memory(plan: Plan) -> None:
    """ValueError if this machine can never have enough."""
    installed_mb = memory_mb()
    if installed_mb is not None and plan.memory() > installed_mb << 20:
        raise ValueError(f"this machine has {installed_mb:,} MB of memory, too little")
