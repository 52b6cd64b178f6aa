"""Fitting the weights: targets, loss, Adam, L-BFGS, early stop, checkpoints.

The loss is the mean square of what the evaluation predicts of a game against what came of it:
sigmoid(K * score) against a mix of result and sigmoid(k * labelled score), where each source of
labels has its own k. Mirrored colours would add nothing: the evaluation is antisymmetric, so a
mirrored position has the same loss.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit

from engine.eval.classical.features import FEATURES, WEIGHT_COUNT
from tuning.dataset import NO_RESULT, NO_SCORE, Dataset
from tuning.files import written_whole
from tuning.model import PART, Array, Model

FEW = 2000  # a source with fewer scored results than this gets the scale of all together
BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8  # of Adam, as Kingma and Ba give them
LARGEST_WEIGHT = 3000.0  # centipawns, where no other bound is given


@dataclass(frozen=True)
class FitSettings:
    """What decides a fit, with its data."""

    optimiser: str = "adam"  # or "lbfgs"
    epochs: int = 40  # once through the data, or LBFGS_ROUND iterations of L-BFGS
    batch: int = 16384
    rate: float = 1.0  # of Adam, centipawns
    k: float = 0.0  # per centipawn; 0: fitted with the weights before
    score_share: float = 0.5  # of the labelled score in the target; the rest is the result's
    l2: float = 1e-9  # times the squared distance from the weights before, in centipawns
    validation: float = 0.1  # share of the games
    patience: int = 6  # epochs without a better validation loss before the end
    seed: int = 1
    frozen: tuple[str, ...] = ()  # groups or names of features, with wildcards
    bounds: tuple[tuple[str, float, float], ...] = ()  # name of a feature, least, largest

    def __post_init__(self) -> None:
        if self.optimiser not in ("adam", "lbfgs"):
            raise ValueError(f"{self.optimiser}: the optimisers are adam and lbfgs")
        if self.epochs < 1 or self.batch < 1 or self.patience < 1 or not self.rate > 0:
            raise ValueError("epochs, batch, patience and rate must be more than 0")
        if not 0 <= self.k < 1:
            raise ValueError("K is between 0 and 1 per centipawn")
        if not (0 <= self.score_share <= 1 and 0 < self.validation < 1 and self.l2 >= 0):
            raise ValueError("shares are between 0 and 1, and l2 is not negative")
        for name, least, largest in self.bounds:
            if name not in FEATURES or not least <= largest:
                raise ValueError(f"{name}: no feature of the evaluation, or bounds crossed")


@dataclass
class Epoch:
    number: int
    training: float
    validation: float


@dataclass
class State:
    """A fit under way, or done."""

    settings: FitSettings
    initial: Array  # float64[WEIGHT_COUNT, 2]
    weights: Array
    best: Array  # with the lowest validation loss
    k: float = 0.0
    history: list[Epoch] = field(default_factory=list)
    moments: Array = field(default_factory=lambda: np.zeros((2, WEIGHT_COUNT, 2)))
    steps: int = 0
    finished: bool = False
    data_hash: str = ""

    @property
    def values(self) -> Array:
        """The best weights in whole centipawns."""
        return np.rint(self.best).astype(np.int64)

    @property
    def run_hash(self) -> str:
        """Names the run: settings, data, start and result."""
        digest = hashlib.sha256(json.dumps(asdict(self.settings), sort_keys=True).encode())
        digest.update(self.data_hash.encode())
        digest.update(np.rint(self.initial).astype("<i8").tobytes())
        digest.update(self.values.astype("<i8").tobytes())
        return digest.hexdigest()[:16]

    def save(self, path: Path, **more: Array) -> None:
        notes = {
            "settings": asdict(self.settings),
            "features": feature_hash(),
            "k": self.k,
            "history": [asdict(epoch) for epoch in self.history],
            "steps": self.steps,
            "finished": self.finished,
            "data_hash": self.data_hash,
        }
        with written_whole(path) as file:
            np.savez_compressed(
                file,
                notes=np.array(json.dumps(notes)),
                initial=self.initial,
                weights=self.weights,
                best=self.best,
                moments=self.moments,
                **more,  # type: ignore[arg-type]  # NumPy's stub mixes them with its own options
            )


def load_state(path: Path) -> tuple[State, dict[str, Array]]:
    """A fit, and what else was saved with it.

    Raises OSError, and ValueError for a file that is none or fits other features.
    """
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        notes = json.loads(str(arrays.pop("notes")))
        settings = dict(notes["settings"])
        settings["frozen"] = tuple(settings["frozen"])
        settings["bounds"] = tuple((n, a, b) for n, a, b in settings["bounds"])
        state = State(
            FitSettings(**settings),
            arrays.pop("initial"),
            arrays.pop("weights"),
            arrays.pop("best"),
            notes["k"],
            [Epoch(**epoch) for epoch in notes["history"]],
            arrays.pop("moments"),
            notes["steps"],
            notes["finished"],
            notes["data_hash"],
        )
    except (ValueError, KeyError, TypeError, EOFError, BadZipFile, zlib.error) as reason:
        raise ValueError(f"{path}: not a fit, or a damaged one: {reason}") from reason
    if notes["features"] != feature_hash() or state.best.shape != (WEIGHT_COUNT, 2):
        raise ValueError(f"{path}: was fitted for other features than the evaluation has now")
    return state, arrays


def feature_hash() -> str:
    """Changes when the list of features does."""
    text = json.dumps([(f.name, f.shape) for f in FEATURES.values()])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def data_hash(dataset: Dataset) -> str:
    return hashlib.sha256(np.ascontiguousarray(dataset.records).tobytes()).hexdigest()[:16]


# --- Data ----------------------------------------------------------------------------------------


def split(dataset: Dataset, share: float, seed: int) -> tuple[Array, Array]:
    """Places of training and validation positions, both in random order, split between games."""
    games = dataset.game_numbers()
    count = int(games[-1]) + 1
    random = np.random.default_rng(seed)
    chosen = np.zeros(count, np.bool_)
    chosen[random.permutation(count)[: max(1, round(share * count))]] = True
    validating = chosen[games]
    if validating.all() or not validating.any():
        raise ValueError(f"{count} games are too few to hold some of them back")
    return (
        random.permutation(np.flatnonzero(~validating)),
        random.permutation(np.flatnonzero(validating)),
    )


def source_scales(dataset: Dataset) -> dict[str, float]:
    """For each source of labels the k with which sigmoid(k * score) predicts results best."""
    records = dataset.records
    both = (records["score"] != NO_SCORE) & (records["result"] != NO_RESULT)

    def scale(chosen: Array) -> float:
        scores = records["score"][chosen].astype(np.float64)
        return fitted_k(scores, records["result"][chosen] / 2)

    together = scale(both) if both.any() else 1 / 170  # a usual value, if nothing tells
    scales = {}
    for number, name in enumerate(dataset.sources):
        chosen = both & (records["source"] == number)
        scales[name] = scale(chosen) if np.count_nonzero(chosen) >= FEW else together
    return scales


def targets(dataset: Dataset, scales: dict[str, float], score_share: float) -> Array:
    """What came of each position, 0 to 1, White's view; NaN where there is neither label."""
    records = dataset.records
    k = np.array([scales[name] for name in dataset.sources] or [1.0])[records["source"]]
    scored = expit(k * records["score"])
    played = records["result"] / 2
    no_score, no_result = records["score"] == NO_SCORE, records["result"] == NO_RESULT
    mixed = score_share * scored + (1 - score_share) * played
    mixed = np.where(no_score, played, np.where(no_result, scored, mixed))
    return np.asarray(np.where(no_score & no_result, np.nan, mixed))


