"""Games of rated people, and what the engine thinks of their positions.

The table of games has, in columns: names, ratings, date, result, and the moves in SAN.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

import chess

from engine.board.fen import START
from engine.board.notation import legal_moves, move_text, parse_move
from engine.board.position import MoveLists
from engine.chances import material_of
from engine.scores import DRAW, MATE
from tuning.adjudication import HALF_POINTS
from tuning.data.lines import open_text
from tuning.files import lock
from tuning.selfplay.player import MoveLimit, Player, engine_hash

EDGES = (0, 1200, 1400, 1600, 1800, 2000, 2200, 2400, 2600, 4000)  # of the bands of ratings
FIRST_PLY = 8  # of a sample: before it people play what they have learned
FEWEST_PLIES = 20  # of a game that counts
NODES = 5000  # of each search
PLAYERS = 400  # players' games in each band
WHOLE = 200  # of these, those with all positions
POSITIONS = 8  # of each other game


@dataclass(frozen=True)
class PeopleGame:
    number: int  # of its line in the table
    ratings: tuple[int, int]  # White's and Black's
    half_points: int  # White's
    moves: tuple[str, ...]  # in UCI notation, from the usual position


class Scored(NamedTuple):
    """What a search found in a position."""

    score: int  # for the side to move, internal
    material: int  # by the count of engine/chances.py
    best: str  # move


def band(rating: int) -> int:
    """The index in EDGES of its lower edge."""
    return max(index for index, edge in enumerate(EDGES[:-1]) if rating >= edge)


def read_games(path: Path, each: int = PLAYERS) -> tuple[list[PeopleGame], Counter[int]]:
    """Games whose players both have ratings, chosen at random, until each band has the games of
    `each` players or there are no more; and how many such players the table has in each band."""
    rows = list(_rows(path))
    there = Counter(band(rating) for _, ratings, _, _ in rows for rating in ratings)
    Random(1).shuffle(rows)
    found: Counter[int] = Counter()
    games = []
    for number, ratings, half_points, sans in rows:
        bands = [band(rating) for rating in ratings]
        if min(found[one] for one in bands) < each and (moves := _moves(sans)):
            games.append(PeopleGame(number, ratings, half_points, moves))
            found.update(bands)
    return games, there


def _rows(path: Path) -> Iterator[tuple[int, tuple[int, int], int, str]]:
    with open_text(path) as lines:
        for number, line in enumerate(lines, 1):
            fields = line.rstrip("\n").split("\t")
            if line.startswith("#") or len(fields) != 7 or fields[5] not in HALF_POINTS:
                continue
            if fields[2].isdigit() and fields[3].isdigit():
                ratings = int(fields[2]), int(fields[3])
                yield number, ratings, HALF_POINTS[fields[5]], fields[6]


def _moves(sans: str) -> tuple[str, ...]:
    """In UCI notation; none if one is not legal, or if there are too few."""
    board = chess.Board()
    try:
        moves = tuple(board.push_san(san).uci() for san in sans.split())
    except ValueError:
        return ()
    return moves if len(moves) >= FEWEST_PLIES else ()


def plan(
    games: Sequence[PeopleGame], whole: int = WHOLE, positions: int = POSITIONS
) -> list[tuple[PeopleGame, bool, list[int]]]:
    """Each game, whether all its positions are wanted, and the plies that are: of the first games
    all, until each band has `whole` players' games; of the others `positions` at random."""
    found: Counter[int] = Counter()
    planned = []
    for game in games:
        bands = [band(rating) for rating in game.ratings]
        is_whole = min(found[one] for one in bands) < whole
        if is_whole:
            found.update(bands)
            plies = list(range(len(game.moves)))
        else:
            later = range(FIRST_PLY, len(game.moves))
            plies = sorted(Random(game.number).sample(later, min(positions, len(later))))
        planned.append((game, is_whole, plies))
    return planned


class ScoreFile:
    """Scores so far, in a file open for more: a line of JSON for what they depend on, and one for
    each position. A half-written last line is cut off. Raises OSError, and ValueError if the file
    is of another engine."""

    def __init__(self, path: Path, nodes: int = NODES):
        self._nodes = nodes
        # By game, ply, and the move tried there instead of that of the game, if any.
        self._scores: dict[tuple[int, int, str], Scored] = {}
        self._file = open(path, "a+b", buffering=0)  # noqa: SIM115 - closed by close()
        try:
            lock(self._file, path)
            self._read(path)
        except BaseException:
            self._file.close()
            raise
        self._player = Player(hash_mb=1)
        self._lists = MoveLists()

    def _read(self, path: Path) -> None:
        head = {"engine": engine_hash(), "nodes": self._nodes}
        self._file.seek(0)
        data = self._file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._file.truncate(len(whole))
        if not whole:
            self._file.write(json.dumps(head).encode() + b"\n")
            return
        first, *rows = whole.splitlines()
        try:
            if json.loads(first) != head:
                raise ValueError("it is of another engine or number of nodes: name another file")
            for row in rows:
                number, ply, score, material, best, *tried = json.loads(row)
                self._scores[number, ply, "".join(tried)] = Scored(score, material, best)
        except (ValueError, TypeError) as reason:
            raise ValueError(f"{path}: {reason}") from reason

    def score(self, game: PeopleGame, plies: Iterable[int]) -> dict[int, Scored]:
        """By ply. Every search begins with empty tables, so it does not matter what came before."""
        return {ply: self._kept(game, ply) for ply in plies}

    def score_after(self, game: PeopleGame, ply: int, move: str) -> Scored:
        """Of the position after another move than that of the game."""
        return self._kept(game, ply, move)

    def _kept(self, game: PeopleGame, ply: int, tried: str = "") -> Scored:
        if (game.number, ply, tried) not in self._scores:
            instead = [tried] if tried else []
            found = self._search([*game.moves[:ply], *instead])
            self._scores[game.number, ply, tried] = found
            row = json.dumps([game.number, ply, *found, *instead])
            self._file.write(row.encode() + b"\n")
        return self._scores[game.number, ply, tried]

    def _search(self, moves: Iterable[str]) -> Scored:
        player = self._player
        player.start(START)
        for text in moves:
            player.push(parse_move(player.position, self._lists, text))
        material = material_of(player.position)
        if not legal_moves(player.position, self._lists):
            is_mate = bool(player.position.snapshots[player.position.ply].checkers)
            return Scored(-MATE if is_mate else DRAW, material, "")
        best, score = player.search(MoveLimit(nodes=self._nodes))
        return Scored(score, material, move_text(best, chess960=False))

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> ScoreFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
