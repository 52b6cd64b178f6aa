"""`label`: let any UCI engine score positions.

The notes of the output (see tuning.data.dataset) hold the settings of the last run under "label",
with "next": the index of the first position it did not reach, where the next run resumes.
"""

from __future__ import annotations

import argparse
import threading
from pathlib import Path
from typing import Any

import chess
import chess.engine
import numpy as np

from tuning.data.dataset import LARGEST_SCORE, NO_SCORE, Dataset, load, source_index
from tuning.data.writers import fens
from tuning.engines import name_of, options_of, share_out
from tuning.network.labelling import label_by_text, label_static
from tuning.progress import progress_bar

SAVED_EVERY = 2000
NODES = 20_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", type=Path, metavar="FILE",
        help=".positions; with --static or --labels also text with a FEN a line")  # fmt: skip
    add("-o", "--output", type=Path, required=True, metavar="FILE.positions",
        help="labelled positions; an interrupted run resumes there")  # fmt: skip
    add("--engine", action="append", default=[], metavar="COMMAND",
        help="any UCI engine (`wadjet` is this one); with --static repeatable, and the label is "
        "their average")  # fmt: skip
    add("--option", action="append", default=[], metavar="NAME=VALUE",
        help="UCI option of the engines; repeatable")  # fmt: skip
    add(
        "--static",
        action="store_true",
        help="ask in bulk for static evaluations, by the command `eval` of Stockfish or Wadjet",
    )
    add("--labels", type=Path, metavar="TEXT", help="read labels that another program wrote, for "
        "each line of FILE a score in centipawns, seen by the side to move")  # fmt: skip
    add("--source", metavar="NAME", help="name of the program that wrote --labels")
    add("--nodes", type=int, help=f"nodes a position (default: {NODES})")
    add("--concurrency", type=int, default=1,
        help="how often to start each engine (default: 1)")  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    if (arguments.nodes is not None and arguments.nodes < 1) or arguments.concurrency < 1:
        raise ValueError("--nodes and --concurrency must be more than 0")
    if arguments.static and arguments.nodes:
        raise ValueError("--static searches nothing, so it has no limit")
    if bool(arguments.engine) == bool(arguments.labels):
        raise ValueError("labels come from an --engine, or from --labels")
    if arguments.static or arguments.labels:
        return _in_bulk(arguments)
    if len(arguments.engine) > 1:
        raise ValueError("one engine labels by searches; several need --static")
    (arguments.engine,) = arguments.engine
    arguments.nodes = arguments.nodes or NODES
    dataset = load(arguments.file)
    first = 0
    if arguments.output.exists():
        done = load(arguments.output)
        if not same_positions(done, dataset):
            raise ValueError(f"{arguments.output}: not the positions of {arguments.file}")
        dataset = done
        first = _reached(dataset, arguments)
    missing = dataset.records["score"] == NO_SCORE
    missing[:first] = False
    name = name_of(arguments.engine)
    source_index(dataset.sources, name)
    finished = _label(dataset, np.flatnonzero(missing), name, arguments)
    print(f"{arguments.output}: {finished} labelled by {name}")
    return 0


def _in_bulk(arguments: argparse.Namespace) -> int:
    """Millions of labels: the output holds only those that are kept."""
    output: Path = arguments.output
    if output.exists():
        raise ValueError(f"{output}: exists already")
    if arguments.labels and not arguments.source:
        raise ValueError("--labels needs a --source: whose scores are they?")
    with progress_bar("positions") as bar:
        task = bar.add_task("labelling", total=None, note="")

        def on_chunk(read: int, kept: int) -> None:
            bar.update(task, completed=read, note=f"{kept} kept")

        if arguments.labels:
            kept, removed = label_by_text(
                arguments.file, arguments.labels, arguments.source, output, on_chunk
            )
        else:
            kept, removed = label_static(
                arguments.file, output, arguments.engine, options_of(arguments.option),
                arguments.concurrency, on_chunk,
            )  # fmt: skip
    for name, count in removed.items():
        print(f"{count:10} removed: {name}")
    print(f"{kept:10} kept, in {output}")
    return 0


def _settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """Everything that labels depend on, as JSON."""
    return {
        "engine": arguments.engine,
        "option": sorted(arguments.option),
        "nodes": arguments.nodes,
    }


def _reached(output: Dataset, arguments: argparse.Namespace) -> int:
    """The index to resume at: 0 if the last run had other settings and is finished.

    Raises ValueError if it had other settings and is not: the labels would be mixed.
    """
    noted = output.notes.get("label")
    if noted is None:
        return 0
    changed = [key for key, value in _settings(arguments).items() if noted.get(key) != value]
    if not changed:
        return int(noted["next"])
    if noted["next"] < len(output):
        settings = ", ".join(f"{key} {noted.get(key)}" for key in changed)
        raise ValueError(
            f"{arguments.output}: a run with other settings stopped at {noted['next'] + 1}; "
            f"finish it first ({settings}), or choose another --output"
        )
    return 0


def same_positions(one: Dataset, other: Dataset) -> bool:
    names = ("occupied", "pieces", "side", "result", "move")
    return len(one) == len(other) and all(
        np.array_equal(one.records[name], other.records[name]) for name in names
    )


def _label(dataset: Dataset, places: np.ndarray, name: str, arguments: argparse.Namespace) -> int:
    """Label and save. Returns the number of labels: a finished game gets none."""
    records, source = dataset.records, dataset.sources.index(name)
    texts = list(fens(Dataset(records[places], dataset.sources)))
    waiting = zip(places.tolist(), texts, strict=True)
    limit = chess.engine.Limit(nodes=arguments.nodes)
    lock = threading.Lock()
    pending = np.zeros(len(dataset) + 1, np.bool_)
    pending[places], pending[-1] = True, True  # the last one marks the end
    counts = {"seen": 0, "labelled": 0}

    def save() -> None:
        # Engines finish out of order: resume at the first one without an answer.
        dataset.notes["label"] = {**_settings(arguments), "next": int(np.argmax(pending))}
        dataset.save(arguments.output)

    with progress_bar("positions") as bar:
        task = bar.add_task(name, total=len(texts), note="")

        def work(running: chess.engine.SimpleEngine, item: tuple[int, str]) -> None:
            place, fen = item
            board = chess.Board(fen)
            score = None
            if any(board.legal_moves):
                score = running.analyse(board, limit, game=object()).get("score")
            with lock:
                if score is not None:
                    white = score.white().score(mate_score=LARGEST_SCORE)
                    records["score"][place] = max(-LARGEST_SCORE, min(LARGEST_SCORE, white))
                    records["source"][place] = source
                    counts["labelled"] += 1
                counts["seen"] += 1
                pending[place] = False
                if counts["seen"] % SAVED_EVERY == 0:
                    save()
                bar.update(task, completed=counts["seen"])

        try:
            share_out(arguments.engine, arguments.option, waiting, arguments.concurrency, work)
        except BaseException:
            if counts["seen"]:  # an engine that does not start leaves nothing behind
                save()
            raise
    save()
    return counts["labelled"]
