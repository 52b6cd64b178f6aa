"""`label`: scores for positions, from any UCI engine."""

from __future__ import annotations

import argparse
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import chess
import chess.engine
import numpy as np

from tuning.dataset import LARGEST_SCORE, NO_SCORE, Dataset, load, source_index
from tuning.engines import engine, options_of
from tuning.export import fens
from tuning.processes import progress_bar

SAVED_EVERY = 2000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE.positions")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, help="if it is there, its labels are kept"
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
    name = arguments.engine.split()[0].rsplit("/", 1)[-1]
    missing = (dataset.records["score"] == NO_SCORE) | arguments.again
    if arguments.output.exists():
        done = load(arguments.output)
        if not same_positions(done, dataset):
            raise ValueError(f"{arguments.output}: holds other positions than {arguments.file}")
        labelled = np.array([source == name for source in done.sources] or [False])
        # What an earlier run of this command labelled.
        missing &= ~((done.records["score"] != NO_SCORE) & labelled[done.records["source"]])
        dataset = done
    source_index(dataset.sources, name)
    try:
        finished = _label(dataset, np.flatnonzero(missing), name, arguments)
    finally:
        dataset.save(arguments.output)
    print(f"{arguments.output}: {finished} labelled by {name}")
    return 0


def same_positions(one: Dataset, other: Dataset) -> bool:
    names = ("occupied", "pieces", "side", "result", "move")
    return len(one) == len(other) and all(
        np.array_equal(one.records[name], other.records[name]) for name in names
    )


def _label(dataset: Dataset, places: np.ndarray, name: str, arguments: argparse.Namespace) -> int:
    """How many could be labelled: a finished game has no score."""
    records, source = dataset.records, dataset.sources.index(name)
    texts = list(fens(Dataset(records[places], dataset.sources)))
    waiting = iter(zip(places.tolist(), texts, strict=True))
    limit = chess.engine.Limit(
        nodes=arguments.nodes,
        depth=arguments.depth,
        time=arguments.ms / 1000 if arguments.ms else None,
    )
    lock, stopped = threading.Lock(), threading.Event()
    counts = {"seen": 0, "labelled": 0}

    with progress_bar("positions") as bar:
        task = bar.add_task(name, total=len(texts), note="")

        def work() -> None:
            with engine(arguments.engine, options_of(arguments.option)) as running:
                while not stopped.is_set():
                    with lock:
                        following = next(waiting, None)
                    if following is None:
                        return
                    place, fen = following
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

        with ThreadPoolExecutor(arguments.concurrency) as pool:
            futures = [pool.submit(work) for _ in range(arguments.concurrency)]
            try:
                for future in futures:
                    future.result()
            except BaseException:
                stopped.set()
                raise
    return counts["labelled"]
