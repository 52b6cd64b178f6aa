"""Labels in bulk: from a file of positions to one of labelled positions."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

from tuning.data.dataset import PositionsWriter, Records, open_positions
from tuning.data.writers import fens
from tuning.engines import name_of
from tuning.fitting.model import Array
from tuning.network.labels import IN_CHECK, fen_lines, labelled, labels_of_text
from tuning.network.teacher import Teacher

CHUNK = 4000  # positions sent at a time
AHEAD = 3  # chunks a team has, so that it never waits
COMMITTED = 10  # chunks between the points at which a killed run can resume


def label_static(
    source: Path,
    output: Path,
    engines: Sequence[str],
    options: Mapping[str, str],
    teams: int,
    on_chunk: Callable[[int, int], None],
) -> tuple[int, Counter[str]]:
    """Label the positions of a file (.positions, or text with a FEN a line) by the mean of the
    engines' static evaluations.

    `teams`: how often to start the engines, which then share the positions. Resumes a run with the
    same settings that was killed. `on_chunk(read, kept)` is called after each chunk. Returns how
    many were kept, and by filter how many were removed.
    """
    name = f"{' and '.join(name_of(engine) for engine in engines)} static evaluation"
    settings = {"source": source.name, "engine": " and ".join(engines), "question": "eval",
                "options": [list(pair) for pair in sorted(options.items())]}  # fmt: skip
    with ExitStack() as stack:
        writer = stack.enter_context(PositionsWriter(output, [name]))
        first, removed = _reached(writer, settings)
        started = [
            [stack.enter_context(Teacher(engine, options)) for engine in engines]
            for _ in range(teams)
        ]
        read, chunks = first, 0
        pending: deque[tuple[list[Teacher], Records]] = deque()

        def collect() -> None:
            nonlocal read, chunks
            team, records = pending.popleft()
            scores = mean_of([teacher.answers(len(records)) for teacher in team])
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


def mean_of(scores: Sequence[Array]) -> Array:
    """The mean of scores of the same positions; IN_CHECK where one of them is."""
    together = np.stack(scores)
    mean = np.rint(together.mean(axis=0)).astype(np.int64)
    return np.where((together == IN_CHECK).any(axis=0), IN_CHECK, mean)


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


def _reached(writer: PositionsWriter, settings: dict[str, Any]) -> tuple[int, Counter[str]]:
    """Where the part file ends. ValueError if it was begun with other settings."""
    if not writer.notes:
        return 0, Counter()
    if writer.notes.get("label") != settings:
        raise ValueError(f"{writer.part}: was begun with other settings; finish or remove it")
    return int(writer.notes["next"]), Counter(writer.notes["removed"])


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
