"""`emit`: write what was fitted or trained in the form that the engine reads."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

import numpy as np

from engine import chances, people
from engine.command_line import Whole
from engine.eval.classical.features import WEIGHT_COUNT
from engine.eval.classical.loading import shipped_weights
from engine.files import write_text
from engine.search import params
from tuning.fitting.state import load_state
from tuning.fitting.weights_source import SHIPPED, source_of
from tuning.network.emitting import emit_network
from tuning.network.training import is_network, load_run
from tuning.network.worth import KINDS
from tuning.selfplay import perturbation

# By the kind of a run of `calibrate`: the module, and its constants.
CALIBRATED = {"chances": (chances, ("half", "spread")), "people": (people, ("spread",))}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", type=Path, metavar="RUN",
        help="run of `fit`, `train` (.npz), `spsa`, `calibrate chances` or `calibrate people` "
        "(.json)")  # fmt: skip
    add("-o", "--output", type=Path, help="file to write (default: the engine's module that holds "
        "these constants; for a network RUN.nnue)")  # fmt: skip
    add("--centipawns", type=Whole(1), help="centipawns of a logit of a network (default: scores "
        "as large as the weighted sum's)")  # fmt: skip
    add("--notice", default="",
        help="text for a network file: its data, and their licences")  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    path: Path = arguments.file
    if path.suffix == ".json":
        return _emit_constants(path, arguments.output)
    if is_network(path):
        return _emit_network(arguments)
    state, _ = load_state(path)
    if not state.finished:
        raise ValueError(f"{path}: this fit is not finished")
    output = arguments.output or SHIPPED
    write_text(output, source_of(state.values, state.run_hash))
    changed = int(np.count_nonzero((state.values != shipped_weights()).any(axis=1)))
    print(f"{output}: {WEIGHT_COUNT} weights, {changed} of them new, run {state.run_hash}")
    return 0


def _emit_constants(path: Path, output: Path | None) -> int:
    """Write constants of the search, the chances or the curve of people into a copy of their
    module."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        kind = stored.get("kind")
    except (ValueError, AttributeError) as reason:
        raise ValueError(f"{path}: not a run: {reason}") from reason
    if kind in CALIBRATED:
        calibrated, names = CALIBRATED[kind]
        module = Path(str(calibrated.__file__))
        values = {
            rf"^({name.upper()} = \().*(\))$": ", ".join(f"{value:.4f}" for value in stored[name])
            for name in names
        }
    else:
        module = Path(params.__file__)
        found = perturbation.load(path).values()
        values = {rf"^(\s*{name} = Tunable\()-?\d+(,)": f"{n}" for name, n in found.items()}
    text = module.read_text(encoding="utf-8")
    for pattern, value in values.items():
        text, count = re.subn(pattern, rf"\g<1>{value}\g<2>", text, flags=re.MULTILINE)
        if count != 1:
            raise ValueError(f"{module}: {pattern} is there {count} times, not once")
    output = output or module
    write_text(output, text)
    print(f"{output}: {len(values)} constants written")
    return 0


def _emit_network(arguments: argparse.Namespace) -> int:
    trained = load_run(arguments.file)
    output = arguments.output or arguments.file.with_suffix(".nnue")
    try:
        proof, worth, scale = emit_network(trained, output, arguments.centipawns, arguments.notice)
    except ValueError as reason:
        raise ValueError(f"{arguments.file}: {reason}") from reason
    print("worth of " + ", ".join(f"{k} {cp:.0f}" for k, cp in zip(KINDS, worth, strict=True)))
    print(
        f"{output}: run {trained.run_hash}, {scale} cp a logit; on {proof.positions} positions "
        f"integers are {proof.mean_cp:.2f} cp from floats on average, "
        f"{proof.largest_cp:.0f} cp at most"
    )
    return 0
