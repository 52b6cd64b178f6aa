"""`average`: average networks that have a common origin."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.command_line import UsageError, check_output
from tuning.network.averaging import average_of
from tuning.network.training import load_run, load_start


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "runs", nargs="+", metavar="RUN.npz[:SHARE]",
        help="runs of `train`, each with its share (default: 1); all but the first may be networks "
        "that play (.nnue). The report of the average shows the history of the first",
    )  # fmt: skip
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="RUN.npz")


def run(arguments: argparse.Namespace) -> int:
    named = [_run_and_share(text) for text in arguments.runs]
    if len(named) < 2:
        raise UsageError("an average needs two runs or more")
    check_output(arguments.output, [path for path, _ in named])
    (first, _), *others = named
    starts = [load_start(path) for path, _ in others]
    average = average_of(load_run(first), starts, [share for _, share in named])
    average.save(arguments.output)
    print(f"run {average.run_hash}, saved as {arguments.output}")
    return 0


def _run_and_share(text: str) -> tuple[Path, float]:
    """A path of Windows has a colon too: only a number after the last one is a share."""
    path, _, share = text.rpartition(":")
    try:
        return Path(path), float(share)
    except ValueError:
        return Path(text), 1.0
