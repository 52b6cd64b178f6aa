"""`spsa`: tune search constants by games; the method is in selfplay/perturbation.py."""

from __future__ import annotations

import argparse
from fnmatch import fnmatchcase
from pathlib import Path
from random import Random
from typing import Any

from engine.command_line import UsageError, Whole
from engine.search.params import tunables
from tuning.processes import workers
from tuning.progress import progress_bar
from tuning.selfplay import perturbation
from tuning.selfplay.perturbation import Duel, Settings, Spsa, optimise
from tuning.selfplay.play import play_pair
from tuning.selfplay.player import MoveLimit, Player
from tuning.selfplay.spsa_report import table, write_report
from tuning.selfplay.starts import Book, RandomStarts

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
    "book": None,
    "random_plies": 8,
    "hash": 4,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("-o", "--output", type=Path, default=Path("spsa.json"), metavar="RUN.json",
        help="run, continued if it exists (default: spsa.json)")  # fmt: skip
    add("--params", nargs="+", metavar="NAME",
        help="constants to tune; * and ? are wildcards (default: all)")  # fmt: skip
    add("--iterations", type=int, help="iterations of the whole run (default: 5000)")
    add("--pairs", type=int, help="pairs of games in each iteration (default: 1)")
    add("--rate", type=float, help="size of the last step (default: 0.002; 0.01 or more for short "
        "runs)")  # fmt: skip
    add("--seed", type=Whole(0), help="seed of perturbations and openings (default: 1)")
    add("--nodes", type=Whole(1), help="nodes a move (default: 5000, without --soft-nodes)")
    add("--soft-nodes", type=Whole(1), metavar="NODES",
        help="nodes of a search after which no iteration begins")  # fmt: skip
    add("--book", metavar="FILE", help="openings, EPD or PGN (default: random moves)")
    add("--random-plies", type=Whole(1), metavar="PLIES",
        help="random moves of an opening (default: 8)")  # fmt: skip
    add("--hash", type=Whole(1), metavar="MB", help="transposition table of each side (default: 4)")
    add("--concurrency", type=Whole(1), default=2, help="games at once (default: 2)")


def run(arguments: argparse.Namespace) -> int:
    path: Path = arguments.output
    if path.exists():
        state = perturbation.load(path)
        _refuse_other_settings(arguments, state.settings, path)
    else:
        state = Spsa(_new_settings(arguments))
        perturbation.save(state, path)  # fails at once if it cannot be written
    try:
        if not state.is_done:
            _play(state, path, arguments.concurrency)
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
    if not (chosen["nodes"] or chosen["soft_nodes"]):
        chosen["nodes"] = 5000
    known = tunables()
    for pattern in chosen["params"]:
        if not any(fnmatchcase(name, pattern) for name in known):
            raise UsageError(f"no constant of the search is called {pattern}")
    wanted = {n: r for n, r in known.items() if any(fnmatchcase(n, p) for p in chosen["params"])}
    settings = Settings(
        ranges=wanted,
        iterations=chosen["iterations"],
        pairs=chosen["pairs"],
        rate=chosen["rate"],
        seed=chosen["seed"],
        lag=2 * arguments.concurrency,
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


class Arena:
    """Two players, their limits and their openings."""

    def __init__(self, games: dict[str, Any]):
        self.limit = MoveLimit(games["nodes"], games["soft_nodes"])
        self.pairs: int = games["pairs"]
        self.starts: Book | RandomStarts
        if games["book"] is not None:
            self.starts = Book(Path(games["book"]))
        else:
            self.starts = RandomStarts(games["random_plies"])
        self.plus, self.minus = Player(games["hash"]), Player(games["hash"])

    def judge(self, duel: Duel) -> int:
        self.plus.set_params(duel.plus)
        self.minus.set_params(duel.minus)
        random = Random(duel.seed)
        points = 0
        for _ in range(self.pairs):
            fen = self.starts.choose(random)
            points += play_pair(self.plus, self.minus, fen, self.limit) - 2
        return points


_arena: Arena  # of a worker process


def _enter_arena(games: dict[str, Any]) -> None:
    global _arena
    _arena = Arena(games)


def _judge(duel: Duel) -> int:
    return _arena.judge(duel)


def _play(state: Spsa, path: Path, concurrency: int) -> None:
    settings = state.settings
    with progress_bar("iterations") as bar, workers(
        concurrency, _enter_arena, (settings.games,)
    ) as pool:  # fmt: skip
        task = bar.add_task("spsa", total=settings.iterations, completed=state.done, note="")

        def on_step() -> None:
            if state.done % SAVED_EVERY == 0:
                perturbation.save(state, path)
            games = 2 * settings.pairs * state.done
            bar.update(task, completed=state.done, note=f"{games} games")

        optimise(state, _judge, pool, on_step)
