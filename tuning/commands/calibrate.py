"""`calibrate`: fit the chances of a win, draw and loss to games, and the points that people score
to games of people; or measure by games what the levels of the engine are worth."""

from __future__ import annotations

import argparse
import json
import time
from concurrent.futures import FIRST_COMPLETED, Future, wait
from pathlib import Path
from random import Random

import chess.engine
import numpy as np

from engine.command_line import UsageError, Whole
from engine.files import write_text
from engine.people import RATING_UNIT
from engine.play.levels import LEVELS
from tuning.calibration import chances, curve
from tuning.calibration.accuracy import accuracy_table, by_band, played
from tuning.calibration.calibration import calibration_error, held_out
from tuning.calibration.games import ResultFile, next_pair, play
from tuning.calibration.people import (
    NODES,
    PLAYERS,
    POSITIONS,
    WHOLE,
    ScoreFile,
    plan,
    read_games,
)
from tuning.calibration.players import ANCHORS, begin, level_name, player
from tuning.calibration.profile import Judge, error_tables, fitted, row_of, spots
from tuning.calibration.ratings import Result, rating_table, ratings, replace_table
from tuning.processes import workers
from tuning.progress import progress_bar

# Of an anchor, until it has played:
ANCHOR_GUESS = 1700.0
TYPICAL_GAME_S = 5.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    kinds = parser.add_subparsers(dest="what", required=True, metavar="{chances,people,levels}")
    of_chances = kinds.add_parser("chances", description=fit_chances.__doc__)
    add = of_chances.add_argument
    add("games", nargs="+", type=Path, metavar="FILE.games", help="games that `selfplay` played")
    add("-o", "--output", type=Path, default=Path("chances.json"), metavar="RUN.json",
        help="file for the constants, which `emit` writes into the engine (default: "
        "chances.json)")  # fmt: skip
    add("--picture", type=Path, metavar="FILE.png", help="draw the calibration")
    of_chances.set_defaults(calibrate=fit_chances)
    people = kinds.add_parser("people", description=fit_people.__doc__)
    add = people.add_argument
    add("games", type=Path, metavar="GAMES.tsv.xz", help="games of people with ratings: names, "
        "ratings, date, result and moves in columns")  # fmt: skip
    add("-o", "--output", type=Path, default=Path("people.json"), metavar="RUN.json",
        help="file for the constants, which `emit` writes into the engine (default: "
        "people.json)")  # fmt: skip
    add("--scores", type=Path, default=Path("people.scores"), metavar="FILE",
        help="the engine's scores; an existing file is continued (default: "
        "people.scores)")  # fmt: skip
    add("--nodes", type=Whole(1), default=NODES, help=f"nodes of each search (default: {NODES})")
    add("--players", type=Whole(1), default=PLAYERS,
        help=f"players' games in each band of ratings (default: {PLAYERS})")  # fmt: skip
    add("--whole", type=Whole(0), default=WHOLE,
        help="games among these with all positions, for accuracies "
        f"(default: {WHOLE})")  # fmt: skip
    add("--positions", type=Whole(1), default=POSITIONS,
        help=f"positions of each other game (default: {POSITIONS})")  # fmt: skip
    add("--picture", type=Path, metavar="FILE.png", help="draw curves and accuracies")
    add("--write", type=Path, metavar="PAGE.md",
        help="replace the table of this page; points lost follow the engine's curve, not the new "
        "one: `emit` that first")  # fmt: skip
    people.set_defaults(calibrate=fit_people)
    levels = kinds.add_parser("levels", description=measure_levels.__doc__)
    add = levels.add_argument
    add("--people", type=Path, metavar="GAMES.tsv.xz",
        help="play no games, but compare the errors of the rows with those of people")  # fmt: skip
    add("--scores", type=Path, default=Path("people.scores"), metavar="FILE",
        help="the engine's scores for --people, as `calibrate people` keeps them (default: "
        "people.scores)")  # fmt: skip
    add("--fit", action="store_true", help="print rows fitted to --people, not the comparison")
    add("-o", "--output", type=Path, default=Path("levels.jsonl"), metavar="FILE.jsonl",
        help="results; an existing file is continued (default: levels.jsonl)")  # fmt: skip
    add("--minutes", type=float, default=0.0, help="time for more games (default: 0)")
    add("--concurrency", type=Whole(1), default=1, help="games at once (default: 1)")
    add("--elo", type=int, nargs="*",
        help="levels to play (default: the rows of engine/play/levels.py)")  # fmt: skip
    add("--no-anchors", action="store_true", help="play among the levels only")
    add("--write", type=Path, metavar="PAGE.md", help="replace the table of this page")
    add("--seed", type=Whole(0), help="seed of the pairings and openings (default: at random)")
    levels.set_defaults(calibrate=measure_levels)


