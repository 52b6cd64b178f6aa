"""The labels of a teacher, and which of them are kept.

A teacher's static evaluation is kept unless it is extreme: it is a smooth function of the position,
which a network can learn. One that searches a ply is right on average and wrong in particular: it
misses what a capture brings. So its label is kept only if its score is moderate, its best move is
quiet, and the score is not far above the weighted sum's: beyond that it is wrong more often than
right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO

import numpy as np
from scipy.special import expit

from engine.eval.classical.memory import Weights
from tuning.data.dataset import NO_RESULT, RECORD, Records
from tuning.data.fens import new_fen_reader, read_fens
from tuning.data.packed import POSITION
from tuning.data.readers import LINES_A_GAME
from tuning.fitting.model import Array
from tuning.fitting.targets import WEIGHTED_SUM_CP
from tuning.fitting.trace import extract

MATE = 32000  # the score of a mate in a file of labels; its sign does not matter
NO_MOVE = (b"(none)", b"0000")  # what engines call the best move of a game that has ended
LINES = 50_000  # at a time


@dataclass(frozen=True)
class Believed:
    """Which labels are kept."""

    largest_score: int = 2500  # centipawns
    largest_excess: float = 0.3  # of the expected score over the weighted sum's, for the mover
    k: float = 1 / 95  # per centipawn of the teacher: sigmoid(k * cp) is an expected score
    weighted_sum_k: float = 1 / WEIGHTED_SUM_CP  # the same of the weighted sum


@dataclass
class Labels:
    """Scores and best moves, a position each, seen by the side to move."""

    scores: Array  # int64, centipawns
    start_squares: Array  # int64, of the best move
    to_squares: Array
    promotes: Array  # bool


def parse_moves(words: list[bytes]) -> tuple[Array, Array, Array]:
    """(start squares, target squares, promotions) of moves in UCI's notation.

    ValueError if one is not a move.
    """
    letters = np.array(words, "S5").view(np.uint8).reshape(-1, 5).astype(np.int64)
    files, ranks = letters[:, [0, 2]] - ord("a"), letters[:, [1, 3]] - ord("1")
    if (files < 0).any() or (files > 7).any() or (ranks < 0).any() or (ranks > 7).any():
        bad = ((files < 0) | (files > 7) | (ranks < 0) | (ranks > 7)).any(axis=1)
        raise ValueError(f"{words[int(np.argmax(bad))].decode(errors='replace')} is not a move")
    squares = 8 * ranks + files
    return squares[:, 0], squares[:, 1], letters[:, 4] != 0


def kinds_at(records: Records, squares: Array) -> Array:
    """The kind of piece on a square of each position, -1 where it is empty."""
    occupied = records["occupied"].astype("<i8").view(np.uint64)
    square = squares.astype(np.uint64)
    there = occupied >> square & np.uint64(1) == 1
    place = _popcount(occupied & ((np.uint64(1) << square) - np.uint64(1)))
    place = np.minimum(place, 31)
    words = records["pieces"].astype("<i8").view(np.uint64)[np.arange(len(records)), place >> 4]
    codes = words >> (4 * (place & 15)).astype(np.uint64) & np.uint64(15)
    return np.where(there, codes.astype(np.int64) & 7, -1)


_BITS = np.array([number.bit_count() for number in range(1 << 16)], np.int64)


def _popcount(words: Array) -> Array:
    return np.asarray(_BITS[np.ascontiguousarray(words).view(np.uint16).reshape(-1, 4)].sum(axis=1))


def is_noisy(records: Records, labels: Labels) -> Array:
    """Does the best move capture or promote? A pawn that leaves its file captures, en passant too.

    Castling in Chess960 is written as king takes rook, and counts as noisy: nothing is lost.
    """
    start, to = labels.start_squares, labels.to_squares
    leaves_file = (start & 7) != (to & 7)
    pawn = kinds_at(records, start) == 0
    return np.asarray(labels.promotes | (kinds_at(records, to) >= 0) | (pawn & leaves_file))


def believed(
    records: Records, labels: Labels, weights: Weights, wanted: Believed, removed: Counter[str]
) -> Records:
    """The records that keep their labels, with the scores written, in White's view, and the results
    of their games.

    What each filter removed is added to `removed`.
    """
    kept = np.abs(labels.scores) <= wanted.largest_score
    removed["mates and decided"] += int(np.count_nonzero(~kept))
    noisy = is_noisy(records, labels)
    removed["with a capture or promotion best"] += int(np.count_nonzero(noisy & kept))
    kept &= ~noisy
    places = np.flatnonzero(kept)
    result = records[places]
    scores = labels.scores[places]
    mover = 1 - 2 * result["side"].astype(np.int64)
    static = extract(result.view(POSITION), weights).rows["score"] * mover
    excess = expit(wanted.k * scores) - expit(wanted.weighted_sum_k * static)
    fine = excess <= wanted.largest_excess
    removed["far above the weighted sum"] += int(np.count_nonzero(~fine))
    result = result[fine]
    result["score"] = (scores * mover)[fine]
    return result


def believed_static(
    records: Records, scores: Array, wanted: Believed, removed: Counter[str]
) -> Records:
    """The records that keep their static evaluations, with these written, and their games' results.

    Args:
        scores: centipawns, White's view; MATE for a position in check.
    """
    in_check = scores == MATE
    decided = ~in_check & (np.abs(scores) > wanted.largest_score)
    removed["in check"] += int(np.count_nonzero(in_check))
    removed["decided"] += int(np.count_nonzero(decided))
    kept = ~(in_check | decided)
    result = records[kept]
    result["score"] = scores[kept]
    return result


# --- Text ----------------------------------------------------------------------------------------


def fen_lines(path: Path) -> Iterator[tuple[int, Records, list[bytes]]]:
    """A file of lines that begin with FENs, in parts: number of the first line, positions, lines.

    Raises OSError, and ValueError that names the line that is not a position.
    """
    number = 1
    with open(path, "rb") as file:
        while lines := [line.strip() for line in islice(file, LINES)]:
            yield number, _positions(path, number, lines), lines
            number += len(lines)


def _positions(path: Path, number: int, lines: list[bytes]) -> Records:
    text = b"\n".join(lines) + b"\n\0"
    lengths = np.array([len(line) + 1 for line in lines])
    starts = np.cumsum(lengths) - lengths
    reader = new_fen_reader(np.frombuffer(text, np.uint8).copy(), starts.tolist())
    done = int(read_fens(reader, 0, len(lines)))
    if done < len(lines):
        bad = lines[done][:90].decode(errors="replace")
        raise ValueError(f"{path}:{number + done}: not a position: {bad!r}")
    records = reader.positions.memory.view(RECORD).copy()
    places = np.arange(number - 1, number - 1 + len(lines))
    records["starts_game"] = places % LINES_A_GAME == 0
    records["result"] = NO_RESULT
    return records


def read_labels(path: Path, file: IO[bytes], number: int, count: int) -> Labels:
    """The next `count` lines of `score move`. ValueError names the line of another form."""
    words = b" ".join(islice(file, count)).split()
    try:
        if len(words) != 2 * count:
            raise ValueError(f"{len(words)} words instead of {2 * count}")
        scores = np.array(words[0::2], np.bytes_).astype(np.int64)
        # A game that has ended, without a best move: its score means nothing.
        none = [index for index, word in enumerate(words[1::2]) if word in NO_MOVE]
        for index in none:
            words[2 * index + 1] = b"a1a1"
            scores[index] = MATE
        return Labels(scores, *parse_moves(words[1::2]))
    except ValueError as reason:
        raise ValueError(f"{path}: lines {number} to {number + count - 1}: {reason}") from reason


def labelled_positions(
    positions: Path, labels: Path, weights: Weights, wanted: Believed, removed: Counter[str]
) -> Iterator[tuple[int, Records]]:
    """Pairs of a file of FENs and a file of `score move`, line by line: (lines read, records)."""
    with open(labels, "rb") as answers:
        for number, records, lines in fen_lines(positions):
            given = read_labels(labels, answers, number, len(lines))
            kept = believed(records, given, weights, wanted, removed)
            yield number - 1 + len(lines), kept
        if answers.readline():
            raise ValueError(f"{labels}: has more lines than {positions}")
