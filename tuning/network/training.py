"""A run of training: settings, schedules, checkpoints.

Settings, seed and data decide a run, on one kind of processor to the bit: one that was killed and
continued ends like one that was not.
"""

from __future__ import annotations

import hashlib
import json
import time
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile

import numpy as np

from engine.command_line import UsageError
from engine.eval.network.file import MAGIC, read_network
from engine.eval.network.shape import ATTACKED_INPUTS, HIDDEN
from engine.files import written_whole
from tuning.files import load_arrays
from tuning.network.examples import Examples, Sets
from tuning.network.gradients import NEIGHBOURS
from tuning.network.model import Model, even_cuts, king_map
from tuning.network.quantisation import floats_of


@dataclass(frozen=True)
class Settings:
    """What decides a run, with its data."""

    hidden: int = HIDDEN
    buckets: int = 8
    epochs: int = 16
    batch: int = 4096  # positions
    rate: float = 1e-3  # of Adam, at the start
    last_rate: float = 1e-5
    warm_up: float = 0.0  # part of the run in which the rate rises to its first value
    decay: float = 0.05  # of weights, times the rate
    results_first: float = 0.0  # share of the result in the target, in the first epoch
    results_last: float = 0.0  # in the last one
    shared: float = 1.0  # weight of the error that neighbours have in common
    k: float = 1 / 95  # expected score = sigmoid(k * cp), for sources without results
    held_out: float = 0.02  # share of the positions
    threads: int = 2  # they add up in another order
    seed: int = 1

    def __post_init__(self) -> None:
        if not 2 <= self.hidden <= 4096 or self.hidden % 2 or not 1 <= self.buckets <= 32:
            raise UsageError(
                "the accumulator is 2 to 4096 wide, an even number, and there are 1 to 32 buckets"
            )
        if self.epochs < 1 or self.batch < 1 or self.threads < 1:
            raise UsageError("epochs, batch and threads must be more than 0")
        if not 0 < self.last_rate <= self.rate < 1:
            raise UsageError("the learning rate falls, and is between 0 and 1")
        if not 0 <= self.warm_up < 1:
            raise UsageError("the warm-up is a part of the run, from 0 to less than 1")
        if not 0 <= self.decay < 100 or not 0 < self.k < 1:
            raise UsageError("decay is not negative, and k is between 0 and 1 per centipawn")
        if not (0 <= self.results_first <= 1 and 0 <= self.results_last <= 1):
            raise UsageError("the results' share is between 0 and 1")
        if not 0 <= self.shared <= 1:
            raise UsageError("the weight of shared errors is between 0 and 1")
        if not 0 < self.held_out < 1:
            raise UsageError("the share that is held out is between 0 and 1")

    def rate_at(self, progress: float) -> float:
        """The learning rate when a part of the run, 0 to 1, is done: it falls as a cosine.

        In the warm-up it rises in proportion, since Adam's averages begin at 0.
        """
        if progress < self.warm_up:
            return self.rate * progress / self.warm_up
        left = (1 + np.cos(np.pi * (progress - self.warm_up) / (1 - self.warm_up))) / 2
        return float(self.last_rate + (self.rate - self.last_rate) * left)

    def results_share(self, epoch: int) -> float:
        """In an epoch, counted from 1."""
        progress = (epoch - 1) / max(1, self.epochs - 1)
        return self.results_first + progress * (self.results_last - self.results_first)


@dataclass
class Epoch:
    number: int
    training: float  # mean loss while it ran, against its own targets
    validation: float  # on what is held out, against the last epoch's targets
    seconds: float


@dataclass
class Run:
    """Training under way, or done."""

    settings: Settings
    model: Model
    history: list[Epoch] = field(default_factory=list)
    data_hash: str = ""
    start_hash: str = ""  # of the run it begins from, if any
    king_map: list[int] = field(default_factory=king_map)  # of its model
    files: list[str] = field(default_factory=list)
    count: int = 0  # positions trained on, an epoch
    scales: dict[str, float] = field(default_factory=dict)  # k of each source
    sample: Examples | None = None  # held out, with the last epoch's targets, for proofs and pages
    chunk: int = 0  # of the epoch under way: where it goes on
    error: float = 0.0  # of the epoch under way, sum
    seen: int = 0  # positions of the epoch under way
    seconds: float = 0.0

    @property
    def finished(self) -> bool:
        return len(self.history) >= self.settings.epochs

    @property
    def run_hash(self) -> str:
        """Names the run: settings, data and result."""
        digest = hashlib.sha256(json.dumps(asdict(self.settings), sort_keys=True).encode())
        digest.update(f"{self.data_hash} {self.start_hash}".encode())
        digest.update(self.model.plain(self.model.flat).tobytes())
        return digest.hexdigest()[:16]

    def save(self, path: Path) -> None:
        notes = {
            "kind": "network",
            "settings": asdict(self.settings),
            "history": [asdict(epoch) for epoch in self.history],
            "steps": self.model.steps,
            **{name: getattr(self, name) for name in _NOTED},
        }
        sample = self.sample or Examples.none()
        with written_whole(path) as file:
            np.savez(
                file,
                notes=np.array(json.dumps(notes)),
                flat=self.model.plain(self.model.flat),
                moments=np.stack([self.model.plain(m) for m in self.model.moments]),
                rows=sample.rows,
                targets=sample.targets,
            )


