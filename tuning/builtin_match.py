"""A plain match on python-chess, for where no match tool is installed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import chess
import chess.engine
import chess.pgn

from tuning.engines import engine
from tuning.starts import Book

GRACE_S = 0.02  # for our own delay between an answer and the clock
LONGEST_GAME = 600  # plies


@dataclass(frozen=True)
class Contender:
    name: str
    command: str


@dataclass(frozen=True)
class Conditions:
    """How a match is played. `time_control` is "seconds+increment"."""

    openings: Path
    rounds: int  # pairs of games
    time_control: str = "2+0.02"
    nodes: int | None = None  # instead of time
    options: dict[str, str] = field(default_factory=dict)  # of both engines
    concurrency: int = 1
    seed: int = 1
    adjudicate: bool = False

    @property
    def clock_s(self) -> tuple[float, float]:
        """Time and increment. ValueError if it is not such a time control."""
        time_text, _, increment_text = self.time_control.partition("+")
        try:
            seconds, increment = float(time_text), float(increment_text or 0)
        except ValueError:
            raise ValueError(f"{self.time_control}: a time control is like 8+0.08") from None
        if not (seconds > 0 and increment >= 0):
            raise ValueError(f"{self.time_control}: there must be some time")
        return seconds, increment


@contextmanager
def playing(
    first: Contender, second: Contender, conditions: Conditions, pgn: Path
) -> Iterator[tuple[Callable[[], bool], Callable[[], str]]]:
    """Play in the background; `Is it over?` and `What went wrong?` are handed out."""
    book = Book(conditions.openings)
    order = Random(conditions.seed)
    openings = [book.choose(order) for _ in range(conditions.rounds)]
    rounds = iter(enumerate(openings, 1))
    lock, stopped = threading.Lock(), threading.Event()
    errors: list[str] = []

    def work() -> None:
        try:
            with ExitStack() as stack:
                table = Table(stack, first, second, conditions)
                while not stopped.is_set():
                    with lock:
                        number, fen = next(rounds, (0, ""))
                    if not number:
                        return
                    for white in (0, 1):
                        game = table.play(fen, white)
                        game.headers["Round"] = str(number)
                        with lock, open(pgn, "a", encoding="utf-8") as file:
                            print(game, file=file, end="\n\n")
        except (OSError, ValueError) as reason:
            errors.append(str(reason))
            stopped.set()

    with ThreadPoolExecutor(conditions.concurrency) as pool:
        futures = [pool.submit(work) for _ in range(conditions.concurrency)]
        try:
            yield lambda: all(future.done() for future in futures), lambda: "; ".join(errors)
        finally:
            stopped.set()


class Table:
    """Two engines that play game after game."""

    def __init__(
        self, stack: ExitStack, first: Contender, second: Contender, conditions: Conditions
    ):
        self._stack = stack
        self._contenders = (first, second)
        self._conditions = conditions
        self._engines = [self._start(number) for number in (0, 1)]

    def _start(self, number: int) -> chess.engine.SimpleEngine:
        command = self._contenders[number].command
        return self._stack.enter_context(engine(command, self._conditions.options))

    def play(self, fen: str, white: int) -> chess.pgn.Game:
        """One game. `white`: which engine has White."""
        board = chess.Board(fen)
        seats = {chess.WHITE: white, chess.BLACK: 1 - white}
        result, end, termination = self._moves(board, seats)
        game = chess.pgn.Game.from_board(board)
        game.end().comment = end
        game.headers.update(
            {
                "Event": "match",
                "White": self._contenders[seats[chess.WHITE]].name,
                "Black": self._contenders[seats[chess.BLACK]].name,
                "Result": result,
                "Termination": termination,
            }
        )
        return game

    def _moves(self, board: chess.Board, seats: dict[chess.Color, int]) -> tuple[str, str, str]:
        """Play on `board`. Returns result, how the game ended, and its PGN termination."""
        conditions = self._conditions
        seconds, increment = conditions.clock_s
        clocks = {chess.WHITE: seconds, chess.BLACK: seconds}
        game_number = object()
        while (outcome := board.outcome(claim_draw=True)) is None:
            if len(board.move_stack) >= LONGEST_GAME:
                return "1/2-1/2", "too long", "adjudication"
            us = board.turn
            lost = "0-1" if us else "1-0"
            if conditions.nodes:
                limit = chess.engine.Limit(nodes=conditions.nodes)
            else:
                limit = chess.engine.Limit(
                    white_clock=max(0.001, clocks[chess.WHITE]),
                    black_clock=max(0.001, clocks[chess.BLACK]),
                    white_inc=increment,
                    black_inc=increment,
                )
            started = time.perf_counter()
            try:
                move = self._engines[seats[us]].play(board, limit, game=game_number).move
            except chess.engine.EngineTerminatedError:
                self._engines[seats[us]] = self._start(seats[us])
                return lost, "disconnect", "abandoned"
            except chess.engine.EngineError as reason:
                return lost, f"illegal move: {reason}".replace("}", ""), "rules infraction"
            if not conditions.nodes:
                clocks[us] -= time.perf_counter() - started
                if clocks[us] < -GRACE_S:
                    return lost, "loses on time", "time forfeit"
                clocks[us] += increment
            if move is None:
                return lost, "illegal move: none", "rules infraction"
            board.push(move)
        return outcome.result(), outcome.termination.name.lower().replace("_", " "), "normal"
