"""`spsa`: tune search constants by games; the method is in selfplay/perturbation.py."""

from __future__ import annotations

import argparse
import re
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from engine.files import write_text
from engine.search import params
from engine.search.params import tunables
from tuning.processes import workers
from tuning.progress import progress_bar
from tuning.selfplay import perturbation
from tuning.selfplay.arena import Arena
from tuning.selfplay.perturbation import Duel, Settings, Spsa, optimise
from tuning.selfplay.spsa_report import table, write_report

SAVED_EVERY = 20  # iterations

# Settings of a new run, where the command line gives none.
DEFAULTS: dict[str, Any] = {
    "params": ["*"],
    "iterations": 5000,
    "pairs": 1,
    "rate": 0.002,
    "seed": 1,
    "nodes": None,
    "soft_nodes": None,
    "movetime": None,
    "book": None,
    "random_plies": 8,
    "hash": 4,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "checkpoint", type=Path, metavar="RUN.json", help="the run; an existing one is continued"
    )
    parser.add_argument(
        "--params", nargs="+", metavar="NAME", help="constants to tune (all); * and ? are wildcards"
    )
    parser.add_argument("--iterations", type=int, help="iterations of the whole run (5000)")
    parser.add_argument("--pairs", type=int, help="game pairs in each iteration (1)")
    parser.add_argument(
        "--rate", type=float, help="size of the last step (0.002; 0.01 or more for short runs)"
    )
    parser.add_argument("--seed", type=int, help="of perturbations and openings (1)")
    parser.add_argument("--nodes", type=int, help="nodes a move (5000, if there is no other limit)")
    parser.add_argument(
        "--soft-nodes", type=int, help="start no new iteration after this many nodes"
    )
    parser.add_argument("--movetime", type=float, metavar="MS", help="time a move")
    parser.add_argument("--book", help="openings, EPD or PGN (default: random moves)")
    parser.add_argument("--random-plies", type=int, help="random moves of an opening (8)")
    parser.add_argument(
        "--hash", type=int, metavar="MB", help="transposition table of each side (4)"
    )
    parser.add_argument("--processes", type=int, default=2, help="games at once (2)")
    parser.add_argument(
        "--emit",
        nargs="?",
        type=Path,
        const=Path(params.__file__),
        metavar="FILE",
        help="write the tuned defaults into the engine's params.py, or into FILE, a copy of it, "
        "instead of playing",
    )


def run(arguments: argparse.Namespace) -> int:
    path: Path = arguments.checkpoint
    if path.exists():
        state = perturbation.load(path)
        _refuse_other_settings(arguments, state.settings, path)
    elif arguments.emit:
        raise ValueError(f"{path}: no such run")
    else:
        state = Spsa(_new_settings(arguments))
        perturbation.save(state, path)  # fails at once if it cannot be written
    if arguments.emit:
        emit(state, arguments.emit)
        print(f"{arguments.emit}: {len(state.theta)} defaults written")
        return 0
    if arguments.processes < 1:
        raise ValueError("there must be at least one process")
    try:
        if not state.is_done:
            _play(state, path, arguments.processes)
    finally:
        perturbation.save(state, path)
        print(table(state))
        report = path.with_suffix(".html")
        write_report(state, report)
        print(f"\nreport: {report}")
    return 0


def _new_settings(arguments: argparse.Namespace) -> Settings:
    chosen = {n: d if getattr(arguments, n) is None else getattr(arguments, n)
              for n, d in DEFAULTS.items()}  # fmt: skip
    if not (chosen["nodes"] or chosen["soft_nodes"] or chosen["movetime"]):
        chosen["nodes"] = 5000
    known = tunables()
    for pattern in chosen["params"]:
        if not any(fnmatchcase(name, pattern) for name in known):
            raise ValueError(f"no constant of the search is called {pattern}")
    wanted = {n: r for n, r in known.items() if any(fnmatchcase(n, p) for p in chosen["params"])}
    settings = Settings(
        ranges=wanted,
        iterations=chosen["iterations"],
        pairs=chosen["pairs"],
        rate=chosen["rate"],
        seed=chosen["seed"],
        lag=2 * max(1, arguments.processes),
        games=chosen,
    )
    Arena(chosen)  # a book that cannot be read fails here
    return settings


def _refuse_other_settings(arguments: argparse.Namespace, stored: Settings, path: Path) -> None:
    for name in DEFAULTS:
        given = getattr(arguments, name)
        if given is not None and given != stored.games.get(name):
            option = "--" + name.replace("_", "-")
            raise ValueError(f"{path}: this run has {option} {stored.games.get(name)}, not {given}")


# --- Games ---------------------------------------------------------------------------------------


_arena: Arena  # of a worker process


def _enter_arena(games: dict[str, Any]) -> None:
    global _arena
    _arena = Arena(games)


def _judge(duel: Duel) -> int:
    return _arena.judge(duel)


def _play(state: Spsa, path: Path, processes: int) -> None:
    settings = state.settings
    with progress_bar("iterations") as bar, workers(
        processes, _enter_arena, (settings.games,)
    ) as pool:  # fmt: skip
        task = bar.add_task("spsa", total=settings.iterations, completed=state.done, note="")

        def on_step() -> None:
            if state.done % SAVED_EVERY == 0:
                perturbation.save(state, path)
            games = 2 * settings.pairs * state.done
            bar.update(task, completed=state.done, note=f"{games} games")

        optimise(state, _judge, pool, on_step)


def emit(state: Spsa, path: Path) -> None:
    """Write the tuned values as new defaults into a copy of params.py."""
    text = path.read_text(encoding="utf-8")
    for name, value in state.values().items():
        pattern = rf"^(\s*{re.escape(name)} = Tunable\()-?\d+"
        text, found = re.subn(pattern, rf"\g<1>{value}", text, flags=re.MULTILINE)
        if found != 1:
            raise ValueError(f"{path}: {name} is declared {found} times, not once")
    write_text(path, text)