def run(arguments: argparse.Namespace) -> int:
    return int(arguments.calibrate(arguments))


def fit_chances(arguments: argparse.Namespace) -> int:
    """Fit the chances of a win, draw and loss to games of the engine against itself."""
    sample = chances.read_sample(arguments.games)
    games = len(np.unique(sample.games))
    tables = chances.tables_of(held_out(sample, chances.fit, chances.predict), sample.results)
    error = calibration_error(np.concatenate(tables))
    half, spread = fitted = chances.fit(sample)
    print(f"{games:,} games, {len(sample):,} positions")
    for name, table in zip(chances.NAMES, tables, strict=True):
        print(f"mean calibration error, {name}: {100 * calibration_error(table):.2f} %")
    print(f"mean calibration error: {100 * error:.2f} %, on games held back")
    print(f"HALF = ({', '.join(f'{value:.4f}' for value in half)})")
    print(f"SPREAD = ({', '.join(f'{value:.4f}' for value in spread)})")
    found = {"half": half.tolist(), "spread": spread.tolist(), "games": games, "error": error}
    write_text(arguments.output, json.dumps({"kind": "chances", **found}) + "\n")
    if arguments.picture is not None:
        chances.draw(tables, fitted, error, arguments.picture)
    return 0


def fit_people(arguments: argparse.Namespace) -> int:
    """Fit the points that people score from a position to their games, and print how accurately
    they play, by rating."""
    games, there = read_games(arguments.games, arguments.players)
    planned = plan(games, arguments.whole, arguments.positions)
    scored = []
    with ScoreFile(arguments.scores, arguments.nodes) as file, progress_bar("games") as bar:
        task = bar.add_task("people", total=len(planned), note="")
        for game, is_whole, plies in planned:
            scored.append((game, is_whole, file.score(game, plies)))
            bar.update(task, advance=1)
    sample = curve.sample_of(((game, scores) for game, _, scores in scored), arguments.positions)
    values = curve.fit(sample)
    predicted = held_out(sample, curve.fit, curve.predict)
    error = calibration_error(curve.calibration_of(predicted, sample))
    extrapolated = curve.first_with_enough(there)
    print(f"{len(games):,} games, {len(sample.scores):,} positions")
    print(f"mean calibration error: {100 * error:.2f} points, on games held back")
    print(f"SPREAD = ({values[0]:.4f}, {values[1]:.4f}); a lead of {RATING_UNIT:.0f} rating points "
          f"adds {values[2]:.2f} to the exponent")  # fmt: skip
    print(f"extrapolated below {extrapolated}")
    found = {"spread": values[:2], "lead": values[2], "error": error, "games": len(games)}
    write_text(arguments.output, json.dumps({"kind": "people", **found}) + "\n")
    players = [one for game, is_whole, scores in scored if is_whole for one in played(game, scores)]
    rows = by_band(players, curve.bands_with(there))
    print(table := accuracy_table(rows, there, extrapolated))
    if arguments.picture is not None:
        curve.draw(sample, values, rows, arguments.picture)
    if arguments.write is not None:
        replace_table(arguments.write, "people", table)
    return 0


