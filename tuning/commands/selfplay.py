"""`selfplay`: play games of the engine against itself, to learn from."""

from __future__ import annotations

import argparse
import time
from collections import deque
from concurrent.futures import FIRST_COMPLETED, Future, wait
from pathlib import Path
from random import Random
from typing import Any

from engine.command_line import Whole
from tuning.adjudication import SELFPLAY
from tuning.data.games import GameFile, GameRecord
from tuning.processes import workers
from tuning.progress import progress_bar
from tuning.selfplay.play import play
from tuning.selfplay.player import MoveLimit, Player, engine_hash
from tuning.selfplay.starts import LARGEST_SCORE, Book, RandomStarts

AHEAD = 4  # games queued for each process


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("-o", "--output", type=Path, required=True, metavar="FILE.games",
        help="file for the games; an existing one is continued")  # fmt: skip
    add("--games", type=Whole(1), default=10_000,
        help="games in the finished file (default: 10000)")  # fmt: skip
    add("--soft-nodes", type=Whole(1), default=5000, metavar="NODES",
        help="nodes of a search after which no iteration begins (default: 5000)")  # fmt: skip
    add("--nodes", type=Whole(1), help="most nodes of a search (default: 20 times the soft nodes)")
    add("--book", metavar="FILE", help="openings, EPD or PGN (default: random moves)")
    add(
        "--book-percent",
        type=Whole(0, 100),
        default=100,
        metavar="PERCENT",
        help="share of the games that begin in the book, each opening once (default: 100)",
    )
    add("--chess960-percent", type=Whole(0, 100), default=0, metavar="PERCENT",
        help="share of the other games that are Chess960 (default: 0)")  # fmt: skip
    add("--random-plies", type=Whole(1), default=8, metavar="PLIES",
        help="random moves of an opening (default: 8)")  # fmt: skip
    add("--hash", type=Whole(1), default=4, metavar="MB",
        help="transposition table of each process (default: 4)")  # fmt: skip
    add("--concurrency", type=Whole(1), default=2, help="games at once (default: 2)")
    add("--seed", type=Whole(0), default=1, help="seed of the openings (default: 1)")


def run(arguments: argparse.Namespace) -> int:
    settings = {
        "engine": engine_hash(),
        "soft_nodes": arguments.soft_nodes,
        "nodes": arguments.nodes or 20 * arguments.soft_nodes,
        "book": arguments.book,
        "book_percent": arguments.book_percent,
        "chess960_percent": arguments.chess960_percent,
        "random_plies": arguments.random_plies,
        "start_score": LARGEST_SCORE,
        "win_score": SELFPLAY.lost_score,
        "hash": arguments.hash,
        "seed": arguments.seed,
    }
    series = Series(settings)  # bad settings fail here, before there is a file
    series.check(arguments.games)
    with GameFile(arguments.output, settings) as file:
        if file.cut_off_bytes:
            print(f"{arguments.output}: cut off a half-written game of {file.cut_off_bytes} bytes")
        missing = [number for number in range(arguments.games) if number not in file.numbers]
        if missing:
            _play(file, missing, settings, arguments.games, arguments.concurrency)
    print(f"{arguments.output}: {arguments.games} games")
    return 0


class Series:
    """What plays the games of a run: a player for both sides, its limits, and the openings, some in
    a book, each once, the others after random moves."""

    def __init__(self, settings: dict[str, Any]):
        """Raises OSError and ValueError for settings or a book that cannot serve."""
        self._limit = MoveLimit(nodes=settings["nodes"], soft_nodes=settings["soft_nodes"])
        self._player = Player(settings["hash"])
        self._chess960 = settings["chess960_percent"]
        self._seed = settings["seed"]
        self._book = Book(Path(settings["book"])) if settings["book"] is not None else None
        self._percent = settings["book_percent"] if self._book else 0
        self._order = list(range(len(self._book or ())))
        Random(self._seed).shuffle(self._order)
        plies = settings["random_plies"]
        self._random = [RandomStarts(plies, chess960=chess960) for chess960 in (False, True)]

    def check(self, games: int) -> None:
        """ValueError if the book has too few openings for the games: at fixed nodes a repeated
        one is the same game."""
        wanted = games * self._percent // 100
        if wanted > len(self._order):
            raise ValueError(
                f"{wanted} games need as many openings; the book has {len(self._order)}"
            )

    def _opening(self, number: int) -> str:
        """The FEN at which game `number` of the run begins."""
        before, after = (n * self._percent // 100 for n in (number, number + 1))
        if self._book and after > before:
            return self._book[self._order[before]]
        random = Random(f"{self._seed} {number}")
        return self._random[random.random() * 100 < self._chess960].choose(random)

    def game(self, number: int) -> GameRecord:
        """Game `number` of the run, always the same."""
        fen = self._opening(number)
        return play(self._player, self._player, fen, self._limit, SELFPLAY)


_series: Series  # of a worker process


def _begin(settings: dict[str, Any]) -> None:
    global _series
    _series = Series(settings)


def _game(number: int) -> GameRecord:
    return _series.game(number)


def _play(
    file: GameFile, missing: list[int], settings: dict[str, Any], games: int, concurrency: int
) -> None:
    with (
        progress_bar("games") as bar,
        workers(concurrency, _begin, (settings,)) as pool,
    ):
        task = bar.add_task("selfplay", total=games, completed=games - len(missing), note="")
        started, positions = time.monotonic(), 0
        under_way: dict[Future[GameRecord], int] = {}
        waiting = deque(missing)
        while waiting or under_way:
            while waiting and len(under_way) < AHEAD * concurrency:
                number = waiting.popleft()
                under_way[pool.submit(_game, number)] = number
            finished, _ = wait(under_way, return_when=FIRST_COMPLETED)
            # Keep every finished game before an error is raised.
            for future in sorted(finished, key=lambda future: future.exception() is not None):
                game = future.result()
                file.add(under_way.pop(future), game)
                positions += len(game.moves)
                speed = positions / (time.monotonic() - started)
                bar.update(task, advance=1, note=f"{speed:.0f} positions/s")
