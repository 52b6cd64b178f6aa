"""Labels in bulk: from positions to a file of those whose labels are plausible."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

from engine.eval.classical.setup import new_weights
from tuning.data.dataset import Dataset, Records
from tuning.data.stream import PositionsWriter, open_positions
from tuning.data.writers import fens
from tuning.engines import name_of
from tuning.network.labels import (
    Believed,
    believed,
    believed_static,
    fen_lines,
    labelled_positions,
)
from tuning.network.teacher import STATIC, Teacher

CHUNK = 4000  # positions sent at a time
AHEAD = 3  # chunks an engine has, so that it never waits
COMMITTED = 10  # chunks between the points at which a killed run can resume


def label_ahead(
    source: Path,
    output: Path,
    engine: str,
    options: Mapping[str, str],
    question: str,
    engines: int,
    on_chunk: Callable[[int, int], None],
) -> tuple[int, Counter[str]]:
    """Label the positions of a file (.positions, or text with a FEN a line) by a teacher.

    `question` is a search such as `go depth 1`, or STATIC. Resumes a run with the same settings
    that was killed. `on_chunk(read, kept)` is called after each chunk. Returns how many were kept,
    and by filter how many were removed.
    """
    name = f"{name_of(engine)} {_described(question)}"
    settings = {"source": source.name, "engine": engine, "question": question,
                "options": [list(pair) for pair in sorted(options.items())]}  # fmt: skip
    with ExitStack() as stack:
        writer = stack.enter_context(PositionsWriter(output, [name]))
        first, removed = _reached(writer, settings)
        teachers = [stack.enter_context(Teacher(engine, options, question)) for _ in range(engines)]
        read, chunks = first, 0
        pending: deque[tuple[Teacher, Records]] = deque()
        weights, wanted = new_weights(), Believed()

        def collect() -> None:
            nonlocal read, chunks
            teacher, records = pending.popleft()
            if question == STATIC:
                scores = teacher.static_answers(len(records))
                writer.append(believed_static(records, scores, wanted, removed))
            else:
                labels = teacher.answers(len(records))
                writer.append(believed(records, labels, weights, wanted, removed))
            read, chunks = read + len(records), chunks + 1
            if chunks % COMMITTED == 0:
                writer.commit({"label": settings, "next": read, "removed": dict(removed)})
            on_chunk(read, writer.count)

        for teacher, (records, texts) in zip(cycle(teachers), positions_and_fens(source, first)):
            teacher.ask(texts)
            pending.append((teacher, records))
            if len(pending) == AHEAD * engines:
                collect()
        while pending:
            collect()
        writer.finish({"label": settings, "read": read, "removed": dict(removed)})
        return writer.count, removed


def _described(question: str) -> str:
    """How the name of a source says what its scores are."""
    return "static evaluation" if question == STATIC else question.removeprefix("go ")


def convert(
    source: Path, labels: Path, name: str, output: Path, on_chunk: Callable[[int, int], None]
) -> tuple[int, Counter[str]]:
    """Labels that another program wrote, `score move` a line, beside the lines of FENs."""
    removed: Counter[str] = Counter()
    with PositionsWriter(output, [name]) as writer:
        read = 0
        for read, records in labelled_positions(source, labels, new_weights(), Believed(), removed):
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
            yield records, list(fens(Dataset(asked, file.sources)))
        return
    for number, records, lines in fen_lines(source):
        for begin in range(max(0, first - (number - 1)), len(lines), CHUNK):
            part = slice(begin, begin + CHUNK)
            yield (
                records[part],
                [b" ".join(line.split()[:4]).decode() + " 0 1" for line in lines[part]],
            )
