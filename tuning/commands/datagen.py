"""`datagen`: play games of the engine against itself, to learn from."""

from __future__ import annotations

import argparse
import time
from collections import deque
from concurrent.futures import FIRST_COMPLETED, Future, wait
from pathlib import Path
from random import Random
from typing import Any

from tuning.data.games import Game, GameFile
from tuning.processes import workers
from tuning.progress import progress_bar
from tuning.selfplay.play import Adjudication, play
from tuning.selfplay.player import MoveLimit, Player, engine_hash
from tuning.selfplay.starts import Book, Mixed, RandomStarts, Starts

AHEAD = 4  # games queued for each process


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "output", type=Path, metavar="FILE.games", help="the games; an existing file is continued"
    )
    parser.add_argument(
        "--games", type=int, default=10_000, help="games in the finished file (10000)"
    )
    parser.add_argument(
        "--soft-nodes",
        type=int,
        default=5000,
        help="start no new iteration after this many nodes (5000)",
    )
    parser.add_argument(
        "--nodes", type=int, help="stop a search at this many (20 times the soft nodes)"
    )
    parser.add_argument("--book", help="openings, EPD or PGN (default: random moves)")
    parser.add_argument(
        "--book-percent", type=int, default=100, help="games that begin in the book (100)"
    )
    parser.add_argument(
        "--chess960-percent", type=int, default=0, help="of the other games: Chess960 (0)"
    )
    parser.add_argument(
        "--random-plies", type=int, default=8, help="random moves of an opening (8)"
    )
    parser.add_argument(
        "--start-score", type=int, default=300,
        help="skip a start by random moves whose score is above this (300 centipawns)",
    )  # fmt: skip
    parser.add_argument(
        "--win-score", type=int, default=1500, help="adjudicate at this score (1500)"
    )
    parser.add_argument(
        "--hash", type=int, default=4, metavar="MB", help="transposition table of each process (4)"
    )
    parser.add_argument("--processes", type=int, default=2, help="games at once (2)")
    parser.add_argument("--seed", type=int, default=1, help="of the openings (1)")


def run(arguments: argparse.Namespace) -> int:
    if arguments.games < 1 or arguments.processes < 1:
        raise ValueError("there must be at least one game and one process")
    settings = {
        "engine": engine_hash(),
        "soft_nodes": arguments.soft_nodes,
        "nodes": arguments.nodes or 20 * arguments.soft_nodes,
        "book": arguments.book,
        "book_percent": arguments.book_percent,
        "chess960_percent": arguments.chess960_percent,
        "random_plies": arguments.random_plies,
        "start_score": arguments.start_score,
        "win_score": arguments.win_score,
        "hash": arguments.hash,
        "seed": arguments.seed,
    }
    Hall(settings)  # bad settings fail here, before there is a file
    with GameFile(arguments.output, settings) as file:
        if file.cut_off_bytes:
            print(f"{arguments.output}: cut off a half-written game of {file.cut_off_bytes} bytes")
        missing = [number for number in range(arguments.games) if number not in file.numbers]
        if missing:
            _play(file, missing, settings, arguments.games, arguments.processes)
    print(f"{arguments.output}: {arguments.games} games")
    return 0


class Hall:
    """A player for both sides, with its limits and openings."""

    def __init__(self, settings: dict[str, Any]):
        self.limit = MoveLimit(nodes=settings["nodes"], soft_nodes=settings["soft_nodes"])
        self.rules = Adjudication(win_score=settings["win_score"], win_plies=6)
        self.seed = settings["seed"]
        self.starts = starts_of(settings)
        self.player = Player(settings["hash"])

    def game(self, number: int) -> Game:
        """Game `number` of the run, always the same."""
        fen = self.starts.choose(Random(f"{self.seed} {number}"))
        return play(self.player, self.player, fen, self.limit, self.rules)


def starts_of(settings: dict[str, Any]) -> Mixed:
    """Where the games begin: in a book, after random moves, and in Chess960."""
    book, chess960 = settings["book_percent"], settings["chess960_percent"]
    if not (0 <= book <= 100 and 0 <= chess960 <= 100):
        raise ValueError("a percentage is 0 to 100")
    plies, score = settings["random_plies"], settings["start_score"]
    kinds: list[tuple[float, Starts]] = []
    if settings["book"] is None:
        book = 0
    else:
        kinds.append((book, Book(Path(settings["book"]))))
    for share, is_chess960 in ((100 - chess960, False), (chess960, True)):
        weight = (100 - book) * share / 100
        if weight > 0:
            kinds.append((weight, RandomStarts(plies, score, is_chess960)))
    return Mixed(kinds)


_hall: Hall  # of a worker process


def _enter_hall(settings: dict[str, Any]) -> None:
    global _hall
    _hall = Hall(settings)


def _game(number: int) -> Game:
    return _hall.game(number)


def _play(
    file: GameFile, missing: list[int], settings: dict[str, Any], games: int, processes: int
) -> None:
    with (
        progress_bar("games") as bar,
        workers(processes, _enter_hall, (settings,)) as pool,
    ):
        task = bar.add_task("datagen", total=games, completed=games - len(missing), note="")
        started, positions = time.monotonic(), 0
        under_way: dict[Future[Game], int] = {}
        waiting = deque(missing)
        while waiting or under_way:
            while waiting and len(under_way) < AHEAD * processes:
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
