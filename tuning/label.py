"""`label`: scores for positions, from any UCI engine.

The notes of the output (see tuning.dataset) say under "label" how the last run labelled, and
"next": the place of the first position that it had not come to, so that it can be continued.
"""

from __future__ import annotations

import argparse
import threading
from pathlib import Path
from typing import Any

import chess
import chess.engine
import numpy as np

from tuning.dataset import LARGEST_SCORE, NO_SCORE, Dataset, load, source_index
from tuning.engines import name_of, share_out
from tuning.export import fens
from tuning.processes import progress_bar

SAVED_EVERY = 2000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE.positions")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        help="if it is there, its labels are kept, and a run that was interrupted goes on",
    )
    parser.add_argument("--engine", required=True, metavar="COMMAND", help="`wadjet` is this one")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--nodes", type=int, help="a position (20000, if no other limit)")
    parser.add_argument("--depth", type=int)
    parser.add_argument("--ms", type=int)
    parser.add_argument("--again", action="store_true", help="label those that have a score, too")
    parser.add_argument("--concurrency", type=int, default=1, help="engines at once (1)")


def run(arguments: argparse.Namespace) -> int:
    limits = (arguments.nodes, arguments.depth, arguments.ms, arguments.concurrency)
    if any(limit is not None and limit < 1 for limit in limits):
        raise ValueError("limits must be more than 0")
    if not (arguments.nodes or arguments.depth or arguments.ms):
        arguments.nodes = 20_000
    dataset = load(arguments.file)
    first = 0
    if arguments.output.exists():
        done = load(arguments.output)
        if not same_positions(done, dataset):
            raise ValueError(f"{arguments.output}: holds other positions than {arguments.file}")
        dataset = done
        first = _reached(dataset, arguments)
    missing = (dataset.records["score"] == NO_SCORE) | arguments.again
    missing[:first] = False
    name = name_of(arguments.engine)
    source_index(dataset.sources, name)
    finished = _label(dataset, np.flatnonzero(missing), name, arguments)
    print(f"{arguments.output}: {finished} labelled by {name}")
    return 0


def _settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """What decides which labels a run gives, as JSON keeps it."""
    return {
        "engine": arguments.engine,
        "option": sorted(arguments.option),
        "nodes": arguments.nodes,
        "depth": arguments.depth,
        "ms": arguments.ms,
        "again": arguments.again,
    }


def _reached(output: Dataset, arguments: argparse.Namespace) -> int:
    """Where this run goes on: 0, if the last one that labelled the output was another, and is done.

    ValueError if the last one was another, and is not: its labels would be mixed with these.
    """
    noted = output.notes.get("label")
    if noted is None:
        return 0
    changed = [key for key, value in _settings(arguments).items() if noted.get(key) != value]
    if not changed:
        return int(noted["next"])
    if noted["next"] < len(output):
        told = ", ".join(f"{key} {noted.get(key)}" for key in changed)
        raise ValueError(
            f"{arguments.output}: position {noted['next'] + 1}: here it was interrupted; finish it "
            f"as it was begun ({told}), or choose another --output"
        )
    return 0


def same_positions(one: Dataset, other: Dataset) -> bool:
    names = ("occupied", "pieces", "side", "result", "move")
    return len(one) == len(other) and all(
        np.array_equal(one.records[name], other.records[name]) for name in names
    )


def _label(dataset: Dataset, places: np.ndarray, name: str, arguments: argparse.Namespace) -> int:
    """Label and save. Returns how many could be labelled: a finished game has no score."""
    records, source = dataset.records, dataset.sources.index(name)
    texts = list(fens(Dataset(records[places], dataset.sources)))
    waiting = zip(places.tolist(), texts, strict=True)
    limit = chess.engine.Limit(
        nodes=arguments.nodes,
        depth=arguments.depth,
        time=arguments.ms / 1000 if arguments.ms else None,
    )
    lock = threading.Lock()
    pending = np.zeros(len(dataset) + 1, np.bool_)
    pending[places], pending[-1] = True, True  # the last stands for the end
    counts = {"seen": 0, "labelled": 0}

    def save() -> None:
        # Several engines do not finish in order: the first that is missing counts.
        dataset.notes["label"] = {**_settings(arguments), "next": int(np.argmax(pending))}
        dataset.save(arguments.output)

    with progress_bar("positions") as bar:
        task = bar.add_task(name, total=len(texts), note="")

        def work(running: chess.engine.SimpleEngine, asked: tuple[int, str]) -> None:
            place, fen = asked
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
