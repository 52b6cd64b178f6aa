"""`positions`: make positions to label: those that a search visits, in games or from given ones.

A run that was stopped resumes with the next batch, and ends like one that was not.
"""

from __future__ import annotations

import argparse
import zlib
from pathlib import Path
from typing import Any

from tuning.data.stream import PositionsWriter
from tuning.network.sampling import (
    GAME_NODES,
    ONE_LEAF_IN,
    SEARCHED_NODES,
    SEARCHED_PLY,
    Batches,
    GameSampler,
    PositionSampler,
    random_openings,
    read_bases,
    sampled,
)
from tuning.progress import progress_bar
from tuning.selfplay.player import engine_hash
from tuning.selfplay.starts import Book


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", nargs="*", type=Path,
        help="where to begin: .positions, or text with a FEN a line; none: games against itself",
    )  # fmt: skip
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.positions")
    parser.add_argument("--count", type=int, default=1_000_000, help="(1000000)")
    parser.add_argument(
        "--no-search", action="store_true",
        help="only random moves and missing men: no positions from searches, but far faster",
    )  # fmt: skip
    parser.add_argument(
        "--book", type=Path,
        help="of games: their openings, EPD or PGN (default: random moves, some of Chess960)",
    )  # fmt: skip
    parser.add_argument("--nodes", type=int, help=f"of games: nodes a move, about ({GAME_NODES})")
    parser.add_argument(
        "--searched", type=int, metavar="NODES",
        help=f"of games: nodes of the search of every {SEARCHED_PLY}th ply, from which positions "
        f"are taken, about ({SEARCHED_NODES})",
    )  # fmt: skip
    parser.add_argument(
        "--one-in", type=int, metavar="COUNT",
        help=f"of games: of so many leaves of such a search one is taken ({ONE_LEAF_IN})",
    )  # fmt: skip
    parser.add_argument(
        "--unquiet", type=float, default=1.0, metavar="SHARE",
        help="of the positions in which the mover wins something at once, kept (1)",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=1, help="(1)")


def run(arguments: argparse.Namespace) -> int:
    if arguments.count < 1:
        raise ValueError("--count must be more than 0")
    if not 0 <= arguments.unquiet <= 1:
        raise ValueError("--unquiet is a share, 0 to 1")
    if arguments.output.exists():
        raise ValueError(f"{arguments.output}: exists already")
    sampler, settings = _sampler(arguments)
    settings["unquiet"] = arguments.unquiet
    with PositionsWriter(arguments.output, []) as writer, progress_bar("positions") as bar:
        first = _reached(writer, settings)
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
        if arguments.no_search:
            raise ValueError("without files positions come from the searches of games")
        nodes = GAME_NODES if arguments.nodes is None else arguments.nodes
        searched = SEARCHED_NODES if arguments.searched is None else arguments.searched
        one_in = ONE_LEAF_IN if arguments.one_in is None else arguments.one_in
        if min(nodes, searched, one_in) < 1:
            raise ValueError("--nodes, --searched and --one-in must be more than 0")
        book = arguments.book
        starts = random_openings() if book is None else Book(book)
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
        raise ValueError("--book, --nodes, --searched and --one-in are for games: give no files")
    bases = read_bases(arguments.files)
    settings = {
        "files": [path.name for path in arguments.files],
        "bases": [len(bases), zlib.crc32(bases.tobytes())],
        "seed": arguments.seed,
        "searched": not arguments.no_search,
    }
    return PositionSampler(bases, arguments.seed, not arguments.no_search), settings


def _reached(writer: PositionsWriter, settings: dict[str, Any]) -> int:
    """The batch to go on with. ValueError if the part file was begun with other settings."""
    if not writer.notes:
        return 0
    if writer.notes.get("sample") != settings:
        raise ValueError(f"{writer.part}: was begun with other settings; finish or remove it")
    return int(writer.notes["next"])
