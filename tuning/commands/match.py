"""`match`: play an engine against others, until the games are over or an SPRT has its verdict."""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from engine.command_line import UsageError, Whole
from engine.files import reason_of
from tuning.engines import engine, is_xboard
from tuning.matches.contenders import add_contenders, common_options, contenders_of, numbered
from tuning.matches.elo import Sprt, elo
from tuning.matches.openings import check_book, write_random_openings
from tuning.matches.rules import Conditions, Contender
from tuning.matches.runner import choose_tool, play_match
from tuning.matches.score import Score
from tuning.matches.tools import TOOLS
from tuning.progress import progress_bar

GAMES, SPRT_GAMES = 100, 40_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add_contenders(parser)
    parser.epilog = "An opponent xboard:COMMAND speaks XBoard's protocol."
    add("--sprt", metavar="ELO0,ELO1", help="end the match at the verdict of a sequential test "
        "between these strengths, in normalised Elo, such as 0,5 (or, for a simplification, "
        "--sprt=-5,0); both error rates are 0.05")  # fmt: skip
    add(
        "--games",
        type=Whole(2),
        help=f"games against each opponent (default: {GAMES}; with --sprt {SPRT_GAMES})",
    )
    add("--tc", default="2+0.02", help="time control, seconds+increment (default: 2+0.02)")
    add("--nodes", type=Whole(1), help="nodes a move, instead of time")
    add("--book", type=Path, help="file of openings, EPD or PGN (default: random moves)")
    add("--adjudicate", action="store_true", help="end decided games early")
    add("--concurrency", type=Whole(1), default=1, help="games at once (default: 1)")
    add("--seed", type=Whole(0), default=1, help="seed of the order of openings (default: 1)")
    add("--tool", help="program that plays, or `built-in` (default: the first installed of "
        f"{', '.join(TOOLS)})")  # fmt: skip
    add("-o", "--output", type=Path, metavar="FILE.pgn",
        help="new file for the games (default: NEW-OPPONENT.pgn)")  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    sprt = _sprt_of(arguments.sprt)
    if sprt and len(arguments.opponents) > 1:
        raise UsageError("--sprt tests against one opponent")
    if arguments.games is None:
        arguments.games = SPRT_GAMES if sprt else GAMES
    conditions = _conditions_of(arguments)
    first, *opponents = sides = contenders_of(arguments)
    others = numbered(opponents)
    pgn = arguments.output or Path(f"{'-'.join(side.name for side in sides)}.pgn")
    if pgn.exists():
        raise ValueError(f"{pgn}: exists already; name another file with --output")
    status = 0
    with tempfile.TemporaryDirectory() as folder:
        if not arguments.book:
            book = Path(folder) / "openings.epd"
            write_random_openings(book, conditions.rounds, bool(conditions.nodes), conditions.seed)
            conditions = replace(conditions, openings=book)
        for opponent in others:
            if len(others) > 1:
                print(opponent.name, flush=True)
            try:
                _play(arguments.tool, first, opponent, conditions, pgn, sprt)
            except BrokenPipeError:  # nobody reads what is printed
                raise
            except (OSError, ValueError) as reason:  # the other opponents may play
                sys.stderr.write(f"wadjet-tune match: {reason_of(reason)}\n")
                status = 1
    return status


def _sprt_of(text: str | None) -> Sprt | None:
    if text is None:
        return None
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        raise UsageError(f"{text}: the bounds of an SPRT look like 0,5") from None
    return Sprt(low, high)


def _conditions_of(arguments: argparse.Namespace) -> Conditions:
    conditions = Conditions(
        openings=arguments.book or Path(),
        rounds=arguments.games // 2,
        time_control=arguments.tc,
        nodes=arguments.nodes,
        options=common_options(arguments),
        concurrency=arguments.concurrency,
        seed=arguments.seed,
        adjudicate=arguments.adjudicate,
    )
    _ = conditions.clock_s  # raises ValueError if it is none
    if arguments.book:
        check_book(arguments.book, conditions.rounds, bool(arguments.nodes))
    return conditions


def _play(
    tool: str | None,
    first: Contender,
    second: Contender,
    conditions: Conditions,
    pgn: Path,
    sprt: Sprt | None,
) -> None:
    """Play with a progress bar, and print the report even if the match breaks off or is
    interrupted: it may have taken days."""
    tool = choose_tool(tool, (first.command, second.command))
    for side in (first, second):
        if not is_xboard(side.command):
            # A tool would play on if the engine left an option unchanged, or while it compiles.
            with engine(side.command, {**conditions.options, **side.options}):
                pass
    score = Score(first.name)
    try:
        with progress_bar("games") as bar:
            task = bar.add_task(second.name, total=2 * conditions.rounds, note=f"by {tool}")

            def on_games(score: Score) -> bool:
                note = f"Elo {elo(score.pairs)}"
                if sprt:
                    note += f"  LLR {sprt.llr(score.pairs):.2f}"
                bar.update(task, completed=score.games, note=note)
                return not (sprt and sprt.verdict(score.pairs))

            play_match(tool, first, second, conditions, pgn, on_games, score)
    finally:
        if score.games:
            print(score.report(sprt), flush=True)  # before an error message
            print(f"games: {pgn}", flush=True)
