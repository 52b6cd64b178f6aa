"""`emit`: write the weights of a fit into the engine."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from engine.eval.classical.features import WEIGHT_COUNT
from engine.eval.classical.setup import shipped_weights
from tuning.files import write_text
from tuning.fitting.state import load_state
from tuning.fitting.weights_source import SHIPPED, source_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("fit", type=Path, metavar="FIT.npz")
    parser.add_argument(
        "-o", "--output", type=Path, default=SHIPPED, help="(default: the engine's own weights.py)"
    )


def run(arguments: argparse.Namespace) -> int:
    state, _ = load_state(arguments.fit)
    if not state.finished:
        raise ValueError(f"{arguments.fit}: the fit is not finished")
    write_text(arguments.output, source_of(state.values, state.run_hash))
    changed = int(np.count_nonzero((state.values != shipped_weights()).any(axis=1)))
    print(
        f"{arguments.output}: {WEIGHT_COUNT} weights, {changed} of them new, run {state.run_hash}"
    )
    return 0
