"""Games for ratings, and the file that keeps their results: a line of JSON each."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from random import Random

import chess
import chess.polyglot

from engine.board.notation import move_text
from openings import SHIPPED_BOOK_PATH
from tuning.adjudication import LEVELS
from tuning.calibration.ratings import Result, ratings
from tuning.files import lock
from tuning.selfplay import play as selfplay
from tuning.selfplay.play import Side

BOOK_PLIES = 4  # so that not all games begin alike


def play(white: Side, black: Side, chance: Random) -> tuple[int, list[str]]:
    """One game from an opening of the book: half points of White, and all moves."""
    board = _opening(chance)
    played = selfplay.play(white, black, board.fen(), None, LEVELS)
    moves = [move_text(move, chess960=False) for move in played.moves]
    return played.result, [move.uci() for move in board.move_stack] + moves


def _opening(chance: Random) -> chess.Board:
    """The first moves, from the book."""
    board = chess.Board()
    path = SHIPPED_BOOK_PATH
    with chess.polyglot.open_reader(path) as book:
        for _ in range(BOOK_PLIES):
            board.push(book.weighted_choice(board, random=chance).move)
    return board


class ResultFile:
    """Results so far, open for more. A half-written last line is cut off."""

    def __init__(self, path: Path):
        self.results: list[Result] = []
        self._file = open(path, "ab", buffering=0)  # noqa: SIM115 - closed by close()
        try:
            lock(self._file, path)
            data = path.read_bytes()
            whole = data[: data.rfind(b"\n") + 1]
            if len(whole) != len(data):
                os.truncate(path, len(whole))
            for number, line in enumerate(whole.splitlines(), 1):
                try:
                    kept = json.loads(line)
                    self.results.append(Result(kept["white"], kept["black"], int(kept["points"])))
                except (ValueError, KeyError, TypeError) as reason:
                    raise ValueError(f"{path}:{number}: no result: {reason}") from reason
        except BaseException:
            self._file.close()
            raise

    def add(self, result: Result, moves: Sequence[str]) -> None:
        line = {**vars(result), "moves": " ".join(moves)}
        self._file.write(json.dumps(line).encode() + b"\n")
        self.results.append(result)

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> ResultFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def next_pair(
    names: Sequence[str],
    results: Sequence[Result],
    guesses: dict[str, float],
    cost: Callable[[str], float],
    chance: Random,
    anchors: Collection[str] = (),
) -> tuple[str, str]:
    """White and Black of the game that tells most about the ratings, for its cost.

    An even game tells more than one whose winner is clear, and a pair that has played often less.
    A game between two `anchors` says nothing about levels.
    """
    found = ratings(results, {}) if results else {}
    offset = 0.0
    common = [name for name in names if name in found and name in guesses]
    if common:
        offset = sum(guesses[name] - found[name].value for name in common) / len(common)
    known = {name: found[name].value + offset for name in common}
    values = {**guesses, **known}
    played = Counter(frozenset((game.white, game.black)) for game in results)
    total = Counter(name for game in results for name in (game.white, game.black))

    def worth(first: str, second: str) -> float:
        # The guess counts, too: a few first games by chance must not keep a pair apart for ever.
        even = max(_evenness(elo[first] - elo[second]) for elo in (values, guesses))
        often = 1 + played[frozenset((first, second))]
        seldom = min(1 + total[first], 1 + total[second])
        price = (cost(first) + cost(second)) ** 0.5  # the slow ones play, too
        return even / (often * seldom) ** 0.5 / price * chance.uniform(0.8, 1)

    pairs = [
        (first, second)
        for index, first in enumerate(names)
        for second in names[index + 1 :]
        if not (first in anchors and second in anchors)
    ]
    first, second = max(pairs, key=lambda pair: worth(*pair))
    return (first, second) if chance.random() < 0.5 else (second, first)


def _evenness(difference: float) -> float:
    """The variance of the result of a game, given the difference of the ratings."""
    expected = 1 / (1 + 10 ** (-difference / 400))
    return expected * (1 - expected)
