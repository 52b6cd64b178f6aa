"""`info`: count and show what files of positions or games hold."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from tuning.data.contents import PHASES, SCORES, Contents, contents

RESULTS = ("Black wins", "draws", "White wins", "unknown")
MOST_OPENINGS = 15


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", nargs="+", type=Path, metavar="FILE",
        help=".positions, .games, or what `import` reads",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    for number, path in enumerate(arguments.files):
        found = contents(path)
        print(f"{'' if number == 0 else chr(10)}{path}: {_bytes_of(path, found)}")
        if found.positions:
            _show(found)
    return 0


def _bytes_of(path: Path, found: Contents) -> str:
    size = path.stat().st_size
    text = f"{found.positions} positions of {found.games} games, {size} bytes"
    return text + (f", {size / found.positions:.1f} a position" if found.positions else "")


def _show(found: Contents) -> None:
    _table("Results", zip(RESULTS, found.results.tolist(), strict=True))
    ends = ["", *map(str, SCORES), ""]
    names = [
        f"{low or '...'} to {int(high) - 1 if high else '...'}" for low, high in pairwise(ends)
    ]
    _table("Scores, centipawns of White",
           zip([*names, "unknown"], found.scores.tolist(), strict=True))  # fmt: skip
    _table("Scores by", found.sources.most_common())
    _table("To move", zip(("White", "Black"), found.sides.tolist(), strict=True))
    _table("Phases", zip(PHASES, found.phases.tolist(), strict=True))
    _table("Men", ((str(men), count) for men, count in enumerate(found.men.tolist())))
    _table("Openings, games", found.openings.most_common(MOST_OPENINGS))
    for colour, name in enumerate(("White", "Black")):
        print(f"The {name} king's squares, percent")
        for rank in range(7, -1, -1):
            shares = found.kings[colour][8 * rank : 8 * rank + 8] / found.positions
            print(f"  {rank + 1} " + "".join(f"{share:7.1%}"[:-1] for share in shares))
        print("   " + "".join(f"{file:>6}" for file in "abcdefgh"))


def _table(title: str, rows: Iterable[tuple[str, int]]) -> None:
    """The rows that are not 0, with their shares. Nothing if there is no such row."""
    counted = [(name, count) for name, count in rows if count]
    if not counted:
        return
    total = sum(count for _, count in counted)
    print(title)
    for name, count in counted:
        print(f"  {name:28}{count:12}{count / total:8.1%}")
