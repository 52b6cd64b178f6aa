"""A fit: its settings, its state, and the file that keeps it."""

from __future__ import annotations

import hashlib
import json
import zlib
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from engine.command_line import UsageError
from engine.eval.classical.features import FEATURES, WEIGHT_COUNT
from engine.files import written_whole
from tuning.data.dataset import Dataset
from tuning.files import load_arrays
from tuning.fitting.model import Array


@dataclass(frozen=True)
class FitSettings:
    """Everything that determines a fit, besides its data."""

    epochs: int = 40  # of ITERATIONS of the optimiser each
    k: float = 0.0  # per centipawn; 0: fitted to the first weights
    score_share: float = 0.5  # of the labelled score in the target; the rest is the result's
    l2: float = 1e-9  # times the squared distance from the first weights, in centipawns
    validation: float = 0.1  # share of the games
    patience: int = 6  # epochs without a better validation loss before the end
    seed: int = 1

    def __post_init__(self) -> None:
        if self.epochs < 1 or self.patience < 1:
            raise UsageError("epochs and patience must be more than 0")
        if not 0 <= self.k < 1:
            raise UsageError("K is between 0 and 1 per centipawn")
        if not (0 <= self.score_share <= 1 and 0 < self.validation < 1 and self.l2 >= 0):
            raise UsageError("shares are between 0 and 1, and l2 is not negative")


@dataclass
class Epoch:
    number: int
    training: float
    validation: float


@dataclass
class State:
    """A fit, running or finished."""

    settings: FitSettings
    initial: Array  # float64[WEIGHT_COUNT, 2]
    weights: Array
    best: Array  # with the lowest validation loss
    k: float = 0.0
    history: list[Epoch] = field(default_factory=list)
    finished: bool = False
    data_hash: str = ""

    @property
    def values(self) -> Array:
        """The best weights in whole centipawns."""
        return np.rint(self.best).astype(np.int64)

    @property
    def run_hash(self) -> str:
        """Identifies the run: settings, data, first and best weights."""
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
                **more,  # type: ignore[arg-type]  # NumPy's stub mixes them with its own options
            )


def load_state(path: Path) -> tuple[State, dict[str, Array]]:
    """A fit, and the findings saved with it.

    Raises OSError, and ValueError for another kind of file or a fit of other features.
    """
    try:
        arrays = load_arrays(path)
        notes = json.loads(str(arrays.pop("notes")))
        # Version 1.0.0 had more settings, of an optimiser of its own.
        settings = {f.name: notes["settings"][f.name] for f in fields(FitSettings)}
        state = State(
            FitSettings(**settings),
            arrays.pop("initial"),
            arrays.pop("weights"),
            arrays.pop("best"),
            notes["k"],
            [Epoch(**epoch) for epoch in notes["history"]],
            notes["finished"],
            notes["data_hash"],
        )
    except (ValueError, KeyError, TypeError, EOFError, BadZipFile, zlib.error) as reason:
        raise ValueError(f"{path}: not a fit, or a damaged one: {reason}") from reason
    if notes["features"] != feature_hash() or state.best.shape != (WEIGHT_COUNT, 2):
        raise ValueError(f"{path}: a fit of other features than those of the evaluation")
    return state, arrays


def feature_hash() -> str:
    """Changes when the list of features does."""
    text = json.dumps([(f.name, f.shape) for f in FEATURES.values()])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def data_hash(dataset: Dataset) -> str:
    return hashlib.sha256(np.ascontiguousarray(dataset.records).tobytes()).hexdigest()[:16]


def weights_without_knowledge() -> Array:
    """The usual piece values and little else: a start that shows what fitting alone can find.

    Returns float64[WEIGHT_COUNT, 2], in centipawns.
    """
    weights = np.zeros((WEIGHT_COUNT, 2))
    weights[FEATURES["material"].indices] = [[60], [180], [180], [300], [540], [0]]
    weights[FEATURES["king_attackers"].indices] = 50  # the attack's square has no slope at 0
    return weights
