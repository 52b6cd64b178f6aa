"""`sample`: make positions to label: those that decide searches in games, or given ones with men
displaced.

A run that was stopped resumes with the next batch, and ends like one that was not.
"""

from __future__ import annotations

import argparse
import zlib
from pathlib import Path
from typing import Any

from engine.command_line import UsageError, Whole
from tuning.data.dataset import PositionsWriter
from tuning.network.sampling import (
    GAME_NODES,
    ONE_LEAF_IN,
    SEARCHED_NODES,
    SEARCHED_PLY,
    Batches,
    DisplacedSampler,
    GameSampler,
    RandomOpenings,
    read_bases,
    sampled,
)
from tuning.progress import progress_bar
from tuning.selfplay.player import engine_hash
from tuning.selfplay.starts import Book


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("files", nargs="*", type=Path, metavar="FILE",
        help=".positions, or text with a FEN a line: displace a man or two of these positions "
        "(default: play games of the engine against itself)")  # fmt: skip
    add("-o", "--output", type=Path, required=True, metavar="FILE.positions")
    add("--count", type=Whole(1), default=1_000_000, help="positions to make (default: 1000000)")
    add(
        "--book",
        type=Path,
        help="openings of the games, EPD or PGN (default: random moves, some of Chess960)",
    )
    add("--nodes", type=Whole(1),
        help=f"about this many nodes a move in games (default: {GAME_NODES})")  # fmt: skip
    add("--searched", type=Whole(1), metavar="NODES",
        help=f"about this many nodes in the searches that are sampled, one every {SEARCHED_PLY} "
        f"plies (default: {SEARCHED_NODES})")  # fmt: skip
    add("--one-in", type=Whole(1), metavar="N",
        help=f"take one deciding leaf in N of these searches (default: {ONE_LEAF_IN})")  # fmt: skip
    add(
        "--unquiet",
        type=float,
        default=1.0,
        metavar="SHARE",
        help="fraction of unquiet positions to keep (default: 1)",
    )
    add("--seed", type=Whole(0), default=1, help="seed of openings and random moves (default: 1)")


def run(arguments: argparse.Namespace) -> int:
    if not 0 <= arguments.unquiet <= 1:
        raise UsageError("--unquiet is a share, 0 to 1")
    if arguments.output.exists():
        raise ValueError(f"{arguments.output}: exists already")
    sampler, settings = _sampler(arguments)
    settings["unquiet"] = arguments.unquiet
    settings["leaves"] = "deciding"  # files begun by 1.0.0 hold others
    with PositionsWriter(arguments.output, []) as writer, progress_bar("positions") as bar:
        first = writer.begun("sample", settings).get("next", 0)
        task = bar.add_task("sampling", total=arguments.count, completed=writer.count, note="")
        for number, records in sampled(
            sampler, first, writer.count, arguments.count, arguments.unquiet
        ):
            writer.append(records)
            writer.commit({"sample": settings, "next": number + 1})
            bar.update(task, completed=writer.count)
        writer.finish({"sample": settings})
        print(f"{arguments.output}: {writer.count} positions")
    return 0


def _sampler(arguments: argparse.Namespace) -> tuple[Batches, dict[str, Any]]:
    """What makes the positions, and what decides them."""
    if not arguments.files:
        nodes = GAME_NODES if arguments.nodes is None else arguments.nodes
        searched = SEARCHED_NODES if arguments.searched is None else arguments.searched
        one_in = ONE_LEAF_IN if arguments.one_in is None else arguments.one_in
        book = arguments.book
        starts = RandomOpenings() if book is None else Book(book)
        settings = {
            "games": engine_hash(),
            "openings": "random" if book is None else [book.name, zlib.crc32(book.read_bytes())],
            "nodes": nodes,
            "searched": searched,
            "one in": one_in,
            "seed": arguments.seed,
        }
        return GameSampler(arguments.seed, starts, nodes, searched, one_in), settings
    of_games = (arguments.book, arguments.nodes, arguments.searched, arguments.one_in)
    if any(value is not None for value in of_games):
        raise UsageError("--book, --nodes, --searched and --one-in are for games: give no files")
    bases = read_bases(arguments.files)
    settings = {
        "files": [path.name for path in arguments.files],
        "bases": [len(bases), zlib.crc32(bases.tobytes())],
        "displaced": True,  # files begun by 1.1.0 hold others
        "seed": arguments.seed,
    }
    return DisplacedSampler(bases, arguments.seed), settings
