"""`emit`: write what was fitted or trained in the form that the engine reads."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from engine.eval.classical.features import WEIGHT_COUNT
from engine.eval.classical.setup import shipped_weights
from engine.files import write_text
from tuning.fitting.state import load_state
from tuning.fitting.weights_source import SHIPPED, source_of
from tuning.network.emitting import emit_network
from tuning.network.training import is_network, load_run
from tuning.network.worth import KINDS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="RUN.npz", help="of `fit` or `train`")
    parser.add_argument(
        "-o", "--output", type=Path,
        help="(of `fit`: the engine's own weights.py; of `train`: RUN.nnue)",
    )  # fmt: skip
    parser.add_argument(
        "--centipawns", type=int,
        help="of a logit of a network (default: scores as large as the weighted sum's)",
    )  # fmt: skip
    parser.add_argument(
        "--notice", default="", help="what a network was trained on, and the licences of these data"
    )


def run(arguments: argparse.Namespace) -> int:
    if is_network(arguments.file):
        return _emit_network(arguments)
    state, _ = load_state(arguments.file)
    if not state.finished:
        raise ValueError(f"{arguments.file}: this fit is not finished")
    output = arguments.output or SHIPPED
    write_text(output, source_of(state.values, state.run_hash))
    changed = int(np.count_nonzero((state.values != shipped_weights()).any(axis=1)))
    print(f"{output}: {WEIGHT_COUNT} weights, {changed} of them new, run {state.run_hash}")
    return 0


def _emit_network(arguments: argparse.Namespace) -> int:
    trained = load_run(arguments.file)
    output = arguments.output or arguments.file.with_suffix(".nnue")
    if arguments.centipawns is not None and arguments.centipawns < 1:
        raise ValueError("the centipawns of a logit must be more than 0")
    try:
        proof, worth, scale = emit_network(trained, output, arguments.centipawns, arguments.notice)
    except ValueError as reason:
        raise ValueError(f"{arguments.file}: {reason}") from reason
    print("worth of " + ", ".join(f"{k} {cp:.0f}" for k, cp in zip(KINDS, worth, strict=True)))
    print(
        f"{output}: run {trained.run_hash}, {scale} cp a logit; on {proof.positions} positions "
        f"whole numbers are {proof.mean_cp:.2f} cp from floats on average, "
        f"{proof.largest_cp:.0f} cp at most"
    )
    return 0
