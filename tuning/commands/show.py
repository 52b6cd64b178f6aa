"""`show`: what files of positions or games hold, as counts or as text."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from pathlib import Path

from engine.command_line import UsageError
from engine.files import written_whole
from tuning.data.contents import PHASES, SCORES, Contents, contents
from tuning.data.dataset import load
from tuning.data.writers import games_as_epd, games_as_pgn, positions_as_epd

RESULTS = ("Black wins", "draws", "White wins", "unknown")
MOST_OPENINGS = 15


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="FILE",
        help=".positions, .games, or what `import` reads")  # fmt: skip
    add("--as", dest="form", choices=("pgn", "epd"),
        help="print games as PGN or EPD, positions as EPD (default: counts)")  # fmt: skip
    add("-o", "--output", type=Path, help="file for this text (default: the screen)")


def run(arguments: argparse.Namespace) -> int:
    if arguments.form is not None:
        return _print_as(arguments.form, arguments.files, arguments.output)
    if arguments.output is not None:
        raise UsageError("--output needs --as pgn or --as epd")
    for number, path in enumerate(arguments.files):
        found = contents(path)
        print(f"{'' if number == 0 else chr(10)}{path}: {_bytes_of(path, found)}")
        if found.positions:
            _show(found)
    return 0


def _print_as(form: str, paths: Sequence[Path], output: Path | None) -> int:
    texts = chain.from_iterable(_texts(form, path) for path in paths)
    if output is None:
        for text in texts:
            print(text)
        return 0
    count = 0
    with written_whole(output) as file:
        for text in texts:
            file.write(f"{text}\n".encode())
            count += 1
    print(f"{output}: {count} written")
    return 0


def _texts(form: str, path: Path) -> Iterator[str]:
    if path.suffix == ".games":
        return games_as_pgn(path) if form == "pgn" else games_as_epd(path)
    if path.suffix == ".positions" and form == "epd":
        return positions_as_epd(load(path).records)
    raise ValueError(f"{path}: cannot be shown as {form.upper()}")


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
