"""The commands of `wadjet-tablebases`, a module each, and the argument that they share.

Programs, not a library: they print, and know the engine's board.
"""

from __future__ import annotations

import argparse

from tablebases.folders import BUILT_IN, Tablebase, split_path


def add_path(parser: argparse.ArgumentParser, positional: bool = False) -> None:
    parser.add_argument(
        "path" if positional else "--path",
        nargs="?",
        metavar="PATH",
        help="folders, separated by ; or : (default: the built-in tables)",
    )


def open_path(path: str | None) -> Tablebase:
    """The tables there. ValueError if there are none."""
    tables = Tablebase(split_path(path) if path else [BUILT_IN])
    if not tables.found.wdl and not tables.found.dtz:
        where = f"in {path}" if path else "built in"
        raise ValueError("; ".join([f"there are no tables {where}", *tables.found.problems]))
    return tables