def measure_levels(arguments: argparse.Namespace) -> int:
    """Measure by games what the levels of the engine are worth, or compare their errors with those
    of people."""
    if arguments.people is not None:
        return _compare_levels(arguments)
    elos = arguments.elo or [round(level.elo) for level in LEVELS]
    least, most = round(LEVELS[0].elo), round(LEVELS[-1].elo)
    for elo in elos:
        if not least <= elo <= most:
            raise UsageError(f"the rows of levels go from {least} to {most}, not to {elo}")
    levels = {level_name(elo): elo for elo in elos}
    with ResultFile(arguments.output) as file:
        if arguments.minutes > 0:
            _play(file, levels, arguments)
        results = list(file.results)
    found = ratings(results, {name: float(elo) for name, elo in levels.items()})
    print(table := rating_table(levels, found, len(results)))
    if arguments.write is not None:
        replace_table(arguments.write, "ratings", table)
    return 0


def _compare_levels(arguments: argparse.Namespace) -> int:
    games, _ = read_games(arguments.people)
    with ScoreFile(arguments.scores) as file:
        judge, there = Judge(file), spots(games, file)
        if arguments.fit:
            for ours in filter(None, there):
                level = fitted(row_of(ours), judge, ours)
                values = ", ".join(f"{value:.4g}" for value in level)
                print(f"    Level({values}),", flush=True)
            return 0
        print(table := error_tables(judge, there))
    if arguments.write is not None:
        replace_table(arguments.write, "errors", table)
    return 0


def _play(file: ResultFile, levels: dict[str, int], arguments: argparse.Namespace) -> None:
    chance = Random(arguments.seed)
    guesses = {name: float(elo) for name, elo in levels.items()}
    anchors = set()
    for anchor in () if arguments.no_anchors else ANCHORS:
        if anchor.is_installed:
            anchors.add(anchor.name)
            guesses[anchor.name] = ANCHOR_GUESS
        else:
            print(f"{anchor.name} is not installed")
    names = list(guesses)
    # For a game: the mean of the last ones.
    seconds = {name: TYPICAL_GAME_S if name in anchors else 1.0 for name in names}

    under_way: dict[Future[tuple[int, list[str], float]], tuple[str, str]] = {}
    with (
        progress_bar("games") as bar,
        workers(arguments.concurrency, begin, (levels,)) as pool,
    ):
        task = bar.add_task("levels", total=None, completed=len(file.results), note="")
        until = time.monotonic() + 60 * arguments.minutes

        def goes_on() -> bool:
            return len(names) > 1 and time.monotonic() < until

        while under_way or goes_on():
            while len(under_way) < arguments.concurrency and goes_on():
                white, black = next_pair(
                    names, file.results, guesses, seconds.__getitem__, chance, anchors
                )
                started = pool.submit(_game, white, black, chance.getrandbits(32))
                under_way[started] = white, black
            for ended in wait(under_way, return_when=FIRST_COMPLETED).done:
                white, black = under_way.pop(ended)
                try:
                    points, moves, spent = ended.result()
                except chess.engine.EngineError as error:
                    died = anchors.intersection((white, black), names)
                    names = [name for name in names if name not in died]
                    print(f"{', '.join(died)} plays no more: {error}")
                    continue
                file.add(Result(white, black, points), moves)
                for name in (white, black):
                    seconds[name] += 0.1 * (spent - seconds[name])
                bar.update(task, advance=1)


def _game(white: str, black: str, seed: int) -> tuple[int, list[str], float]:
    """In a worker: half points of White, the moves, and seconds."""
    players = player(white), player(black)
    started = time.monotonic()
    points, moves = play(*players, Random(seed))
    return points, moves, time.monotonic() - started
