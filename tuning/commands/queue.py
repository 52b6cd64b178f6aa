"""`queue`: test patches one after the other, at a fixed number of nodes; then what passed, by time.

Beside QUEUE.txt lie QUEUE.json (the results, from which a stopped run resumes), QUEUE.html (the
page) and the folder QUEUE-games.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from engine.native.objects import cache_folders
from engine.reasons import reason_of
from tuning.files import lock
from tuning.matches.rules import Conditions
from tuning.matches.runner import choose_tool
from tuning.matches.tools import TOOLS
from tuning.patches import trials
from tuning.patches.playing import Board, Files, play_queue
from tuning.patches.queue_file import read_queue
from tuning.patches.results import line_of
from tuning.patches.sources import Sources
from tuning.patches.trials import Queue, Trial
from tuning.selfplay.starts import Book

LOOK_AGAIN_S = 10.0

# Settings of a new queue, where the command line gives none.
DEFAULTS: dict[str, Any] = {
    "book": None,
    "base": "HEAD",
    "nodes": 20_000,
    "games": 4000,
    "short": "2+0.02",
    "long": "8+0.08",
    "seed": 1,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("queue", type=Path, metavar="QUEUE.txt",
        help="a patch a line: `name: commit` or `name: constant=value ...`, then bounds, if not "
        "[0, 8]; lines may be added at any time")  # fmt: skip
    add("--book", metavar="FILE", help="openings, EPD or PGN; needed at the first start")
    add("--base", metavar="COMMIT", help="what patches are tested against (HEAD)")
    add("--nodes", type=int, help="nodes a move, for patches (20000)")
    add("--games", type=int, help="most games of a trial (4000)")
    add("--short", metavar="TC", help="time control of bundles (2+0.02)")
    add("--long", metavar="TC", help="time control of all bundles together (8+0.08)")
    add("--seed", type=int, help="seed of the order of openings (1)")
    add("--bundle", type=int, default=4, metavar="COUNT",
        help="test a bundle when so many patches have passed, and at the end (4)")  # fmt: skip
    add("--untimed", action="store_true", help="play no timed games now: the machine is busy")
    add("--wait", action="store_true", help="wait for new lines instead of ending")
    add("--concurrency", type=int, default=1,
        help="games of a patch at once (1); timed games always run alone")  # fmt: skip
    add("--tool", help=f"match tool, or `built-in` (default: the first of {', '.join(TOOLS)})")
    add("--repository", type=Path, default=Path(), help="where the commits are (.)")
    add("--cache", type=Path, help="folder for checked-out commits (the user's cache)")


def run(arguments: argparse.Namespace) -> int:
    if arguments.concurrency < 1 or arguments.bundle < 1:
        raise ValueError("--concurrency and --bundle must be at least 1")
    tool = choose_tool(arguments.tool)
    patches = read_queue(arguments.queue)
    cache = arguments.cache or cache_folders()[0] / "patches"
    cache.mkdir(parents=True, exist_ok=True)
    sources = Sources(arguments.repository, cache)
    files = Files(arguments.queue.with_suffix(".json"))
    with ExitStack() as stack:
        # One queue a machine: timed games would disturb each other.
        lock(stack.enter_context(open(cache / "lock", "ab")), cache / "lock")
        if files.results.exists():
            queue = trials.load(files.results)
            _refuse_other_settings(arguments, queue.settings, sources, files.results)
        else:
            queue = Queue(_new_settings(arguments, sources))
        queue.update(patches)
        board = Board(queue, files, sources, tool, arguments.concurrency)

        def following() -> Trial | None:
            try:
                queue.update(read_queue(arguments.queue))
            except (OSError, ValueError) as reason:  # half edited, perhaps: the queue goes on
                print(reason_of(reason), file=sys.stderr, flush=True)
            return queue.following(arguments.bundle, not arguments.untimed)

        print(f"results: {files.page}", flush=True)
        wait_s = LOOK_AGAIN_S if arguments.wait else None
        play_queue(board, following, lambda trial: print(line_of(trial), flush=True), wait_s)
    return 0


def _new_settings(arguments: argparse.Namespace, sources: Sources) -> dict[str, Any]:
    chosen = {n: d if getattr(arguments, n) is None else getattr(arguments, n)
              for n, d in DEFAULTS.items()}  # fmt: skip
    if chosen["book"] is None:
        raise ValueError("--book FILE is needed: openings, EPD or PGN")
    if chosen["nodes"] < 1 or chosen["games"] < 2:
        raise ValueError("--nodes must be more than 0, and --games at least 2")
    for time_control in (chosen["short"], chosen["long"]):
        _ = Conditions(Path(), 1, time_control).clock_s  # raises ValueError if it is none
    chosen["book"] = str(Path(chosen["book"]).absolute())
    Book(Path(chosen["book"]))[0]
    chosen["base"] = sources.resolve(chosen["base"])
    return chosen


def _refuse_other_settings(
    arguments: argparse.Namespace, stored: dict[str, Any], sources: Sources, path: Path
) -> None:
    for name in DEFAULTS:
        given = getattr(arguments, name)
        if given is None:
            continue
        if name == "base":
            given = sources.resolve(given)
        if name == "book":
            given = str(Path(given).absolute())
        if given != stored.get(name):
            raise ValueError(f"{path}: this queue has --{name} {stored.get(name)}, not {given}")
