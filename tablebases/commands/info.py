"""`wadjet-tablebases info [PATH]`: the tables in folders, and those that are missing."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from tablebases.commands import add_path, open_path
from tablebases.folders import Tablebase
from tablebases.material import MOST_MEN, dependencies, materials, men

NAMES_A_LINE = 9


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_path(parser, positional=True)


def run(arguments: argparse.Namespace) -> int:
    print("\n".join(describe(open_path(arguments.path))))
    return 0


def describe(tables: Tablebase) -> list[str]:
    found = tables.found
    lines = list(found.problems)
    lost: list[str] = []
    lines.append("men   tables       WDL          bytes       DTZ          bytes")
    for count in range(3, MOST_MEN + 1):
        wdl, dtz = (_sizes(paths, count, lost) for paths in (found.wdl, found.dtz))
        if wdl or dtz:
            total = len(materials(count))
            lines.append(
                f"{count:3} {total:8} {len(wdl):9} {sum(wdl):14,} {len(dtz):9} {sum(dtz):14,}"
            )
    lines += _list("WDL without DTZ: moves are ranked by result only", tables.missing_dtz())
    lines += _list("DTZ without WDL: not used", sorted(found.dtz.keys() - found.wdl.keys()))
    lines += lost
    needed = {other for name in found.wdl for other in dependencies(name)}
    missing = sorted(needed - found.wdl.keys())
    lines += _list("missing, but captures and promotions lead to them", missing)
    return lines


def _sizes(paths: Mapping[str, Path], count: int, problems: list[str]) -> list[int]:
    """Of the files of tables with `count` men. What cannot be found adds to `problems`."""
    sizes = []
    for name, path in paths.items():
        if men(name) == count:
            try:
                sizes.append(path.stat().st_size)
            except OSError as reason:  # a link to nowhere
                problems.append(f"{path}: {reason.strerror or reason}")
    return sizes


def _list(title: str, names: list[str]) -> list[str]:
    if not names:
        return []
    rows = [names[start : start + NAMES_A_LINE] for start in range(0, len(names), NAMES_A_LINE)]
    return ["", f"{title}:", *("  " + " ".join(f"{name:8}" for name in row) for row in rows)]
