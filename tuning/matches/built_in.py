"""A plain match runner on python-chess, for systems without a match tool."""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import multiprocessing
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from itertools import islice
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path

import chess
import chess.engine
import chess.pgn

from openings.pgn import pgn_text
from tuning.adjudication import MATCHES, NONE, RESULTS, Adjudicator
from tuning.engines import engine
from tuning.matches.openings import shuffled
from tuning.matches.rules import Conditions, Contender, Playing, outcome_of
from tuning.processes import workers
from tuning.selfplay.starts import Book

GRACE_S = 0.02  # covers our own delay between an answer and the clock
HUNG_S = 5.0  # past its time: such an engine will never answer
PATIENCE_S = 600.0  # the same without a clock
MATE = 100_000  # larger than any score in centipawns


@contextmanager
def playing(
    first: Contender, second: Contender, conditions: Conditions, pgn: Path
) -> Iterator[Playing]:
    """Play until the rounds are over, an engine cannot be started, or the block ends.

    Each of the games at once has a process: threads of one would wait for each other. Games that
    are not over at the end are not written.
    """
    taken = multiprocessing.get_context("spawn").Value("q", 0)
    with workers(conditions.concurrency, _begin, (taken, conditions.log)) as pool:
        futures = [
            pool.submit(_play_rounds, (first, second), conditions, pgn)
            for _ in range(conditions.concurrency)
        ]

        def has_failed() -> bool:
            return any(future.done() and future.exception() for future in futures)

        yield Playing(
            is_over=lambda: has_failed() or all(future.done() for future in futures),
            has_failed=has_failed,
            complaint=lambda: "; ".join(dict.fromkeys(filter(None, map(_complaint, futures)))),
        )


_taken: Synchronized[int]  # of a worker: rounds that are begun or over; its lock is the file's, too


def _begin(taken: Synchronized[int], log: Path | None) -> None:
    """In a new worker. python-chess logs lines that it cannot play."""
    global _taken
    _taken = taken
    if log is not None:
        logging.basicConfig(filename=log, encoding="utf-8", level=logging.WARNING)


def _play_rounds(contenders: Sequence[Contender], conditions: Conditions, pgn: Path) -> None:
    """Play rounds that no other worker has taken, and append their games to `pgn`."""
    openings = shuffled(Book(conditions.openings), conditions.seed)
    with ExitStack() as stack:
        runner = GameRunner(stack, contenders, conditions)
        for number, fen in enumerate(islice(openings, conditions.rounds), 1):
            with _taken.get_lock():
                if number <= _taken.value:
                    continue
                _taken.value = number
            for white in (0, 1):
                game = runner.play(fen, white, 1 - white)
                game.headers["Round"] = str(number)
                with _taken.get_lock(), open(pgn, "ab", buffering=0) as file:
                    file.write(pgn_text([game]).encode())  # at once: we may be killed


def _complaint(future: Future[None]) -> str:
    """Why a worker failed. Errors of our own, not of files or engines, are raised again."""
    if not future.done():
        return ""
    try:
        future.result()
    except (OSError, ValueError) as reason:
        return str(reason)
    return ""


def _said(info: chess.engine.InfoDict, mover: chess.Color) -> list[str]:
    """Score and depth, as fastchess writes them: +0.25/12, or -M3/20. Nothing if the engine did not
    say both: it played from its book, say."""
    score, depth = info.get("score"), info.get("depth")
    if score is None or depth is None:
        return []
    own = score.pov(mover)
    mate, cp = own.mate(), own.score(mate_score=MATE)
    value = f"{abs(cp) / 100:.2f}" if mate is None else f"M{abs(mate)}"
    return [f"{'-' if cp < 0 else '+'}{value}/{depth}"]


