"""Options, conditions and report that `sprt` and `gauntlet` share."""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import replace
from pathlib import Path
from random import Random

from engine.files import write_text
from tuning.engines import find_program, options_of
from tuning.matches.elo import Sprt, elo
from tuning.matches.rules import Conditions, Contender
from tuning.matches.runner import choose_tool, play_match
from tuning.matches.score import Score
from tuning.matches.tools import TOOLS
from tuning.progress import progress_bar
from tuning.selfplay.starts import Book, RandomStarts

RANDOM_STARTS = 500  # when no book is given


def add_match_arguments(parser: argparse.ArgumentParser, time_control: str) -> None:
    parser.add_argument(
        "--tool", help=f"match tool, or `built-in` (default: the first of {', '.join(TOOLS)})"
    )
    parser.add_argument("--tc", default=time_control, help=f"seconds+increment ({time_control})")
    parser.add_argument("--nodes", type=int, help="nodes a move instead of time")
    parser.add_argument("--book", type=Path, help="openings, EPD or PGN (default: random moves)")
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="of both engines (Hash=16)",
    )
    parser.add_argument(
        "--own-option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="of the engine to test alone",
    )
    parser.add_argument("--concurrency", type=int, default=1, help="games at once (1)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the order of openings (1)")
    parser.add_argument("--adjudicate", action="store_true", help="adjudicate decided games")
    parser.add_argument(
        "--pgn",
        type=Path,
        default=Path("match.pgn"),
        help="append the games to this file (match.pgn)",
    )


def tested(name: str, command: str, arguments: argparse.Namespace) -> Contender:
    """The engine to test, with the options that it alone gets."""
    return Contender(name, command, options_of(arguments.own_option))


def conditions_of(arguments: argparse.Namespace) -> Conditions:
    if arguments.games < 2 or arguments.concurrency < 1:
        raise ValueError("games must be at least two, and --concurrency at least 1")
    if arguments.nodes is not None and arguments.nodes < 1:
        raise ValueError("nodes must be more than 0")
    conditions = Conditions(
        openings=arguments.book or Path(),
        rounds=arguments.games // 2,
        time_control=arguments.tc,
        nodes=arguments.nodes,
        options={"Hash": "16", **options_of(arguments.option)},
        concurrency=arguments.concurrency,
        seed=arguments.seed,
        adjudicate=arguments.adjudicate,
    )
    _ = conditions.clock_s  # raises ValueError if it is none
    if arguments.book:
        Book(arguments.book)[0]
    return conditions


def play_and_report(
    arguments: argparse.Namespace,
    first: Contender,
    second: Contender,
    conditions: Conditions,
    sprt: Sprt | None,
) -> None:
    """Play and print the report, even if the match breaks off or is interrupted: it may have taken
    days.

    With `sprt` the match ends at its verdict. Raises OSError at once if a program is missing.
    """
    for contender in (first, second):
        find_program(contender.command)
    score = Score(first.name)
    try:
        _play(arguments, first, second, conditions, sprt, score)
    finally:
        if score.games:
            print(score.report(sprt), flush=True)  # before an error message


def _play(
    arguments: argparse.Namespace,
    first: Contender,
    second: Contender,
    conditions: Conditions,
    sprt: Sprt | None,
    score: Score,
) -> None:
    """Play with a progress bar, and add to the score."""
    tool = choose_tool(arguments.tool, (first.command, second.command))
    with tempfile.TemporaryDirectory() as folder, progress_bar("games") as bar:
        if not arguments.book:
            conditions = with_random_openings(conditions, Path(folder))
        task = bar.add_task(second.name, total=2 * conditions.rounds, note=f"by {tool}")

        def on_games(score: Score) -> bool:
            note = f"Elo {elo(score.pairs)}"
            if sprt:
                note += f"  LLR {sprt.llr(score.pairs):.2f}"
            bar.update(task, completed=score.games, note=note)
            return not (sprt and sprt.verdict(score.pairs))

        play_match(tool, first, second, conditions, arguments.pgn, on_games, score)


def with_random_openings(conditions: Conditions, folder: Path) -> Conditions:
    """The conditions with a book of random openings, written to the folder."""
    random, starts = Random(conditions.seed), RandomStarts()
    book = folder / "openings.epd"
    wanted = min(conditions.rounds, RANDOM_STARTS)
    write_text(book, "\n".join(starts.choose(random) for _ in range(wanted)))
    return replace(conditions, openings=book)