def fitted_k(scores: Array, results: Array) -> float:
    """The K per centipawn that predicts results best."""
    if not len(scores):
        raise ValueError("there is nothing to fit the scale on")

    def loss(log_k: float) -> float:
        return float(np.mean((expit(np.exp(log_k) * scores) - results) ** 2))

    return float(np.exp(minimize_scalar(loss, bounds=(-9.0, -2.0), method="bounded").x))


# --- Loss ----------------------------------------------------------------------------------------


class Objective:
    """The loss of weights on a model's positions from `first` to before `end`."""

    def __init__(
        self, model: Model, wanted: Array, k: float, settings: FitSettings, initial: Array
    ):
        if not np.isfinite(wanted).all():
            bad = int(np.flatnonzero(~np.isfinite(wanted))[0])
            raise ValueError(f"{model.fen(bad)}: the target of this position is not a number")
        self.model, self.wanted, self.k = model, wanted, k
        self.settings, self.initial = settings, initial
        self.free = free_weights(settings)
        self.low, self.high = bounds_of(settings)

    def loss(self, first: int, end: int, weights: Array) -> float:
        """Without the penalty."""
        total = 0.0
        for low in range(first, end, PART):
            high = min(low + PART, end)
            predicted = expit(self.k * self.model.forward(low, high, weights).scores)
            total += float(np.sum((predicted - self.wanted[low:high]) ** 2))
        return total / max(1, end - first)

    def with_gradient(self, first: int, end: int, weights: Array) -> tuple[float, Array]:
        """The mean over these positions, and the penalty for leaving the first weights."""
        total, gradient = 0.0, np.zeros((WEIGHT_COUNT, 2))
        for low in range(first, end, PART):
            high = min(low + PART, end)
            run = self.model.forward(low, high, weights)
            predicted = expit(self.k * run.scores)
            error = predicted - self.wanted[low:high]
            total += float(np.sum(error**2))
            by_score = 2 * self.k * error * predicted * (1 - predicted)
            gradient += self.model.gradient(run, by_score)
        count = end - first
        away = weights - self.initial
        penalty = self.settings.l2 * float(np.sum(away[self.free] ** 2))
        gradient = gradient / count + 2 * self.settings.l2 * away
        gradient[~self.free] = 0
        return total / count + penalty, gradient


