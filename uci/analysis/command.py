"""The command line of `wadjet analyse`."""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.api import Engine, PositionError
from engine.board.ending import claim
from engine.board.fen import START
from engine.command_line import Parser, UsageError, Whole
from engine.files import reason_of
from engine.limits import RANGES as LIMIT_RANGES
from engine.limits import Limits
from engine.machine import cores
from engine.people import MIDDLE_RATING
from engine.settings import RANGES
from openings.game import board_of
from uci.analysis.batch import GAME_LIMITS, HASH_MB
from uci.analysis.games import (
    Analysed,
    GameFile,
    GameSettings,
    NoGamesError,
    analyse_file,
    results_beside,
)
from uci.analysis.lines import best_lines, explained, side_name, table
from uci.loop import announce_compiling
from uci.output import Output, standard_output

POSITION_MS = 2000
# Also what is meant as a FEN, but is none.
LIKE_A_FEN = re.compile(
    r"startpos|([^/ ]*/){7}[^/ ]*( .*)?"  # eight ranks
    r"|[1-8bknpqr]+(/[1-8bknpqr]+)+( .*)?"  # nothing but men and empty squares
    r"|\w+(/\w+){2,} [wb]( .*)?",  # a side to move
    re.IGNORECASE,
)
INTERRUPTED = 130  # the status that shells expect after Ctrl-C
EPILOG = """A file of games becomes FILE.analysed.pgn and FILE.analysed.html beside it, with scores,
best lines, marks and accuracies. After an interruption the same command continues. For a FEN it
prints a table of the best moves."""


