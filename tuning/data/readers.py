"""Read positions from our own games, PGN, EPD and CSV."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import chess
import chess.pgn
import numpy as np

from engine.board.attack_tables import new_attack_tables, new_position
from engine.board.fen import set_fen, to_fen
from engine.board.game import push
from engine.board.move import is_quiet
from openings import pgn
from tuning.adjudication import HALF_POINTS
from tuning.data.dataset import (
    LARGEST_SCORE,
    NO_RESULT,
    NO_SCORE,
    RECORD,
    Dataset,
    Records,
    source_index,
)
from tuning.data.epd import lines, parse
from tuning.data.fens import packed
from tuning.data.games import read_games
from tuning.data.lines import open_text, open_unpacked, text_suffix

UNKNOWN, QUIET, NOISY = -1, 1, 0
BATCH = 100_000
MOST_NAMED = 200  # sources in CSV files; later ones share one
LINES_A_GAME = 500  # neighbours in a file without games that count as one game
Complain = Callable[[str], None]
_SCORE = re.compile(r"(?:\[%eval )?([+-]?\d+\.\d+|[+-]?M-?\d+|#-?\d+)")


@dataclass
class Batch:
    """Positions, with what the filters need to know about them."""

    records: Records  # dtype RECORD
    quiet: np.ndarray  # QUIET, NOISY or UNKNOWN: the move that was played in it
    plies: np.ndarray  # since the beginning of the game


class LabelledFen(NamedTuple):
    """A position as text, with its labels."""

    place: int  # line or game in the file
    fen: str
    score: int
    result: int
    source: int
    starts_game: bool
    ply: int
    quiet: int = UNKNOWN


def _print(text: str) -> None:
    print(text, file=sys.stderr)


def _batch(path: Path, lines: Sequence[LabelledFen]) -> Batch:
    """ValueError with file and line of a bad position."""
    records, done = packed([line.fen.encode() for line in lines])
    if done < len(lines):
        raise ValueError(f"{path}:{lines[done].place}: not a position: {lines[done].fen[:90]!r}")
    score, result, source, starts, plies, quiet = np.array([line[2:] for line in lines]).T
    records["score"], records["result"] = score, result
    records["source"], records["starts_game"] = source, starts
    records["move"] = np.minimum(127, plies // 2 + 1)
    return Batch(records, quiet.astype(np.int8), plies)


def read(path: Path, sources: list[str], complain: Complain = _print) -> Iterator[Batch]:
    """All positions of a file, whose suffix names its format. New sources are added to `sources`;
    `complain` is called with a sentence for all that is left out of games in PGN.

    All formats but our own games may be compressed, see tuning.data.lines.open_unpacked.
    Raises OSError, and ValueError with the file and the place in it.
    """
    kind = text_suffix(path).removeprefix(".")
    readers: dict[str, Callable[[Path, list[str]], Iterator[LabelledFen]]] = {
        "games": _games,
        "pgn": partial(_pgn, complain=complain),
        "csv": _csv,
        "epd": _epd,
        "fen": _epd,
    }
    if kind == "positions":
        raise ValueError(f"{path}: already a file of positions")
    if kind not in readers:
        raise ValueError(f"{path}: the name must end in one of .{', .'.join(readers)}")
    if kind == "games" and path.suffix.lower() != ".games":
        raise ValueError(f"{path}: cannot read compressed games")
    found = readers[kind](path, sources)
    while batch := list(islice(found, BATCH)):
        yield _batch(path, batch)


def _clamped(score: float) -> int:
    return max(-LARGEST_SCORE, min(LARGEST_SCORE, round(score)))


# --- Our own games -------------------------------------------------------------------------------


def _games(path: Path, sources: list[str]) -> Iterator[LabelledFen]:
    source = source_index(sources, "Wadjet")
    pos = new_position(new_attack_tables())
    for number, game in enumerate(read_games(path), 1):
        set_fen(pos, game.fen, chess960=True)
        first = int(pos.fullmove_number) * 2 - 2 + int(pos.side)
        for played, (move, score) in enumerate(zip(game.moves, game.scores, strict=True)):
            quiet = QUIET if is_quiet(move) else NOISY
            starts, ply = played == 0, first + played
            yield LabelledFen(number, to_fen(pos), score, game.result, source, starts, ply, quiet)
            push(pos, move)


# --- PGN -----------------------------------------------------------------------------------------


def _pgn(path: Path, sources: list[str], complain: Complain) -> Iterator[LabelledFen]:
    source = source_index(sources, "pgn")
    with open_unpacked(path) as file:
        for found in pgn.read_games(file):
            for text in found.left_out(path, "read"):
                complain(text)
            if not found.refused:
                result = HALF_POINTS.get(found.game.headers["Result"], NO_RESULT)
                yield from _lines_of(found.number, found.game, result, source)


def _lines_of(number: int, game: chess.pgn.Game, result: int, source: int) -> Iterator[LabelledFen]:
    board = game.board()
    starts = True
    for node in game.mainline():
        score = _score_in(node.comment, board.turn)
        noisy = board.is_capture(node.move) or node.move.promotion is not None
        quiet = NOISY if noisy else QUIET
        yield LabelledFen(number, board.fen(), score, result, source, starts, board.ply(), quiet)
        starts = False
        board.push(node.move)


def _score_in(comment: str, mover: chess.Color) -> int:
    """White's score in a comment: a match tool's, from the mover's view, or [%eval ...]."""
    match = _SCORE.match(comment.strip())
    if not match:
        return NO_SCORE
    text = match[1]
    if "M" in text or "#" in text:
        score = -LARGEST_SCORE if "-" in text else LARGEST_SCORE
    else:
        score = _clamped(100 * float(text))
    return score if mover == chess.WHITE or comment.strip().startswith("[%eval") else -score


