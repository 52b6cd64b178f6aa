"""The independent loss: engine games with deep scores and results, never learned from.

From a file of labelled positions it holds out one block in twenty, each of a thousand neighbours.
The target is 0.7 sigmoid(k cp) + 0.3 result, where each engine's scores have a k of their own.
Losses on the same file can be compared whatever a network was trained on.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.optimize import minimize_scalar

from engine.eval.classical.setup import new_weights
from tuning.data.dataset import NO_RESULT, NO_SCORE, Records
from tuning.data.packed import POSITION
from tuning.data.stream import open_positions
from tuning.fitting.model import Array
from tuning.fitting.targets import WEIGHTED_SUM_CP
from tuning.fitting.trace import extract
from tuning.network.examples import Examples, keys_of, scales_of, targets_of
from tuning.network.model import Model, loss_of

NEIGHBOURS = 1000
HELD_OUT = 20  # one block in so many
RESULTS_SHARE = 0.3
USUAL_K = 1 / WEIGHTED_SUM_CP  # of sources with too few results


class Judge:
    """The held-out positions of a file, with their targets."""

    def __init__(self, path: Path):
        """Raises OSError and ValueError if it is not a file of positions, or too small."""
        file = open_positions(path)
        blocks = np.arange(len(file)) // NEIGHBOURS
        if len(blocks) < HELD_OUT * NEIGHBOURS:
            raise ValueError(f"{path}: {len(blocks)} positions are too few to judge by")
        order = np.random.default_rng(0).permutation(int(blocks[-1]) + 1)
        chosen = np.isin(blocks, order[: len(order) // HELD_OUT])
        records = np.asarray(file.records[chosen])
        scales = scales_of([file], USUAL_K)
        k = np.array([scales[name] for name in file.sources])[records["source"]]
        targets = targets_of(records, k, RESULTS_SHARE)
        both = (records["score"] != NO_SCORE) & (records["result"] != NO_RESULT)
        if not both.all():
            raise ValueError(f"{path}: a set to judge by has scores and results everywhere")
        self.keys = keys_of(records)
        self.records: Records = records
        rows = np.ascontiguousarray(records).view(np.int64).reshape(-1, 4)
        self.examples = Examples(rows, targets)

    def loss(self, model: Model) -> float:
        return model.loss(self.examples)

    def weighted_sum_loss(self) -> float:
        """Of the weighted sum, at the scale that suits it best."""
        static = extract(self.records.view(POSITION), new_weights()).rows["score"]
        mover: Array = static * (1.0 - 2.0 * self.records["side"])
        targets = self.examples.targets
        found = minimize_scalar(
            lambda log_k: loss_of(np.exp(log_k) * mover, targets),
            bounds=(-7.0, -3.0),
            method="bounded",
        )
        return float(found.fun)
