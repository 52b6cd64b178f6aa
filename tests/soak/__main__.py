"""Thousands of games under conditions in which engines have failed: python -m tests.soak.

With --report the results go to docs/reliability.md.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.files import reason_of
from tests.soak import compliance, memory
from tests.soak.page import DEFAULT_PAGE, Row, record
from tests.soak.parts import PARTS
from tests.soak.playing import SHORT_GAMES, Soak, installed_opponents, play_part
from tuning.engines import OURS, find_program
from tuning.matches.runner import choose_tool
from tuning.matches.tools import TOOLS
from tuning.progress import progress_bar

MEMORY = "memory"
MEMORY_GAMES, MEMORY_NODES = 5000, 100
SHORT_MEMORY_GAMES = 20
COMPLIANCE = "compliance"
ALL = (*PARTS, MEMORY, COMPLIANCE)


def main(words: Sequence[str] | None = None) -> int:
    """Exit status 1 if there were faults, or the soak broke off."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    add = parser.add_argument
    add("--only", nargs="+", choices=ALL, metavar="PART",
        help=f"parts to play: {', '.join(ALL)} (default: all)")  # fmt: skip
    add("--short", action="store_true", help="play a few games of each part")
    add("--games", type=int, help="games of each part (default: its own number)")
    add("--tool", help="program that plays, or `built-in` (default: the first installed of "
        f"{', '.join(TOOLS)})")  # fmt: skip
    add("--engine", default=OURS, help="command of the engine to test (default: this one)")
    add("--opponents", nargs="+", help="commands (default: this engine and what is installed)")
    add("--concurrency", type=int, default=1, help="games at once (default: 1)")
    add("--book", type=Path, help="openings, EPD or PGN (default: random moves)")
    add("--folder", type=Path, default=Path("soak"),
        help="folder for the games; a run resumes there (default: soak)")  # fmt: skip
    add("--report", type=Path, nargs="?", const=DEFAULT_PAGE, metavar="PAGE",
        help=f"write the results to this page ({DEFAULT_PAGE} if none is named)")  # fmt: skip
    try:
        return run(parser.parse_args(words))
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; finished games are kept\n")
    except (OSError, ValueError) as reason:
        sys.stderr.write(f"python -m tests.soak: {reason_of(reason)}\n")
    return 1


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
    kept, skipping = [], False
    for word in sys.argv[1:]:
        if word.startswith("-"):
            skipping = word in ("--only", "--report", "--folder")
        if not skipping:
            kept.append(Path(word).name if Path(word).is_absolute() else word)
    return shlex.join(["python", "-m", "tests.soak", "--only", name, *kept])


if __name__ == "__main__":
    sys.exit(main())
