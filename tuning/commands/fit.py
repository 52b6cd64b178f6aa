"""`fit`: find the weights of the evaluation that predict games best."""

from __future__ import annotations

import argparse
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.command_line import UsageError, Whole
from engine.eval.classical.loading import shipped_weights
from tuning import data
from tuning.data.dataset import NO_RESULT, NO_SCORE, RECORD, Dataset, load_all
from tuning.data.packed import POSITION
from tuning.fitting.findings import findings
from tuning.fitting.model import Array, Model, model_of
from tuning.fitting.optimiser import ITERATIONS, Objective, fit
from tuning.fitting.state import (
    FitSettings,
    State,
    data_hash,
    load_state,
    weights_without_knowledge,
)
from tuning.fitting.targets import fitted_k, k_of_each, source_scales, split, targets
from tuning.progress import progress_bar

DEMO = Path(data.__file__).with_name("demo.positions")
DEFAULTS = FitSettings()
DEMO_DEFAULTS = replace(DEFAULTS, l2=1e-6)  # for few positions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("files", nargs="*", type=Path, metavar="FILE.positions", help="positions from `import`")
    add("--demo", action="store_true", help="fit the small set in this package, from zero")
    add("-o", "--output", type=Path, default=Path("fit.npz"), metavar="RUN.npz",
        help="checkpoint and result (default: fit.npz)")  # fmt: skip
    add(
        "--epochs",
        type=int,
        help=f"most rounds of {ITERATIONS} iterations of L-BFGS (default: {DEFAULTS.epochs})",
    )
    add("--k", type=float, help="scale per centipawn, to keep it (default: fitted)")
    add(
        "--score-share",
        type=float,
        help=f"share of the score in the target (default: {DEFAULTS.score_share})",
    )
    add(
        "--l2",
        type=float,
        help="pull towards the first weights (default: "
        f"{DEFAULTS.l2:g}; with --demo {DEMO_DEFAULTS.l2:g})",
    )
    add(
        "--validation", type=float, help=f"share of games held out (default: {DEFAULTS.validation})"
    )
    add(
        "--patience",
        type=int,
        help=f"epochs without gain before the end (default: {DEFAULTS.patience})",
    )
    add("--seed", type=Whole(0), help=f"seed of the split (default: {DEFAULTS.seed})")
    add("--from-zero", action="store_true", help="start from piece values alone")
    add("--threads", type=Whole(1), default=2, help="threads that extract features (default: 2)")


def run(arguments: argparse.Namespace) -> int:
    files = arguments.files
    if arguments.demo:
        if files:
            raise UsageError("--demo uses its own positions; give no files with it")
        files, arguments.from_zero = [DEMO], True  # the shipped weights would leave little to find
    if not files:
        raise UsageError("give files of positions, or --demo for the small set in this package")
    settings = _settings(arguments)
    dataset = labelled(load_all(files))
    initial = shipped_weights().astype(np.float64)
    if arguments.from_zero:
        initial = weights_without_knowledge()
    output: Path = arguments.output
    state = _started(output, settings, dataset, initial)
    training, validating = split(dataset, settings.validation, settings.seed)
    scales = source_scales(dataset)
    records = dataset.records[np.concatenate([training, validating])]
    k = k_of_each(scales, dataset.sources, records)
    wanted = targets(records, k, settings.score_share)
    values = np.rint(initial).astype(np.int64)
    model, used = model_of(records.view(POSITION), values, arguments.threads)
    model.check(values)
    count = int(np.count_nonzero(used[: len(training)]))
    for name, left in (("train on", count), ("hold back", len(model) - count)):
        if not left:
            raise ValueError(f"no position to {name}: all have exact knowledge")
    print(
        f"{len(dataset)} positions, {len(model)} without exact knowledge, {count} to train on; "
        f"matrix times weights is the evaluation for all of them"
    )
    wanted, records = wanted[used], model.positions.view(RECORD)
    state.save(output)  # fails before the long part if it cannot be written
    if not state.k:
        state.k = settings.k or _k(model, records, wanted, initial)
    print(f"K {state.k:.6f} per centipawn")
    objective = Objective(model, wanted, state.k, settings, state.initial)
    _fit(state, objective, count, output)
    state.save(output, **findings(state, objective, records, count, scales))
    first, best = state.history[0], min(state.history, key=lambda epoch: epoch.validation)
    change = best.validation / first.validation - 1
    print(
        f"validation loss {first.validation:.6f} -> {best.validation:.6f} ({change:+.2%}) after "
        f"{best.number} epochs; run {state.run_hash}\n"
        f"saved as {output}; next: `report {output}`, `emit {output}`"
    )
    return 0


def labelled(dataset: Dataset) -> Dataset:
    """The positions with a label. `label` gives none to finished games."""
    records = dataset.records
    known = (records["result"] != NO_RESULT) | (records["score"] != NO_SCORE)
    if not known.any():
        raise ValueError("no position has a result or a score")
    if not known.all():
        print(f"{np.count_nonzero(~known)} positions without result and score left out")
    return dataset.only(known)


def _settings(arguments: argparse.Namespace) -> FitSettings:
    given = {f.name: getattr(arguments, f.name) for f in fields(FitSettings)
             if getattr(arguments, f.name, None) is not None}  # fmt: skip
    return replace(DEMO_DEFAULTS if arguments.demo else DEFAULTS, **given)


def _started(output: Path, settings: FitSettings, dataset: Dataset, initial: Array) -> State:
    """A new fit, or the one in `output` if its data and settings are the same."""
    digest = data_hash(dataset)
    if output.exists():
        state, _ = load_state(output)
        same = state.settings == settings and state.data_hash == digest
        if not (same and np.array_equal(state.initial, initial)):
            raise ValueError(f"{output}: a fit of other data or settings; choose another --output")
        return state
    return State(settings, initial, initial.copy(), initial.copy(), data_hash=digest)


def _k(model: Model, records: Any, wanted: Array, initial: Array) -> float:
    """The K with which the weights before the fit predict best."""
    played = records["result"] != NO_RESULT
    results = np.where(played, records["result"] / 2, wanted)
    return fitted_k(model.scores(initial), results)


def _fit(state: State, objective: Objective, count: int, output: Path) -> None:
    with progress_bar("epochs") as bar:
        task = bar.add_task(
            "fitting", total=state.settings.epochs, note="",
            completed=state.history[-1].number if state.history else 0,
        )  # fmt: skip

        def on_epoch(state: State) -> None:
            state.save(output)
            last = state.history[-1]
            note = f"training {last.training:.6f} validation {last.validation:.6f}"
            bar.update(task, completed=last.number, note=note)

        fit(state, objective, count, on_epoch)