class GameRunner:
    """Running engines that play game after game."""

    def __init__(
        self,
        stack: ExitStack,
        contenders: Sequence[Contender],
        conditions: Conditions,
    ):
        self._stack = stack
        self._contenders = contenders
        self._conditions = conditions
        # To read lines of moves takes as long as all the rest: only for a log of illegal ones.
        lines = chess.engine.INFO_PV if conditions.log else chess.engine.INFO_NONE
        self._wanted = chess.engine.INFO_BASIC | chess.engine.INFO_SCORE | lines
        self.engines = [self._start(number) for number in range(len(contenders))]

    def _start(self, number: int) -> chess.engine.SimpleEngine:
        contender = self._contenders[number]
        options = {**self._conditions.options, **contender.options}
        running = self._stack.enter_context(engine(contender.command, options))
        running.ping()  # no clock runs while it loads
        return running

    def play(self, fen: str, white: int, black: int) -> chess.pgn.Game:
        """One game between two of the contenders, by number; one of them may play both sides."""
        board = chess.Board(fen, chess960=self._conditions.chess960)
        players = {chess.WHITE: white, chess.BLACK: black}
        remarks: list[str] = []  # on each move
        result, end, termination = self._moves(board, players, remarks)
        game = chess.pgn.Game.from_board(board)
        for node, remark in zip(game.mainline(), remarks, strict=False):
            node.comment = remark
        last = game.end()
        last.comment = f"{last.comment}, {end}" if last.comment else end
        game.headers.update(
            {
                "Event": "match",
                "White": self._contenders[white].name,
                "Black": self._contenders[black].name,
                "Result": result,
                "Termination": termination,
            }
        )
        return game

    def _moves(
        self, board: chess.Board, players: dict[chess.Color, int], remarks: list[str]
    ) -> tuple[str, str, str]:
        """Play on `board`, with remarks on the moves. Returns result, how the game ended, and its
        PGN termination."""
        conditions = self._conditions
        seconds, increment = conditions.clock_s
        clocks = {chess.WHITE: seconds, chess.BLACK: seconds}
        game_number = object()
        adjudicator = Adjudicator(MATCHES if conditions.adjudicate else NONE)
        decided = None
        while (outcome := outcome_of(board)) is None:
            if decided is not None:
                return RESULTS[decided], "adjudication", "adjudication"
            us = board.turn
            lost = "0-1" if us else "1-0"
            patience_s = PATIENCE_S
            if conditions.nodes:
                limit = chess.engine.Limit(nodes=conditions.nodes)
            else:
                patience_s = clocks[us] + HUNG_S
                limit = chess.engine.Limit(
                    white_clock=max(0.001, clocks[chess.WHITE]),
                    black_clock=max(0.001, clocks[chess.BLACK]),
                    white_inc=increment,
                    black_inc=increment,
                    clock_id=game_number,  # XBoard engines are told the control once
                )
            started = time.perf_counter()
            try:
                played = self._answer(players[us], board, limit, game_number, patience_s)
            except chess.engine.EngineTerminatedError:
                self.engines[players[us]] = self._start(players[us])
                return lost, "disconnect", "abandoned"
            except concurrent.futures.TimeoutError:
                self.engines[players[us]].close()
                self.engines[players[us]] = self._start(players[us])
                if conditions.nodes:
                    return lost, "stalls", "abandoned"
                return lost, "loses on time", "time forfeit"
            except chess.engine.EngineError as reason:
                return lost, f"illegal move: {reason}".replace("}", ""), "rules infraction"
            clock = []
            if not conditions.nodes:
                clocks[us] -= time.perf_counter() - started
                if clocks[us] < -GRACE_S:
                    return lost, "loses on time", "time forfeit"
                clock = [f"tl={clocks[us]:.3f}s"]
                clocks[us] += increment
            if played.resigned:
                return lost, "resigns", "normal"
            if played.move is None:
                return lost, "illegal move: none", "rules infraction"
            board.push(played.move)
            remarks.append(", ".join([*_said(played.info, us), *clock]))
            score = played.info.get("score")
            decided = adjudicator.result(
                int(us == chess.BLACK),
                score.pov(us).score(mate_score=MATE) if score is not None else None,
                board.halfmove_clock,
                board.fullmove_number,
            )
        return outcome.result(), outcome.termination.name.lower().replace("_", " "), "normal"

    def _answer(
        self,
        number: int,
        board: chess.Board,
        limit: chess.engine.Limit,
        game: object,
        patience_s: float,
    ) -> chess.engine.PlayResult:
        """What engine `number` plays. Raises concurrent.futures.TimeoutError if it hangs."""
        protocol = self.engines[number].protocol
        search = protocol.play(
            board,
            limit,
            game=game,
            info=self._wanted,
            ponder=self._conditions.ponder,
        )
        return asyncio.run_coroutine_threadsafe(search, protocol.loop).result(patience_s)
