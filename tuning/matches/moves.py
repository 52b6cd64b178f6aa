"""Whose moves are better: in positions of games a stronger engine says what the difference between
the moves of others is worth.

A game sums up many moves in one result; here each move counts for itself, so that far fewer are
needed to see the same difference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from statistics import mean, stdev

import chess
import chess.engine

from openings.pgn import read_games
from tuning.data.lines import open_unpacked, read_positions, text_suffix
from tuning.engines import engine, failures_of
from tuning.matches.elo import SURELY, Estimate
from tuning.matches.rules import Contender


@dataclass(frozen=True)
class Verdict:
    """What each engine chose in a position, and the points that the judge expects from it."""

    moves: list[chess.Move]
    points: list[float]  # of the side to move; all 0 where the moves are the same


@dataclass(frozen=True)
class Terms:
    """How the engines choose and how their moves are judged."""

    nodes: int
    before: int  # searches of the same side's last moves, as in a game
    judge: str  # a command line
    judge_nodes: int  # for each move
    judge_options: dict[str, str]
    options: dict[str, str]  # of all engines but the judge


def choose_positions(
    path: Path, count: int, seed: int, on_left_out: Callable[[str], None]
) -> list[chess.Board]:
    """Up to `count` positions in random order, each of the file as likely as the others, with the
    moves that led to them. Those without a choice between two legal moves are not taken.

    Raises OSError; ValueError if the file is damaged or has none.
    """
    random = Random(seed)
    chosen: list[chess.Board] = []
    for number, board in enumerate(filter(_has_choice, _positions(path, on_left_out))):
        # Algorithm R (Vitter 1985): position n stays with a probability of count / n.
        if len(chosen) < count:
            chosen.append(board.copy())
        elif (at := random.randrange(number + 1)) < count:
            chosen[at] = board.copy()
    if not chosen:
        raise ValueError(f"{path}: no position with a choice of moves")
    random.shuffle(chosen)
    return chosen


def _positions(path: Path, on_left_out: Callable[[str], None]) -> Iterator[chess.Board]:
    """All in which a move was played, or all of a list. A board goes on to the next position after
    it was yielded."""

    def is_possible(board: chess.Board) -> bool:
        if not board.is_valid():
            on_left_out(f"{path}: not a possible position: {board.fen()}")
        return board.is_valid()

    if text_suffix(path) == ".epd":
        yield from filter(is_possible, read_positions(path))
        return
    with open_unpacked(path) as file:
        for found in read_games(file):
            for text in found.left_out(path, "read"):
                on_left_out(text)
            if found.refused or not is_possible(board := found.game.board()):
                continue
            for move in found.game.mainline_moves():
                yield board
                board.push(move)


def _has_choice(board: chess.Board) -> bool:
    return len(list(islice(board.legal_moves, 2))) == 2


@contextmanager
def panel(
    contenders: Sequence[Contender], terms: Terms
) -> Iterator[Callable[[chess.Board], Verdict]]:
    """The engines and their judge; the function tells what they choose and what it is worth."""
    with ExitStack() as stack:
        engines = [
            stack.enter_context(engine(each.command, {**terms.options, **each.options}))
            for each in contenders
        ]
        judge = stack.enter_context(engine(terms.judge, terms.judge_options))

        def verdict(board: chess.Board) -> Verdict:
            moves = []
            for contender, running in zip(contenders, engines, strict=True):
                with failures_of(contender.command):
                    moves.append(_choose(running, board, terms))
            unlike = dict.fromkeys(moves, 0.0)
            if len(unlike) > 1:
                with failures_of(terms.judge):
                    unlike = {move: _points(judge, board, move, terms) for move in unlike}
            return Verdict(moves, [unlike[move] for move in moves])

        yield verdict


def _choose(running: chess.engine.SimpleEngine, board: chess.Board, terms: Terms) -> chess.Move:
    """The engine's move, after it has searched the last positions of the game as its own."""
    limit = chess.engine.Limit(nodes=terms.nodes)
    game = object()
    board = board.copy()
    since = [board.pop() for _ in range(2 * min(terms.before, len(board.move_stack) // 2))]
    while since:
        running.play(board, limit, game=game)
        board.push(since.pop())
        board.push(since.pop())
    move = running.play(board, limit, game=game).move
    if move is None:
        raise chess.engine.EngineError(f"no move in {board.fen()}")
    return move


def _points(
    judge: chess.engine.SimpleEngine, board: chess.Board, move: chess.Move, terms: Terms
) -> float:
    limit = chess.engine.Limit(nodes=terms.judge_nodes)
    info = judge.analyse(board, limit, root_moves=[move], game=object())
    if "score" not in info:
        raise chess.engine.EngineError(f"no score of {move} in {board.fen()}")
    return float(info["score"].pov(board.turn).wdl(ply=board.ply()).expectation())


def report(contenders: Sequence[Contender], verdicts: Sequence[Verdict]) -> str:
    """A line for each opponent of the first."""
    first, *others = contenders
    lines = []
    for index, other in enumerate(others, 1):
        gains = [verdict.points[0] - verdict.points[index] for verdict in verdicts]
        error = SURELY * stdev(gains) / math.sqrt(len(gains)) if len(gains) > 1 else math.nan
        unlike = mean(verdict.moves[0] != verdict.moves[index] for verdict in verdicts)
        lines.append(
            f"{first.name} against {other.name}: {Estimate(1000 * mean(gains), 1000 * error)} "
            f"thousandths of a point a move; {unlike:.1%} of {len(gains)} moves differ"
        )
    return "\n".join(lines)
