"""`levels`: measure by games what the levels of the engine are worth."""

from __future__ import annotations

import argparse
import time
from concurrent.futures import FIRST_COMPLETED, Future, wait
from pathlib import Path
from random import Random

from engine.levels import LEVELS
from tuning.levels.games import ResultFile, next_pair
from tuning.levels.hall import enter, game
from tuning.levels.humans import agreement, read_positions
from tuning.levels.players import ANCHORS, level_name
from tuning.levels.ratings import Result, ratings
from tuning.levels.tables import agreement_table, rating_table, replace_tables
from tuning.processes import workers
from tuning.progress import progress_bar

TYPICAL_GAME_S = 5.0  # of an anchor, until it has played


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "results", type=Path, metavar="FILE.jsonl", help="results; an existing file is continued"
    )
    parser.add_argument("--minutes", type=float, default=0.0, help="time for more games (0)")
    parser.add_argument("--concurrency", type=int, default=1, help="games at once (1)")
    parser.add_argument(
        "--elo", type=int, nargs="*", help="levels to play (default: the rows of engine/levels.py)"
    )
    parser.add_argument(
        "--no-anchors",
        action="store_true",
        help="play among the levels only",
    )
    parser.add_argument(
        "--humans", type=Path, metavar="GAMES.tsv.xz", help="games of people, to compare moves with"
    )
    parser.add_argument(
        "--positions", type=int, default=150, help="of the people, for each band of ratings (150)"
    )
    parser.add_argument(
        "--write", type=Path, metavar="PAGE.md", help="replace the tables of this page"
    )
    parser.add_argument("--seed", type=int, help="of the pairings and openings")


def run(arguments: argparse.Namespace) -> int:
    elos = arguments.elo or [round(level.elo) for level in LEVELS]
    least, most = round(LEVELS[0].elo), round(LEVELS[-1].elo)
    for elo in elos:
        if not least <= elo <= most:
            raise ValueError(f"the rows of levels go from {least} to {most}, not to {elo}")
    if arguments.concurrency < 1:
        raise ValueError("--concurrency must be at least 1")
    levels = {level_name(elo): elo for elo in elos}
    with ResultFile(arguments.results) as file:
        if arguments.minutes > 0:
            _play(file, levels, arguments)
        results = list(file.results)
    found = ratings(results, {name: float(elo) for name, elo in levels.items()})
    estimates = {anchor.name: anchor.estimate for anchor in ANCHORS if anchor.estimate is not None}
    tables = {"ratings": rating_table(levels, found, estimates, len(results))}
    if arguments.humans is not None:
        bands = read_positions(arguments.humans, arguments.positions)
        tables["people"] = agreement_table(levels, agreement(levels, bands))
    for table in tables.values():
        print(table, end="\n\n")
    if arguments.write is not None:
        replace_tables(arguments.write, tables)
    return 0


def _play(file: ResultFile, levels: dict[str, int], arguments: argparse.Namespace) -> None:
    chance = Random(arguments.seed)
    guesses = {name: float(elo) for name, elo in levels.items()}
    anchors = set()
    for anchor in () if arguments.no_anchors else ANCHORS:
        if anchor.is_installed:
            anchors.add(anchor.name)
            guesses[anchor.name] = anchor.estimate or 1300.0
        else:
            print(f"{anchor.name} is not installed")
    names = list(guesses)
    # For a game: the mean of the last ones.
    seconds = {name: TYPICAL_GAME_S if name in anchors else 1.0 for name in names}

    under_way: dict[Future[tuple[int, list[str], float]], tuple[str, str]] = {}
    with (
        progress_bar("games") as bar,
        workers(arguments.concurrency, enter, (levels,)) as pool,
    ):
        task = bar.add_task("levels", total=None, completed=len(file.results), note="")
        until = time.monotonic() + 60 * arguments.minutes
        while under_way or time.monotonic() < until:
            while len(under_way) < arguments.concurrency and time.monotonic() < until:
                white, black = next_pair(
                    names, file.results, guesses, seconds.__getitem__, chance, anchors
                )
                started = pool.submit(game, white, black, chance.getrandbits(32))
                under_way[started] = white, black
            for ended in wait(under_way, return_when=FIRST_COMPLETED).done:
                white, black = under_way.pop(ended)
                points, moves, spent = ended.result()
                file.add(Result(white, black, points), moves)
                for name in (white, black):
                    seconds[name] += 0.1 * (spent - seconds[name])
                bar.update(task, advance=1)