def main(words: Sequence[str]) -> int:
    """Returns the exit status: 0 done, 1 failed or something was skipped, 2 wrong usage."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    output = standard_output()
    arguments = _parser().parse_args(words)
    target = " ".join(arguments.target)
    try:
        announce_compiling(complain)
        if _is_position(target):
            if arguments.pgn or arguments.html or arguments.open:
                raise UsageError("--pgn, --html and --open are for games")
            _analyse_position(
                START if target.casefold() == "startpos" else target, arguments, output
            )
            return 0
        return _analyse_files(_paths(arguments), arguments, output)
    except KeyboardInterrupt:
        return INTERRUPTED
    except (OSError, MemoryError, UsageError, PositionError, NoGamesError) as reason:
        complain(reason_of(reason))
        return 2 if isinstance(reason, UsageError | PositionError) else 1


def complain(text: str) -> None:
    print(f"wadjet analyse: {text}", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="wadjet analyse",
        description="Analyse games, or show the best moves of a position.",
        epilog=EPILOG,
    )
    add = parser.add_argument
    add("target", nargs="+", metavar="FILE|FEN", help="PGN files, or a position")
    limits = parser.add_mutually_exclusive_group()
    limits.add_argument("--ms", type=Whole(1, 86_400_000), metavar="N",
        help=f"time for each position (default for a FEN: {POSITION_MS})")  # fmt: skip
    limits.add_argument("--nodes", type=Whole(*LIMIT_RANGES["nodes"]), metavar="N",
        help=f"nodes for each position (default for games: {GAME_LIMITS.nodes})")  # fmt: skip
    limits.add_argument("--depth", type=Whole(*LIMIT_RANGES["depth"]), metavar="N",
        help="depth for each position, in plies")  # fmt: skip
    add("--lines", type=Whole(*RANGES["multi_pv"]), default=5, metavar="N",
        help="number of best moves to show of a FEN (default: 5)")  # fmt: skip
    add("--threads", type=Whole(*RANGES["threads"]), default=cores(), metavar="N",
        help="positions of games at once, or threads for a FEN (default: one a core)")  # fmt: skip
    add("--hash", type=Whole(*RANGES["hash_mb"]), default=HASH_MB, metavar="MB",
        help=f"memory for each of them (default: {HASH_MB})")  # fmt: skip
    add("--rating", type=Whole(1, 4000), metavar="N",
        help="rating of the players (default: that of the tags, or "
        f"{MIDDLE_RATING})")  # fmt: skip
    add("--chess960", action="store_true", help="the FEN is one of Chess960")
    add("--open", action="store_true",
        help="then open the games on a board in your browser, until Ctrl-C")  # fmt: skip
    add("--pgn", type=Path, metavar="FILE", help="file for the annotated games")
    add("--html", type=Path, metavar="FILE", help="file for the page")
    return parser


def _is_position(target: str) -> bool:
    return bool(LIKE_A_FEN.fullmatch(target)) and not Path(target).exists()


def _limits(arguments: argparse.Namespace, default: Limits) -> Limits:
    if arguments.nodes is not None:
        return Limits(nodes=arguments.nodes)
    if arguments.depth is not None:
        return Limits(depth=arguments.depth)
    return default if arguments.ms is None else Limits(movetime_ms=arguments.ms)


def _analyse_position(fen: str, arguments: argparse.Namespace, output: Output) -> None:
    """Print the table. Raises ValueError for a bad FEN, MemoryError."""
    engine = Engine(
        hash_mb=arguments.hash,
        multi_pv=arguments.lines,
        chess960=arguments.chess960,
        show_wdl=True,
        analyse_mode=True,
    )
    engine.configure(threads=min(arguments.threads, engine.most_threads))
    if engine.start_problem:
        complain(engine.start_problem)
    if remark := engine.set_position(fen):
        complain(remark)
    fen = engine.fen()
    board = board_of(fen)
    board.chess960 |= arguments.chess960
    lines = best_lines(engine, board, _limits(arguments, Limits(movetime_ms=POSITION_MS)))
    output.say(f"{fen}\n")
    if lines[0].moves:
        heading = f"{side_name(board.turn)} to move. Scores are White's. {claim(board)}".strip()
        output.say("\n".join([heading, *table(board, lines), "\nWithout looking ahead:"]))
        output.say("\n".join(explained(engine)["words"]))
    else:
        output.say(str(engine.ending()))


def _paths(arguments: argparse.Namespace) -> list[Path]:
    """The files of the command line: several, or one whose name has blanks and no quotes."""
    together = Path(" ".join(arguments.target))
    if len(arguments.target) == 1 or together.exists():
        return [together]
    if arguments.pgn or arguments.html:
        raise UsageError("--pgn and --html name the results of one file")
    paths = [Path(word) for word in arguments.target]
    _check_results(paths)
    return paths


def _check_results(paths: list[Path]) -> None:
    """Raises UsageError if the result of one file would replace another file or its result."""
    owners = {os.path.realpath(path): path for path in paths}
    for path in list(owners.values()):
        for result in results_beside(path) if path.name else ():
            owner = owners.setdefault(os.path.realpath(result), path)
            if owner != path:
                raise UsageError(f"{path} and {owner} need commands of their own: the results of "
                    f"the first would replace {result}")  # fmt: skip


def _analyse_files(paths: list[Path], arguments: argparse.Namespace, output: Output) -> int:
    """One after the other. A file that cannot be analysed does not stop the others."""
    done: list[Analysed] = []
    for number, path in enumerate(paths):
        if number:
            output.say("")
        try:
            done.append(_analyse_games(path, arguments, output))
        except (OSError, NoGamesError) as reason:
            complain(reason_of(reason))
    if arguments.open and done:
        from uci.board.command import serve, server_of  # not at startup: it takes longer

        serve(server_of(done), output, opens=True)
    return 0 if len(done) == len(paths) and all(one.is_whole for one in done) else 1


def _analyse_games(path: Path, arguments: argparse.Namespace, output: Output) -> Analysed:
    file = GameFile.beside(path, arguments.pgn, arguments.html)
    settings = GameSettings(
        _limits(arguments, GAME_LIMITS), arguments.threads, arguments.hash, arguments.rating
    )
    return analyse_file(file, settings, output.say, complain)
