"""`chances`: fit the chances of a win, draw and loss to games of the engine against itself."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from tuning.chances.model import (
    NAMES,
    calibration,
    calibration_error,
    fit,
    held_out,
    read_sample,
)
from tuning.chances.picture import draw
from tuning.chances.source import emit


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "games", nargs="+", type=Path, metavar="FILE.games", help="games that `datagen` played"
    )
    parser.add_argument(
        "--emit", action="store_true", help="write the constants into engine/chances.py"
    )
    parser.add_argument("--picture", type=Path, metavar="FILE.png", help="draw the calibration")


def run(arguments: argparse.Namespace) -> int:
    sample = read_sample(arguments.games)
    games = len(np.unique(sample.games))
    predicted = held_out(sample)
    tables = [calibration(predicted, sample.results, outcome) for outcome in range(len(NAMES))]
    error = calibration_error(tables)
    half, spread = fit(sample)
    print(f"{games:,} games, {len(sample):,} positions")
    for name, table in zip(NAMES, tables, strict=True):
        print(f"mean calibration error, {name}: {100 * calibration_error([table]):.2f} %")
    print(f"mean calibration error: {100 * error:.2f} %, on games held back")
    print(f"HALF = ({', '.join(f'{value:.4f}' for value in half)})")
    print(f"SPREAD = ({', '.join(f'{value:.4f}' for value in spread)})")
    if arguments.picture is not None:
        draw(tables, half, spread, error, arguments.picture)
    if arguments.emit:
        emit(half.tolist(), spread.tolist())
    return 0