def free_weights(settings: FitSettings) -> Array:
    """bool[WEIGHT_COUNT, 2]. ValueError if a pattern names nothing."""
    free = np.ones((WEIGHT_COUNT, 2), np.bool_)
    for pattern in settings.frozen:
        matching = [
            f for f in FEATURES.values()
            if fnmatchcase(f.name, pattern) or fnmatchcase(f.group.lower(), pattern.lower())
        ]  # fmt: skip
        if not matching:
            raise ValueError(f"{pattern}: there is no such group or feature to freeze")
        for feature in matching:
            free[feature.indices] = False
    return free


def bounds_of(settings: FitSettings) -> tuple[Array, Array]:
    low = np.full((WEIGHT_COUNT, 2), -LARGEST_WEIGHT)
    high = np.full((WEIGHT_COUNT, 2), LARGEST_WEIGHT)
    for name, least, largest in settings.bounds:
        low[FEATURES[name].indices], high[FEATURES[name].indices] = least, largest
    return low, high


# --- Optimisers ----------------------------------------------------------------------------------


def fit(
    state: State,
    objective: Objective,
    training: int,
    on_epoch: Callable[[State], None],
) -> None:
    """Train on the first `training` positions of the model until epochs or patience run out.

    Each epoch is followed by `on_epoch`, where the state can be saved; a fit that goes on from
    there ends like one that was not interrupted.
    """
    step = _adam_epoch if state.settings.optimiser == "adam" else _lbfgs_iterations
    count = len(objective.model)
    if not state.history:
        state.history.append(
            Epoch(
                0,
                objective.loss(0, training, state.weights),
                objective.loss(training, count, state.weights),
            )
        )
    while not state.finished:
        number = state.history[-1].number + 1
        loss = step(state, objective, training, number)
        validation = objective.loss(training, count, state.weights)
        if validation < min(epoch.validation for epoch in state.history):
            state.best = state.weights.copy()
        state.history.append(Epoch(number, loss, validation))
        best = min(state.history, key=lambda epoch: epoch.validation)
        if number >= state.settings.epochs or number - best.number >= state.settings.patience:
            state.finished = True
        on_epoch(state)


def _adam_epoch(state: State, objective: Objective, training: int, number: int) -> float:
    """All batches once, in random order. Kingma and Ba, "Adam" (2015)."""
    settings = state.settings
    starts = np.arange(0, training, settings.batch)
    # The rate falls to a hundredth over the run, as a cosine.
    progress = min(1.0, number / settings.epochs)
    rate = settings.rate * (0.01 + 0.99 * (1 + np.cos(np.pi * progress)) / 2)
    total = 0.0
    for first in np.random.default_rng((settings.seed, number)).permutation(starts):
        end = min(int(first) + settings.batch, training)
        loss, gradient = objective.with_gradient(int(first), end, state.weights)
        total += loss * (end - int(first))
        state.steps += 1
        mean, square = state.moments
        mean += (1 - BETA1) * (gradient - mean)
        square += (1 - BETA2) * (gradient**2 - square)
        corrected = mean / (1 - BETA1**state.steps)
        spread = np.sqrt(square / (1 - BETA2**state.steps))
        moved = state.weights - rate * corrected / (spread + EPSILON)
        free = objective.free
        state.weights[free] = np.clip(moved, objective.low, objective.high)[free]
    return total / training


LBFGS_ROUND = 10  # iterations between checkpoints


def _lbfgs_iterations(state: State, objective: Objective, training: int, number: int) -> float:
    """Some iterations on all positions at once; counted as one epoch."""
    free = objective.free

    def with_gradient(vector: Array) -> tuple[float, Array]:
        weights = state.weights.copy()
        weights[free] = vector
        loss, gradient = objective.with_gradient(0, training, weights)
        return loss, gradient[free]

    found = minimize(
        with_gradient,
        state.weights[free],
        jac=True,
        method="L-BFGS-B",
        bounds=np.stack([objective.low[free], objective.high[free]], axis=1),
        options={"maxiter": LBFGS_ROUND, "ftol": 1e-12, "gtol": 1e-12},
    )
    state.weights[free] = found.x
    return float(found.fun)
