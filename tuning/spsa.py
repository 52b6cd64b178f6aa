"""`spsa`: tune constants of the search by games. The method itself is in perturbation.py."""

from __future__ import annotations

import argparse
import re
from fnmatch import fnmatchcase
from pathlib import Path
from random import Random
from typing import Any

from matplotlib.figure import Figure

import engine.search.params
from engine.search.params import Range, tunables
from tuning import perturbation
from tuning.files import write_text
from tuning.page import Page
from tuning.perturbation import Duel, Settings, Spsa, optimise
from tuning.processes import progress_bar, workers
from tuning.selfplay import MoveLimit, Player, play_pair
from tuning.starts import Book, RandomStarts

SAVED_EVERY = 20  # iterations
PLOTS_PER_ROW = 4

# Settings of a new run that the command line may leave out.
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
        "checkpoint", type=Path, metavar="RUN.json", help="the run; if it is there, it is continued"
    )
    parser.add_argument("--params", nargs="+", metavar="NAME", help="which; * and ? are wildcards")
    parser.add_argument("--iterations", type=int, help="of the whole run (default: 5000)")
    parser.add_argument("--pairs", type=int, help="game pairs in each iteration (1)")
    parser.add_argument(
        "--rate", type=float, help="size of the last step (0.002; 0.01 or more for short runs)"
    )
    parser.add_argument("--seed", type=int, help="(1)")
    parser.add_argument("--nodes", type=int, help="per move (5000, if no other limit is given)")
    parser.add_argument("--soft-nodes", type=int, help="no new iteration after so many")
    parser.add_argument("--movetime", type=float, metavar="MS", help="time per move")
    parser.add_argument("--book", help="openings, an EPD or PGN file; else random moves")
    parser.add_argument("--random-plies", type=int, help="of random openings (8)")
    parser.add_argument("--hash", type=int, metavar="MB", help="of each side (4)")
    parser.add_argument("--processes", type=int, default=2, help="(2)")
    parser.add_argument(
        "--emit",
        nargs="?",
        type=Path,
        const=Path(engine.search.params.__file__),
        metavar="FILE",
        help="do not play: write the tuned defaults into the engine's params.py, or into FILE, "
        "a copy of it",
    )


def run(arguments: argparse.Namespace) -> int:
    path: Path = arguments.checkpoint
    if path.exists():
        state = perturbation.load(path)
        _refuse_other_settings(arguments, state.settings, path)
    elif arguments.emit:
        raise ValueError(f"{path}: there is no such run")
    else:
        state = Spsa(_new_settings(arguments))
        perturbation.save(state, path)  # says at once if it cannot be written
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
    Arena(chosen)  # a book that cannot be read is found out here
    return settings


def _refuse_other_settings(arguments: argparse.Namespace, stored: Settings, path: Path) -> None:
    for name in DEFAULTS:
        given = getattr(arguments, name)
        if given is not None and given != stored.games.get(name):
            option = "--" + name.replace("_", "-")
            raise ValueError(f"{path}: this run has another {option}: {stored.games.get(name)}")


# --- Games ---------------------------------------------------------------------------------------


class Arena:
    """Two players, and how they meet."""

    def __init__(self, games: dict[str, Any]):
        self.limit = MoveLimit(
            nodes=games["nodes"], soft_nodes=games["soft_nodes"], movetime_ms=games["movetime"]
        )
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


# --- Results -------------------------------------------------------------------------------------


def table(state: Spsa) -> str:
    """Old and new values as text."""
    lines = [f"{'parameter':28}{'old':>8}{'new':>8}{'change in steps':>18}"]
    for name, new, limits in _rows(state):
        lines.append(
            f"{name:28}{limits.default:8}{new:8}{(new - limits.default) / limits.step:+18.2f}"
        )
    return "\n".join(lines)


def _rows(state: Spsa) -> list[tuple[str, int, Range]]:
    ranges = state.settings.ranges
    return [(name, value, ranges[name]) for name, value in state.values().items()]


def write_report(state: Spsa, path: Path) -> None:
    settings = state.settings
    page = Page("SPSA of search constants")
    page.text(
        f"{state.done} of {settings.iterations} iterations of {settings.pairs} game pairs, "
        f"rate {settings.rate}, seed {settings.seed}."
    )
    page.table(("setting", "value"), settings.games.items())
    page.heading("Values")
    page.table(
        ("parameter", "old", "new", "exact", "least", "largest", "step"),
        [
            (n, r.default, v, f"{state.theta[n]:.2f}", r.minimum, r.maximum, r.step)
            for n, v, r in _rows(state)
        ],
    )
    page.heading("How they moved")
    page.text("The dashed line is the old value.")
    page.plot(_plot(state))
    page.write(path)


def _plot(state: Spsa) -> Figure:
    names = list(state.theta)
    rows = -(-len(names) // PLOTS_PER_ROW)
    figure = Figure(figsize=(13, 2.2 * rows + 0.5), layout="constrained")
    axes = figure.subplots(rows, PLOTS_PER_ROW, squeeze=False).ravel()
    numbers = [number for number, _ in state.history]
    for name, axis in zip(names, axes, strict=False):
        axis.plot(numbers, [values[name] for _, values in state.history])
        axis.axhline(state.settings.ranges[name].default, linestyle="--", color="gray")
        axis.set_title(name, fontsize=9)
        axis.tick_params(labelsize=7)
    for axis in axes[len(names) :]:
        axis.remove()
    return figure


def emit(state: Spsa, path: Path) -> None:
    """Write the tuned values as new defaults into a copy of params.py."""
    text = path.read_text(encoding="utf-8")
    for name, value in state.values().items():
        pattern = rf"^(\s*{re.escape(name)} = Tunable\()-?\d+"
        text, found = re.subn(pattern, rf"\g<1>{value}", text, flags=re.MULTILINE)
        if found != 1:
            raise ValueError(f"{path}: {name} is not declared there once but {found} times")
    write_text(path, text)
