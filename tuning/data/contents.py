"""What a file of positions or games holds, counted in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.polyglot
import numpy as np

from engine.board.constants import KING
from engine.board.notation import move_text
from openings.game import board_of, read_names
from tuning.data.dataset import (
    NO_RESULT,
    NO_SCORE,
    Counts,
    Records,
    men_of,
    open_positions,
    units_of,
)
from tuning.data.games import read_games
from tuning.data.readers import read

PART = 1 << 16  # positions counted at a time
SCORES = (-1000, -300, -100, -30, 31, 101, 301, 1001)  # where one class of scores ends
PHASES = ("opening", "middlegame", "endgame")  # by non-pawn material
OPENING_FROM, MIDDLEGAME_FROM = 20, 9  # units of non-pawn material of both sides, 24 at first
NAMED_PLIES = 30  # an opening has no name after this many
BLACK_PIECE = 8  # added to the code of a Black piece


class Contents:
    """Counts of positions, except where games are named."""

    def __init__(self) -> None:
        self.positions = 0
        self.games = 0
        self.results: Counts = np.zeros(4, np.int64)  # by half points of White; then unknown
        self.scores: Counts = np.zeros(len(SCORES) + 2, np.int64)  # by class; then unknown
        self.sides: Counts = np.zeros(2, np.int64)
        self.phases: Counts = np.zeros(3, np.int64)
        self.men: Counts = np.zeros(33, np.int64)
        self.kings: Counts = np.zeros((2, 64), np.int64)  # colour, square
        self.sources: Counter[str] = Counter()
        self.openings: Counter[str] = Counter()  # games, of a file of games

    def add(self, records: Records, sources: list[str]) -> None:
        known = records["score"] != NO_SCORE
        classes = np.searchsorted(SCORES, records["score"], side="right")
        classes[~known] = len(SCORES) + 1
        results = np.where(records["result"] == NO_RESULT, 3, records["result"])
        codes, squares = men_of(records)
        total = units_of(codes)
        phases = 2 - (total >= MIDDLEGAME_FROM).astype(np.int64) - (total >= OPENING_FROM)
        self.positions += len(records)
        self.games += int(np.count_nonzero(records["starts_game"]))
        self.results += np.bincount(results, minlength=4)
        self.scores += np.bincount(classes, minlength=len(self.scores))
        self.sides += np.bincount(records["side"], minlength=2)
        self.phases += np.bincount(phases, minlength=3)
        self.men += np.bincount((codes >= 0).sum(axis=1), minlength=33)
        for colour in (0, 1):
            king = squares[codes == KING + BLACK_PIECE * colour]
            self.kings[colour] += np.bincount(king, minlength=64)
        of_score = np.bincount(records["source"][known], minlength=len(sources))
        self.sources.update({n: int(c) for n, c in zip(sources, of_score, strict=False) if c})


def contents(path: Path) -> Contents:
    """Raises OSError, and ValueError with the file and what is wrong where."""
    found = Contents()
    for records, sources in _parts(path):
        found.add(records, sources)
    if path.suffix == ".games":
        found.openings = _openings(path)
    return found


def _parts(path: Path) -> Iterator[tuple[Records, list[str]]]:
    if path.suffix == ".positions":
        file = open_positions(path)
        for first in range(0, len(file), PART):
            yield np.array(file.records[first : first + PART]), file.sources
        return
    sources: list[str] = []
    for batch in read(path, sources):
        yield batch.records, sources


def _openings(path: Path) -> Counter[str]:
    """Games by the first part of their opening's name."""
    names, found = read_names(), Counter[str]()
    for game in read_games(path):
        board = board_of(game.fen)
        name = names.get(chess.polyglot.zobrist_hash(board))
        for move in game.moves[:NAMED_PLIES]:
            board.push_uci(move_text(move, board.chess960))
            name = names.get(chess.polyglot.zobrist_hash(board)) or name
        found[name.name.partition(":")[0] if name else "without a name"] += 1
    return found
