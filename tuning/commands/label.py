"""`label`: let any UCI engine score positions.

Only positions without a score are labelled, so an interrupted run resumes. The notes of the output
(see tuning.data.dataset) hold the settings of the last run under "label".
"""

from __future__ import annotations

import argparse
import threading
from pathlib import Path

import chess
import chess.engine
import numpy as np

from engine.command_line import UsageError
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
        raise UsageError("--nodes and --concurrency must be more than 0")
    if arguments.static and arguments.nodes:
        raise UsageError("--static searches nothing, so it has no limit")
    if bool(arguments.engine) == bool(arguments.labels):
        raise UsageError("labels come from an --engine, or from --labels")
    if arguments.static or arguments.labels:
        return _in_bulk(arguments)
    if len(arguments.engine) > 1:
        raise UsageError("one engine labels by searches; several need --static")
    (arguments.engine,) = arguments.engine
    arguments.nodes = arguments.nodes or NODES
    dataset = load(arguments.file)
    settings = {name: getattr(arguments, name) for name in ("engine", "option", "nodes")}
    if arguments.output.exists():
        done = load(arguments.output)
        if not same_positions(done, dataset):
            raise ValueError(f"{arguments.output}: not the positions of {arguments.file}")
        dataset = done
        noted = dataset.notes.get("label", settings)
        changed = [
            f"{name} {noted.get(name)}" for name in settings if noted.get(name) != settings[name]
        ]
        if changed and (dataset.records["score"] == NO_SCORE).any():
            raise ValueError(f"{arguments.output}: was begun with {', '.join(changed)}")
    dataset.notes["label"] = settings
    name = name_of(arguments.engine)
    source_index(dataset.sources, name)
    finished = _label(dataset, name, arguments)
    print(f"{arguments.output}: {finished} labelled by {name}")
    return 0


def _in_bulk(arguments: argparse.Namespace) -> int:
    """Millions of labels: the output holds only those that are kept."""
    output: Path = arguments.output
    if output.exists():
        raise ValueError(f"{output}: exists already")
    if arguments.labels and not arguments.source:
        raise UsageError("--labels needs --source, the name of the program that wrote them")
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


def same_positions(one: Dataset, other: Dataset) -> bool:
    names = ("occupied", "pieces", "side", "result", "move")
    return len(one) == len(other) and all(
        np.array_equal(one.records[name], other.records[name]) for name in names
    )


def _label(dataset: Dataset, name: str, arguments: argparse.Namespace) -> int:
    """Label what has no score, and save. Returns how many labels: a finished game gets none."""
    records, source = dataset.records, dataset.sources.index(name)
    places = np.flatnonzero(records["score"] == NO_SCORE)
    texts = list(fens(records[places]))
    waiting = zip(places.tolist(), texts, strict=True)
    limit = chess.engine.Limit(nodes=arguments.nodes)
    lock = threading.Lock()
    counts = {"seen": 0, "labelled": 0}

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
                if counts["seen"] % SAVED_EVERY == 0:
                    dataset.save(arguments.output)
                bar.update(task, completed=counts["seen"])

        try:
            share_out(arguments.engine, arguments.option, waiting, arguments.concurrency, work)
        except BaseException:
            if counts["seen"]:  # an engine that does not start leaves nothing behind
                dataset.save(arguments.output)
            raise
    dataset.save(arguments.output)
    return counts["labelled"]
