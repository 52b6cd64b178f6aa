"""Labels in bulk: from a file of positions to one of labelled positions.

A teacher's static evaluation is a smooth function of the position, which a network can learn. It is
kept unless it is extreme, or the side to move is in check, which a search does not evaluate. An
engine gives its evaluations by the command `eval`. Commands are sent without waiting for answers:
waiting for each would cost more than to evaluate.
"""

from __future__ import annotations

import re
import subprocess
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from itertools import cycle, islice
from pathlib import Path
from queue import SimpleQueue
from typing import IO

import numpy as np

from tuning.data.dataset import NO_RESULT, PositionsWriter, Records, open_positions
from tuning.data.fens import packed
from tuning.data.readers import LINES_A_GAME
from tuning.data.writers import fens
from tuning.engines import command_of, name_of
from tuning.fitting.model import Array

LARGEST_LABEL = 2500  # centipawns
TEACHER_K = 1 / 95  # per centipawn: sigmoid(k * cp) is an expected score
IN_CHECK = 32000  # the score of a position without a static evaluation
LINES = 50_000  # at a time
# Stockfish's answer to `eval`, in pawns: "Final evaluation  +0.35 (white side) ..." or, of a
# position in check, "Final evaluation: none (in check)". Wadjet's: "... +0.35 (White's view)".
ANSWER = re.compile(
    r"Final evaluation:?\s+(?:([+-]?\d+\.\d\d) \((?:white side|White's view)\)|none)"
)
CHUNK = 4000  # positions sent at a time
AHEAD = 3  # chunks a team has, so that it never waits
COMMITTED = 10  # chunks between the points at which a killed run can resume


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


class Teacher:
    """A running engine. Use it as a context manager."""

    def __init__(self, command: str, options: Mapping[str, str]):
        """Raises OSError if it does not start."""
        self.command = command
        self._waiting: SimpleQueue[str | None] = SimpleQueue()
        try:
            self._process = subprocess.Popen(
                command_of(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                encoding="utf-8",
                bufsize=1 << 16,
            )
        except OSError as reason:
            raise OSError(f"{command}: not a UCI engine: {reason.strerror}") from reason
        self._feeder = threading.Thread(target=self._feed, daemon=True)
        self._feeder.start()
        settings = "".join(f"setoption name {n} value {v}\n" for n, v in options.items())
        self._waiting.put(f"uci\n{settings}isready\n")
        try:
            self._read_until("readyok")
        except OSError:
            self.close()
            raise

    def _feed(self) -> None:
        """Writes the queue, in a thread of its own: both pipes may be full at the same time."""
        assert self._process.stdin is not None
        with suppress(OSError), self._process.stdin as pipe:  # if it has died, the reader says so
            while (text := self._waiting.get()) is not None:
                pipe.write(text)
                pipe.flush()

    def _read_until(self, word: str) -> str:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(word):
                return line
        raise OSError(f"{self.command}: the engine ended before it had answered")

    def ask(self, fens: Sequence[str]) -> None:
        """Send positions to score; `answers` must be called as often."""
        self._waiting.put("".join(f"position fen {fen}\neval\n" for fen in fens) + "isready\n")

    def answers(self, count: int) -> Array:
        """The static evaluations of the next `count` positions, int64 centipawns in White's view;
        IN_CHECK where the side to move is in check. OSError if the engine dies, ValueError if it
        does not evaluate all of them."""
        scores: list[int] = []
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if answer := ANSWER.match(line):
                scores.append(round(100 * float(answer[1])) if answer[1] else IN_CHECK)
            elif line.startswith("readyok"):
                if len(scores) != count:
                    found = f"{len(scores)} of {count} positions"
                    raise ValueError(f"{self.command}: its `eval` scored {found}")
                return np.array(scores, np.int64)
        raise OSError(f"{self.command}: the engine ended before it had answered")

    def close(self) -> None:
        self._waiting.put(None)
        self._process.kill()
        self._process.wait()
        self._feeder.join()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def __enter__(self) -> Teacher:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def label_static(
    source: Path,
    output: Path,
    engines: Sequence[str],
    options: Mapping[str, str],
    teams: int,
    on_chunk: Callable[[int, int], None],
) -> tuple[int, Counter[str]]:
    """Label the positions of a file (.positions, or text with a FEN a line) by the average of
    the engines' static evaluations.

    `teams`: how often to start the engines, which then share the positions. Resumes a run with the
    same settings that was killed. `on_chunk(read, kept)` is called after each chunk. Returns how
    many were kept, and by filter how many were removed.
    """
    name = f"{' and '.join(name_of(engine) for engine in engines)} static evaluation"
    settings = {"source": source.name, "engine": " and ".join(engines), "question": "eval",
                "options": [list(pair) for pair in sorted(options.items())]}  # fmt: skip
    with ExitStack() as stack:
        writer = stack.enter_context(PositionsWriter(output, [name]))
        notes = writer.begun("label", settings)
        first, removed = notes.get("next", 0), Counter[str](notes.get("removed"))
        started = [
            [stack.enter_context(Teacher(engine, options)) for engine in engines]
            for _ in range(teams)
        ]
        read, chunks = first, 0
        pending: deque[tuple[list[Teacher], Records]] = deque()

        def collect() -> None:
            nonlocal read, chunks
            team, records = pending.popleft()
            scores = average_of([teacher.answers(len(records)) for teacher in team])
            writer.append(labelled(records, scores, removed))
            read, chunks = read + len(records), chunks + 1
            if chunks % COMMITTED == 0:
                writer.commit({"label": settings, "next": read, "removed": dict(removed)})
            on_chunk(read, writer.count)

        for team, (records, texts) in zip(cycle(started), positions_and_fens(source, first)):
            for teacher in team:
                teacher.ask(texts)
            pending.append((team, records))
            if len(pending) == AHEAD * teams:
                collect()
        while pending:
            collect()
        writer.finish({"label": settings, "read": read, "removed": dict(removed)})
        return writer.count, removed


def average_of(scores: Sequence[Array]) -> Array:
    """The average of scores of the same positions; IN_CHECK where one of them is."""
    together = np.stack(scores)
    average = np.rint(together.mean(axis=0)).astype(np.int64)
    return np.where((together == IN_CHECK).any(axis=0), IN_CHECK, average)


def label_by_text(
    source: Path, labels: Path, name: str, output: Path, on_chunk: Callable[[int, int], None]
) -> tuple[int, Counter[str]]:
    """Labels that another program wrote, a line for each line of FENs."""
    removed: Counter[str] = Counter()
    with PositionsWriter(output, [name]) as writer:
        read = 0
        for read, records in labels_of_text(source, labels, removed):
            writer.append(records)
            on_chunk(read, writer.count)
        writer.finish({"labels": labels.name, "read": read, "removed": dict(removed)})
        return writer.count, removed


def positions_and_fens(source: Path, first: int) -> Iterator[tuple[Records, Sequence[str]]]:
    """Positions from number `first` on, and their FENs as if a capture had just been made: teachers
    shrink their scores near the draw by the fifty-move rule, and so does our evaluation."""
    if source.suffix == ".positions":
        file = open_positions(source)
        for begin in range(first, len(file), CHUNK):
            records = np.array(file.records[begin : begin + CHUNK])
            asked = records.copy()
            asked["clock"] = 0
            yield records, list(fens(asked))
        return
    for number, records, lines in fen_lines(source):
        for begin in range(max(0, first - (number - 1)), len(lines), CHUNK):
            part = slice(begin, begin + CHUNK)
            yield (
                records[part],
                [b" ".join(line.split()[:4]).decode() + " 0 1" for line in lines[part]],
            )