# --- Text, a position a line ---------------------------------------------------------------------


def _epd(path: Path, sources: list[str]) -> Iterator[LabelledFen]:
    """Labels: `ce`, the side to move's score, and `c9`, the result, as Zurichess writes them."""
    source = source_index(sources, "epd")
    for number, text in lines(path):
        try:
            epd = parse(text, number)
            centipawns = epd.operations.get("ce")
            score = NO_SCORE if centipawns is None else _clamped(_number(centipawns))
        except ValueError as reason:
            raise ValueError(f"{path}:{number}: {reason}") from reason
        if score != NO_SCORE and epd.board.turn == chess.BLACK:
            score = -score
        result = HALF_POINTS.get(epd.operations.get("c9", ""), NO_RESULT)
        yield LabelledFen(number, epd.board.fen(), score, result, source, True, epd.board.ply())


def _csv(path: Path, sources: list[str]) -> Iterator[LabelledFen]:
    """The first line names the columns: fen, and any of cp_white, result_white, ply, engine."""
    with open_text(path) as file:
        names = file.readline().strip().lstrip("#").split(";")
        if "fen" not in names:
            raise ValueError(f"{path}:1: the first line must name the columns, one of them fen")
        at = {name: index for index, name in enumerate(names)}
        for number, line in enumerate(file, 2):
            cells = line.rstrip("\n").split(";")
            if len(cells) != len(names):
                raise ValueError(f"{path}:{number}: {len(cells)} columns instead of {len(names)}")
            try:
                score, result, ply = NO_SCORE, NO_RESULT, 0
                if "cp_white" in at:
                    score = _clamped(_number(cells[at["cp_white"]]))
                if "result_white" in at:
                    result = _half_points(cells[at["result_white"]])
                if "ply" in at:
                    ply = int(cells[at["ply"]])
                name = cells[at["engine"]] if "engine" in at else path.name.split(".")[0]
                if name not in sources and len(sources) >= MOST_NAMED:
                    name = "others"
                source = source_index(sources, name)
            except ValueError as reason:
                raise ValueError(f"{path}:{number}: {reason}") from reason
            starts = (number - 2) % LINES_A_GAME == 0
            yield LabelledFen(number, cells[at["fen"]], score, result, source, starts, ply)


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is not a score")
    return value


def _half_points(text: str) -> int:
    value = 2 * float(text)
    if value not in (0, 1, 2):
        raise ValueError(f"{text} is not a result: 0, 0.5 or 1")
    return int(value)


def whole(batches: Sequence[Batch], sources: list[str]) -> tuple[Dataset, Batch]:
    """All batches as one set, and as one batch, on the same memory."""
    if not batches:
        batches = [Batch(np.zeros(0, RECORD), np.zeros(0, np.int8), np.zeros(0, np.int64))]
    records = np.concatenate([batch.records for batch in batches])
    quiet = np.concatenate([batch.quiet for batch in batches])
    plies = np.concatenate([batch.plies for batch in batches])
    return Dataset(records, sources), Batch(records, quiet, plies)
