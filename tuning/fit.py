"""`fit`: find the weights of the evaluation that predict games best."""

from __future__ import annotations

import argparse
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit

from engine.eval.classical.features import FEATURES, WEIGHT_COUNT
from engine.eval.classical.setup import shipped_weights
from tuning.dataset import NO_RESULT, NO_SCORE, RECORD, Dataset, load_all
from tuning.fitting import (
    FitSettings,
    Objective,
    State,
    data_hash,
    fit,
    fitted_k,
    free_weights,
    load_state,
    source_scales,
    split,
    targets,
)
from tuning.model import Array, Model, model_of
from tuning.processes import progress_bar

DEMO = Path(__file__).with_name("demo.positions")
DEFAULTS = FitSettings()
DEMO_DEFAULTS = replace(DEFAULTS, batch=512, rate=3.0, l2=1e-6)  # for few positions
K_SCAN = np.geomspace(0.5, 2.0, 31)  # times the fitted K
WORST = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", type=Path, help="files of positions, from `import`")
    parser.add_argument(
        "--demo", action="store_true", help="a small set that comes along, from zero"
    )
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("fit.npz"), help="checkpoint and result (fit.npz)"
    )
    parser.add_argument("--optimiser", choices=("adam", "lbfgs"), default=DEFAULTS.optimiser)
    parser.add_argument("--epochs", type=int, default=DEFAULTS.epochs, help="at most (40)")
    parser.add_argument("--batch", type=int, help="positions (16384; 512 with --demo)")
    parser.add_argument("--rate", type=float, help="of Adam, in cp (1; 3 with --demo)")
    parser.add_argument(
        "--k", type=float, default=DEFAULTS.k, help="per centipawn, to keep the scale of weights"
    )
    parser.add_argument(
        "--score-share", type=float, default=DEFAULTS.score_share, help="of the target (0.5)"
    )
    parser.add_argument("--l2", type=float, help="towards the start (1e-9; 1e-6 with --demo)")
    parser.add_argument("--validation", type=float, default=DEFAULTS.validation, help="share (0.1)")
    parser.add_argument("--patience", type=int, default=DEFAULTS.patience, help="epochs (6)")
    parser.add_argument("--seed", type=int, default=DEFAULTS.seed, help="(1)")
    parser.add_argument(
        "--freeze",
        nargs="+",
        default=[],
        metavar="NAME",
        help="groups, features; * is a wildcard",
    )
    parser.add_argument(
        "--bound", nargs="+", default=[], metavar="FEATURE=MIN:MAX", help="in centipawns"
    )
    parser.add_argument("--from-zero", action="store_true", help="start without knowledge")
    parser.add_argument("--threads", type=int, default=2, help="for the features (2)")


def run(arguments: argparse.Namespace) -> int:
    files = arguments.files
    if arguments.demo:
        if files:
            raise ValueError("--demo uses the positions that come along, and no other files")
        files, arguments.from_zero = [DEMO], True  # a start that leaves a way to go
    if not files:
        raise ValueError("there are no files of positions; --demo uses the ones that come along")
    settings = _settings(arguments)
    dataset = labelled(load_all(files))
    initial = shipped_weights().astype(np.float64)
    if arguments.from_zero:
        initial = weights_without_knowledge()
    output: Path = arguments.output
    state = _started(output, settings, dataset, initial)
    free_weights(settings)  # says if a name to freeze is wrong
    training, validating = split(dataset, settings.validation, settings.seed)
    scales = source_scales(dataset)
    records = dataset.records[np.concatenate([training, validating])]
    ordered = Dataset(records, dataset.sources)
    wanted = targets(ordered, scales, settings.score_share)
    values = np.rint(initial).astype(np.int64)
    model, used = model_of(ordered.positions, values, arguments.threads)
    model.check(values)
    count = int(np.count_nonzero(used[: len(training)]))
    for name, left in (("train on", count), ("hold back", len(model) - count)):
        if not left:
            raise ValueError(f"there is no position to {name}: all have exact knowledge")
    print(
        f"{len(dataset)} positions, {len(model)} without exact knowledge, {count} to train on; "
        f"matrix times weights is the evaluation for all of them"
    )
    wanted, records = wanted[used], model.positions.view(RECORD)
    state.save(output)  # says before the long part if it cannot be written
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
        f"saved as {output}; see it with `report {output}`, use it with `emit {output}`"
    )
    return 0


def labelled(dataset: Dataset) -> Dataset:
    """The positions that something is known of. `label` leaves finished games without."""
    records = dataset.records
    known = (records["result"] != NO_RESULT) | (records["score"] != NO_SCORE)
    if not known.any():
        raise ValueError("no position has a result or a score")
    if not known.all():
        print(f"{np.count_nonzero(~known)} positions have neither result nor score: left out")
    return dataset.only(known)


