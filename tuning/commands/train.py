"""`train`: a network from any amount of labelled positions."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path

from engine.command_line import Whole
from tuning.data.dataset import NO_RESULT, PositionsFile, open_positions
from tuning.fitting.targets import WEIGHTED_SUM_CP
from tuning.network.demo import write_demo
from tuning.network.examples import Sets
from tuning.network.model import Model, king_map, parents_of
from tuning.network.quantisation import PROOF
from tuning.network.training import Run, Settings, load_run, load_start, train
from tuning.network.worth import KINDS, worth_of
from tuning.progress import progress_bar

DEFAULTS = Settings()
DEMO_DEFAULTS = replace(DEFAULTS, epochs=8, rate=2e-3, k=1 / WEIGHTED_SUM_CP)
DEMO_COUNT = 600_000  # positions
SAVED_EVERY_S = 60.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("files", nargs="*", type=Path, metavar="FILE.positions")
    add(
        "--demo",
        action="store_true",
        help="learn the weighted sum, from positions made beside the output; some minutes",
    )
    add(
        "-o",
        "--output",
        type=Path,
        default=Path("network.npz"),
        metavar="RUN.npz",
        help="checkpoint and result; an interrupted run resumes there (default: network.npz)",
    )
    add("--from", dest="start", type=Path, metavar="RUN.npz",
        help="run to begin from, maybe with a narrower accumulator, or a network that plays "
        "(.nnue)")  # fmt: skip
    add("--hidden", type=int, help=f"width of the accumulator (default: {DEFAULTS.hidden})")
    add("--buckets", type=int,
        help=f"output buckets, by number of men (default: {DEFAULTS.buckets})")  # fmt: skip
    add("--epochs", type=int, help=f"passes through the data (default: {DEFAULTS.epochs})")
    add("--batch", type=int, help=f"positions a step (default: {DEFAULTS.batch})")
    add("--rate", type=float, help=f"first learning rate (default: {DEFAULTS.rate})")
    add("--last-rate", type=float, help=f"last learning rate (default: {DEFAULTS.last_rate})")
    add("--warm-up", type=float,
        help=f"fraction of the run with a rising rate (default: {DEFAULTS.warm_up})")  # fmt: skip
    add("--decay", type=float, help=f"weight decay (default: {DEFAULTS.decay})")
    add(
        "--results",
        metavar="FIRST:LAST",
        help="share of results in the target, in the first and last epoch (default: 0:0)",
    )
    add("--shared", type=float,
        help=f"weight of the error that neighbours share (default: {DEFAULTS.shared})")  # fmt: skip
    add("--k", type=float,
        help="scale of scores without results, per centipawn (default: 1/95)")  # fmt: skip
    add("--held-out", type=float,
        help=f"share of the positions to hold out (default: {DEFAULTS.held_out})")  # fmt: skip
    add("--threads", type=Whole(1), help=f"threads to train with (default: {DEFAULTS.threads})")
    add("--seed", type=Whole(0), help=f"seed of weights and order (default: {DEFAULTS.seed})")


def run(arguments: argparse.Namespace) -> int:
    settings, paths = _settings(arguments), arguments.files
    if arguments.demo:
        if paths:
            raise ValueError("--demo makes its own positions, and takes no files")
        paths = [_demo_set(arguments.output.with_suffix(".positions"), settings.seed)]
    if not paths:
        raise ValueError("there are no files of positions; --demo makes some")
    files = [open_positions(path) for path in paths]
    sets = Sets(files, k=settings.k, held_out=settings.held_out, seed=settings.seed)
    output: Path = arguments.output
    state = _started(output, settings, sets, arguments.start)
    _describe(sets, settings)
    if state.finished:
        print(f"{output}: is finished already")
        return 0
    validation = sets.validation(settings.results_last)
    state.sample = validation.some(PROOF, settings.seed)
    state.save(output)  # says before the long part if it cannot be written
    saved = time.monotonic()
    with progress_bar("positions") as bar:
        task = bar.add_task(
            "training", total=sets.training_count * settings.epochs, note="compiling",
            completed=sets.training_count * len(state.history) + state.seen,
        )  # fmt: skip

        def on_chunk(state: Run, loss: float) -> None:
            nonlocal saved
            done = sets.training_count * len(state.history) + state.seen
            bar.update(task, completed=done, note=f"loss {loss:.5f}")
            if time.monotonic() - saved > SAVED_EVERY_S:
                state.save(output)
                saved = time.monotonic()

        def on_epoch(state: Run) -> None:
            state.save(output)
            last = state.history[-1]
            worth = " ".join(f"{cp:.0f}" for cp in worth_of(state.model).tolist())
            speed = state.count / max(1e-9, last.seconds)
            print(
                f"epoch {last.number:3}  training {last.training:.5f}  "
                f"held out {last.validation:.5f}  pieces {worth} cp  {speed:,.0f}/s",
                flush=True,
            )

        train(state, sets, validation, on_chunk, on_epoch)
    worth = worth_of(state.model)
    print("worth of " + ", ".join(f"{k} {cp:.0f}" for k, cp in zip(KINDS, worth, strict=True)))
    print(
        f"run {state.run_hash}, saved as {output}; see it with `report {output}`, "
        f"use it with `emit {output}`"
    )
    return 0


def _demo_set(path: Path, seed: int) -> Path:
    """Positions with the weighted sum as their score, made if they are not there."""
    if not path.exists():
        with progress_bar("positions") as bar:
            task = bar.add_task("making", total=DEMO_COUNT, note=path.name)
            write_demo(path, DEMO_COUNT, seed, lambda done: bar.update(task, completed=done))
    return path


def _settings(arguments: argparse.Namespace) -> Settings:
    given = {
        f.name: getattr(arguments, f.name)
        for f in fields(Settings)
        if getattr(arguments, f.name, None) is not None
    }
    if arguments.results is not None:
        first, _, last = arguments.results.partition(":")
        try:
            given["results_first"], given["results_last"] = float(first), float(last or first)
        except ValueError:
            raise ValueError(f"{arguments.results}: the share of results is FIRST:LAST") from None
    return replace(DEMO_DEFAULTS if arguments.demo else DEFAULTS, **given)


def _started(output: Path, settings: Settings, sets: Sets, start: Path | None) -> Run:
    """A new run, or the one that `output` holds, if it is this one."""
    begun = load_start(start) if start else None
    start_hash = begun.digest if begun else ""
    if output.exists():
        state = load_run(output)
        same = state.settings == settings and state.start_hash == start_hash
        if not same or state.data_hash != sets.data_hash:
            what = "settings" if not same else "data"
            raise ValueError(f"{output}: holds a run of other {what}; choose another --output")
        return state
    model = Model(settings.hidden, settings.buckets, settings.threads, settings.seed)
    if begun is not None:
        try:
            model.begin_from(begun.model, parents_of(king_map(), begun.king_map))
        except ValueError as error:
            raise ValueError(f"{start}: cannot begin there: {error}") from None
    return Run(
        settings, model, data_hash=sets.data_hash, start_hash=start_hash,
        files=[file.path.name for file in sets.files], count=sets.training_count,
        scales=sets.scales,
    )  # fmt: skip


def _describe(sets: Sets, settings: Settings) -> None:
    held_out = sets.count - sets.training_count
    print(
        f"{sets.count} positions in {len(sets.files)} files, {held_out} held out; "
        f"accumulator width {settings.hidden}, {settings.buckets} output buckets"
    )
    for name, k in sets.scales.items():
        if len(sets.scales) <= 10:
            print(f"  {name}: 1.0 is {1 / k:.0f} cp")
    if max(settings.results_first, settings.results_last) > 0 and not _any_results(sets.files):
        print("no position has a result: targets are scores alone")


def _any_results(files: Sequence[PositionsFile]) -> bool:
    return any((file.records["result"] != NO_RESULT).any() for file in files)
