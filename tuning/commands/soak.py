"""`soak`: play thousands of games under conditions in which engines have failed."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

from tuning.engines import OURS, find_program
from tuning.matches.runner import choose_tool
from tuning.matches.tools import TOOLS
from tuning.progress import progress_bar
from tuning.reliability import compliance, memory
from tuning.reliability.page import DEFAULT_PAGE, Row, record
from tuning.reliability.parts import PARTS
from tuning.reliability.soak import SHORT_GAMES, Soak, installed_opponents, play_part

MEMORY = "memory"
MEMORY_GAMES, MEMORY_NODES = 5000, 100
SHORT_MEMORY_GAMES = 20
COMPLIANCE = "compliance"
ALL = (*PARTS, MEMORY, COMPLIANCE)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--only", nargs="+", choices=ALL, metavar="PART", help=f"parts to play: {', '.join(ALL)}"
    )
    parser.add_argument("--short", action="store_true", help="a few games of each part")
    parser.add_argument("--games", type=int, help="games of each part, instead of its own number")
    parser.add_argument(
        "--tool", help=f"match tool, or `built-in` (default: the first of {', '.join(TOOLS)})"
    )
    parser.add_argument("--engine", default=OURS, help="the engine to test (default: this one)")
    parser.add_argument(
        "--opponents", nargs="+", help="commands (default: this engine and what is installed)"
    )
    parser.add_argument("--concurrency", type=int, default=1, help="games at once (1)")
    parser.add_argument("--book", type=Path, help="openings, EPD or PGN (default: random moves)")
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("soak"),
        help="for the games; a run goes on there (soak)",
    )
    parser.add_argument(
        "--report",
        type=Path,
        nargs="?",
        const=DEFAULT_PAGE,
        metavar="PAGE",
        help=f"write the results to this page ({DEFAULT_PAGE})",
    )


def run(arguments: argparse.Namespace) -> int:
    """Exit status 1 if there were faults."""
    if arguments.concurrency < 1 or (arguments.games is not None and arguments.games < 2):
        raise ValueError("games must be at least two, and --concurrency at least 1")
    opponents = tuple(arguments.opponents or installed_opponents())
    for command in (arguments.engine, *opponents):
        find_program(command)
    soak = Soak(
        folder=arguments.folder,
        tool=choose_tool(arguments.tool, (arguments.engine, *opponents)),
        engine=arguments.engine,
        opponents=opponents,
        concurrency=arguments.concurrency,
        games=SHORT_GAMES * len(opponents) if arguments.short else arguments.games,
        book=arguments.book,
    )
    print(f"played by {soak.tool}, against {', '.join(opponents)}")
    faults = 0
    for name in arguments.only or ALL:
        if not arguments.only and name == COMPLIANCE and not compliance.is_possible():
            print(f"compliance: left out, {compliance.TOOL} is not installed")
            continue
        if name == MEMORY:
            row = _memory(arguments)
        elif name == COMPLIANCE:
            row = compliance.check(arguments.engine, _command(COMPLIANCE))
        else:
            row = _games(name, soak)
        faults += row.faults
        print(
            "\n".join([f"{row.test}: {row.size}: {row.result}; {row.faults} faults", *row.details])
        )
        if arguments.report:
            record([row], arguments.report)
    return 1 if faults else 0


def _games(name: str, soak: Soak) -> Row:
    with progress_bar("games") as bar:
        task = bar.add_task(name, total=None, note="")

        def on_games(opponent: str, played: int, wanted: int) -> None:
            bar.update(task, completed=played, total=wanted, note=opponent)

        return play_part(name, soak, _command(name), on_games)


def _memory(arguments: argparse.Namespace) -> Row:
    games = SHORT_MEMORY_GAMES if arguments.short else arguments.games or MEMORY_GAMES
    with progress_bar("games") as bar:
        task = bar.add_task(MEMORY, total=games, note="")
        growth = memory.measure(
            arguments.engine, games, MEMORY_NODES, lambda number: bar.update(task, completed=number)
        )
    return memory.row_of(growth, MEMORY_NODES, _command(MEMORY))


def _command(name: str) -> str:
    """What to type to repeat this part, without the folders of one machine."""
    words = sys.argv[2:] if sys.argv[1:2] == ["soak"] else []
    kept, skipping = [], False
    for word in words:
        if word.startswith("-"):
            skipping = word in ("--only", "--report", "--folder")
        if not skipping:
            kept.append(Path(word).name if Path(word).is_absolute() else word)
    return shlex.join(["wadjet-tune", "soak", "--only", name, *kept])
