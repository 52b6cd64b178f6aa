"""`positions`: make many positions to label from few: those that a search visits."""

from __future__ import annotations

import argparse
from pathlib import Path

from tuning.data.stream import PositionsWriter
from tuning.network.sampling import PositionSampler, read_bases, sampled
from tuning.progress import progress_bar


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", nargs="+", type=Path, help="where to begin: .positions, or text with a FEN a line"
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.positions")
    parser.add_argument("--count", type=int, default=1_000_000, help="(1000000)")
    parser.add_argument(
        "--no-search", action="store_true",
        help="only random moves and missing men: no positions from searches, but far faster",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=1, help="(1)")


def run(arguments: argparse.Namespace) -> int:
    if arguments.count < 1:
        raise ValueError("--count must be more than 0")
    if arguments.output.exists():
        raise ValueError(f"{arguments.output}: exists already")
    bases = read_bases(arguments.files)
    sampler = PositionSampler(bases, arguments.seed, not arguments.no_search)
    with PositionsWriter(arguments.output, []) as writer, progress_bar("positions") as bar:
        task = bar.add_task("sampling", total=arguments.count, note="")
        for records in sampled(
            sampler, arguments.count, lambda done: bar.update(task, completed=done)
        ):
            writer.append(records)
        notes = {"files": [path.name for path in arguments.files], "seed": arguments.seed}
        writer.finish(notes)
        print(f"{arguments.output}: {writer.count} positions from {len(bases)}")
    return 0