_NOTED = (
    "king_map",
    "data_hash",
    "start_hash",
    "files",
    "count",
    "scales",
    "chunk",
    "error",
    "seen",
    "seconds",
)


def load_run(path: Path, *, to_begin_from: bool = False) -> Run:
    """A run to go on with or to look at, or one `to_begin_from`, which may have other king buckets
    and, from version 1.1.0, no weights of attacked pieces: those are 0.

    Raises OSError, and ValueError if the file is none, or damaged, or of other king buckets.
    """
    try:
        arrays = load_arrays(path)
        notes = json.loads(str(arrays.pop("notes")))
        if notes.get("kind") != "network":
            raise ValueError("it is no network")
        settings = Settings(**notes["settings"])
        noted = {name: notes[name] for name in _NOTED}
        places = noted["king_map"]
        if len(places) != 64 or not all(0 <= bucket < 64 for bucket in places):
            raise ValueError("it names no king bucket for each square")
        model = Model(
            settings.hidden, settings.buckets, settings.threads, settings.seed, 1 + max(places)
        )
        flat, moments = arrays.pop("flat"), arrays.pop("moments")
        if to_begin_from and len(model.flat) - flat.size == ATTACKED_INPUTS * settings.hidden:
            flat, moments = model.with_attacked(flat), np.zeros_like(model.moments)
        if flat.shape != model.flat.shape or moments.shape != model.moments.shape:
            raise ValueError("its network has another shape than this version's")
        if not (np.isfinite(flat).all() and np.isfinite(moments).all()):
            raise ValueError("its parameters are not numbers")
        model.flat[:], model.steps = model.halved(flat), int(notes["steps"])
        model.moments[:] = [model.halved(moment) for moment in moments]
        model.add_up()
        rows, targets = arrays.pop("rows"), arrays.pop("targets")
        if rows.shape != (len(targets), 4) or rows.dtype != np.int64:
            raise ValueError("its sample is of another form")
        sample = Examples(rows, targets)
        history = [Epoch(**epoch) for epoch in notes["history"]]
        run = Run(settings, model, history, sample=sample, **noted)
    except (ValueError, KeyError, TypeError, AttributeError, EOFError, BadZipFile, zlib.error) as e:
        raise ValueError(f"{path}: not a run of training, or a damaged one: {e}") from e
    if run.king_map != king_map() and not to_begin_from:
        raise ValueError(
            f"{path}: its king buckets are those of another version; train --from can begin there"
        )
    return run


class Start(NamedTuple):
    """Parameters that training begins from, or that a mean takes in."""

    model: Model
    king_map: list[int]
    digest: str  # names them
    files: list[str]  # what they come from


def load_start(path: Path) -> Start:
    """The parameters of a run or of a network file of the engine.

    Raises OSError, and ValueError if the file is neither, or damaged.
    """
    with open(path, "rb") as file:
        is_engines = file.read(len(MAGIC)) == MAGIC
    if not is_engines:
        run = load_run(path, to_begin_from=True)
        return Start(run.model, run.king_map, run.run_hash, run.files)
    network = read_network(path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    return Start(floats_of(network), king_map(), digest, [path.name])


def is_network(path: Path) -> bool:
    """Is it a run of training, and not a fit of the weighted sum?"""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as stored:
            return bool(json.loads(str(stored["notes"])).get("kind") == "network")
    except (ValueError, KeyError, TypeError, AttributeError, EOFError, BadZipFile, zlib.error):
        return False


def train(
    run: Run,
    sets: Sets,
    validation: Examples,
    on_chunk: Callable[[Run, float], None],
    on_epoch: Callable[[Run], None],
) -> None:
    """Train until the epochs are done.

    After each chunk of data `on_chunk(run, loss)` is called, after each epoch `on_epoch(run)`:
    in both the run can be saved, and goes on from there as if it had not stopped.
    """
    settings, model = run.settings, run.model
    while not run.finished:
        epoch = len(run.history) + 1
        share = settings.results_share(epoch)
        chunks = len(sets.chunks(epoch))
        start = time.monotonic()
        for examples in sets.epoch(epoch, run.chunk, share):
            before = epoch - 1 + run.chunk / chunks
            run.error += _learn(run, examples, before, 1 / chunks)
            run.seen += len(examples)
            run.chunk += 1
            now = time.monotonic()
            run.seconds, start = run.seconds + now - start, now
            on_chunk(run, run.error / max(1, run.seen))
        if not np.isfinite(run.error):
            raise ValueError("the loss is no number: the learning rate is too high")
        loss = run.error / max(1, run.seen)
        run.history.append(Epoch(epoch, loss, model.loss(validation), run.seconds))
        run.chunk, run.error, run.seen, run.seconds = 0, 0.0, 0, 0.0
        on_epoch(run)


def _learn(run: Run, examples: Examples, before: float, length: float) -> float:
    """Learn all examples in batches of about the same size; the sum of the errors.

    `before` counts the epochs that are done, `length` is what these examples are of one.
    """
    settings, total = run.settings, 0.0
    batches = max(1, round(len(examples) / settings.batch))
    cuts = even_cuts(len(examples), batches, NEIGHBOURS)
    for number, (first, end) in enumerate(pairwise(cuts)):
        progress = (before + length * number / batches) / settings.epochs
        rate = settings.rate_at(progress)
        total += run.model.learn(examples, slice(first, end), rate, settings.decay, settings.shared)
    return total
