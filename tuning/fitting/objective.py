"""The loss of weights, and its gradient.

The loss is the mean squared error of sigmoid(K * score), the predicted result, against the target:
a mix of the result and sigmoid(k * labelled score), where each source of labels has its own k.
Mirrored positions would add nothing: the evaluation is antisymmetric, so their loss is the same.
"""

from __future__ import annotations

import numpy as np

from engine.eval.classical.features import WEIGHT_COUNT
from tuning.fitting.model import PART, Array, Model
from tuning.fitting.state import FitSettings
from tuning.fitting.targets import expected


class Objective:
    """The loss of weights on a model's positions from `first` to before `end`."""

    def __init__(
        self,
        model: Model,
        wanted: Array,
        k: float,
        settings: FitSettings,
        initial: Array,
    ):
        if not np.isfinite(wanted).all():
            bad = int(np.flatnonzero(~np.isfinite(wanted))[0])
            raise ValueError(f"{model.fen(bad)}: the target of this position is not a number")
        self.model, self.wanted, self.k = model, wanted, k
        self.settings, self.initial = settings, initial

    def loss(self, first: int, end: int, weights: Array) -> float:
        """Without the penalty."""
        total = 0.0
        for low in range(first, end, PART):
            high = min(low + PART, end)
            predicted = expected(self.k * self.model.forward(low, high, weights).scores)
            total += float(np.sum((predicted - self.wanted[low:high]) ** 2))
        return total / max(1, end - first)

    def with_gradient(self, first: int, end: int, weights: Array) -> tuple[float, Array]:
        """The mean over these positions plus the L2 penalty, and its gradient."""
        total, gradient = 0.0, np.zeros((WEIGHT_COUNT, 2))
        for low in range(first, end, PART):
            high = min(low + PART, end)
            run = self.model.forward(low, high, weights)
            predicted = expected(self.k * run.scores)
            error = predicted - self.wanted[low:high]
            total += float(np.sum(error**2))
            by_score = 2 * self.k * error * predicted * (1 - predicted)
            gradient += self.model.gradient(run, by_score)
        count = end - first
        away = weights - self.initial
        penalty = self.settings.l2 * float(np.sum(away**2))
        return total / count + penalty, gradient / count + 2 * self.settings.l2 * away
