"""Positions as lines of text, and which labels are kept.

A teacher's static evaluation is a smooth function of the position, which a network can learn. It is
kept unless it is extreme, or the side to move is in check, which a search does not evaluate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO

import numpy as np

from tuning.data.dataset import NO_RESULT, Records
from tuning.data.fens import packed
from tuning.data.readers import LINES_A_GAME
from tuning.fitting.model import Array

LARGEST_LABEL = 2500  # centipawns
TEACHER_K = 1 / 95  # per centipawn: sigmoid(k * cp) is an expected score
IN_CHECK = 32000  # the score of a position without a static evaluation
LINES = 50_000  # at a time


def labelled(records: Records, scores: Array, removed: Counter[str]) -> Records:
    """The records that keep their labels, with these written, and the results of their games.

    What was removed is counted in `removed`.

    Args:
        scores: centipawns, White's view; IN_CHECK for a position in check.
    """
    in_check = scores == IN_CHECK
    decided = ~in_check & (np.abs(scores) > LARGEST_LABEL)
    removed["in check"] += int(np.count_nonzero(in_check))
    removed["decided"] += int(np.count_nonzero(decided))
    kept = ~(in_check | decided)
    result = records[kept]
    result["score"] = scores[kept]
    return result


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
    records, done = packed(lines)
    if done < len(lines):
        bad = lines[done][:90].decode(errors="replace")
        raise ValueError(f"{path}:{number + done}: not a position: {bad!r}")
    places = np.arange(number - 1, number - 1 + len(lines))
    records["starts_game"] = places % LINES_A_GAME == 0
    records["result"] = NO_RESULT
    return records


def labels_of_text(
    positions: Path, labels: Path, removed: Counter[str]
) -> Iterator[tuple[int, Records]]:
    """A file of FENs and one of scores, line by line: (lines read, labelled records).

    A line of `labels` begins with a score in centipawns, seen by the side to move.
    """
    with open(labels, "rb") as file:
        for number, records, lines in fen_lines(positions):
            scores = _read_scores(labels, file, number, len(lines))
            white = scores * (1 - 2 * records["side"].astype(np.int64))
            yield number - 1 + len(lines), labelled(records, white, removed)
        if file.readline():
            raise ValueError(f"{labels}: has more lines than {positions}")


def _read_scores(path: Path, file: IO[bytes], number: int, count: int) -> Array:
    """The scores of the next `count` lines. ValueError names the lines of another form."""
    words = [line.split(maxsplit=1)[:1] for line in islice(file, count)]
    try:
        if len(words) != count:
            raise ValueError(f"{len(words)} lines instead of {count}")
        return np.array([int(word) for (word,) in words], np.int64)
    except ValueError as reason:
        raise ValueError(f"{path}: lines {number} to {number + count - 1}: {reason}") from reason