def _settings(arguments: argparse.Namespace) -> FitSettings:
    bounds = []
    for text in arguments.bound:
        name, _, both = text.partition("=")
        least, _, largest = both.partition(":")
        try:
            bounds.append((name, float(least), float(largest)))
        except ValueError:
            raise ValueError(f"{text}: a bound is FEATURE=MIN:MAX") from None
    given = {f.name: getattr(arguments, f.name) for f in fields(FitSettings)
             if getattr(arguments, f.name, None) is not None}  # fmt: skip
    defaults = DEMO_DEFAULTS if arguments.demo else DEFAULTS
    return replace(defaults, **given, frozen=tuple(arguments.freeze), bounds=tuple(bounds))


def weights_without_knowledge() -> Array:
    """The usual relations between pieces, to see what fitting alone can find."""
    weights = np.zeros((WEIGHT_COUNT, 2))
    weights[FEATURES["material"].indices] = [[60], [180], [180], [300], [540], [0]]
    weights[FEATURES["king_attackers"].indices] = 50  # the attack's square has no slope at 0
    return weights


def _started(output: Path, settings: FitSettings, dataset: Dataset, initial: Array) -> State:
    """A new fit, or the one that `output` holds, if it is this one."""
    digest = data_hash(dataset)
    if output.exists():
        state, _ = load_state(output)
        same = state.settings == settings and state.data_hash == digest
        if not (same and np.array_equal(state.initial, initial)):
            raise ValueError(f"{output}: holds another fit; choose another --output")
        return state
    return State(settings, initial, initial.copy(), initial.copy(), data_hash=digest)


def _k(model: Model, records: Any, wanted: Array, initial: Array) -> float:
    """With which the weights before the fit predict best."""
    played = records["result"] != NO_RESULT
    results = np.where(played, records["result"] / 2, wanted)
    return fitted_k(model.scores(initial), results)


def _fit(state: State, objective: Objective, count: int, output: Path) -> None:
    with progress_bar("epochs") as bar:
        task = bar.add_task(
            state.settings.optimiser, total=state.settings.epochs, note="",
            completed=state.history[-1].number if state.history else 0,
        )  # fmt: skip

        def on_epoch(state: State) -> None:
            state.save(output)
            last = state.history[-1]
            note = f"training {last.training:.6f} validation {last.validation:.6f}"
            bar.update(task, completed=last.number, note=note)

        fit(state, objective, count, on_epoch)


# --- What a report shows -------------------------------------------------------------------------


def findings(
    state: State, objective: Objective, records: Any, training: int, scales: dict[str, float]
) -> dict[str, Array]:
    """Everything that `report` needs of the data, by name."""
    model = objective.model
    # As they will be shipped: in whole centipawns.
    scores = model.scores(state.values.astype(np.float64))
    predicted = expit(state.k * scores)
    wanted = objective.wanted
    validation = slice(training, len(model))
    scan = [
        float(np.mean((expit(state.k * factor * scores[validation]) - wanted[validation]) ** 2))
        for factor in K_SCAN
    ]
    error = np.abs(predicted - wanted)
    worst = validation.start + np.argsort(-error[validation], kind="stable")[:WORST]
    phases = model.rows["phase"][validation]
    return {
        "scan_k": K_SCAN * state.k,
        "scan_loss": np.array(scan),
        "calibration": _calibration(phases, predicted[validation], wanted[validation]),
        "fires": model.fires(),
        "positions": np.array(len(model)),
        "worst": np.ascontiguousarray(records[worst]).astype(RECORD).view(np.uint8),
        "worst_scores": scores[worst],
        "worst_wanted": wanted[worst],
        "scale_names": np.array(list(scales)),
        "scale_values": np.array(list(scales.values())),
        "with_score": np.array(int((records["score"] != NO_SCORE).sum())),
    }


PHASES = ((0, 6), (7, 12), (13, 18), (19, 24))
BINS = 20


def _calibration(phases: Array, predicted: Array, wanted: Array) -> Array:
    """[phase, bin, (count, mean prediction, mean of what came)]"""
    table = np.full((len(PHASES), BINS, 3), np.nan)
    bins = np.minimum((predicted * BINS).astype(int), BINS - 1)
    for row, (low, high) in enumerate(PHASES):
        for column in range(BINS):
            chosen = (phases >= low) & (phases <= high) & (bins == column)
            count = np.count_nonzero(chosen)
            table[row, column, 0] = count
            if count:
                table[row, column, 1:] = predicted[chosen].mean(), wanted[chosen].mean()
    return table
