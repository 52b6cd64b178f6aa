"""The loss of weights, its gradient, and which weights a fit may change.

The loss is the mean squared error of sigmoid(K * score), the predicted result, against the target:
a mix of the result and sigmoid(k * labelled score), where each source of labels has its own k.
Mirrored positions would add nothing: the evaluation is antisymmetric, so their loss is the same.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

import numpy as np
from scipy.special import expit

from engine.eval.classical.features import FEATURES, WEIGHT_COUNT
from tuning.fitting.model import PART, Array, Model
from tuning.fitting.state import FitSettings

LARGEST_WEIGHT = 3000.0  # centipawns, where no other bound is given


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
        """The mean over these positions plus the L2 penalty, and its gradient."""
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
    """bool[WEIGHT_COUNT, 2]. ValueError if a pattern matches nothing."""
    free = np.ones((WEIGHT_COUNT, 2), np.bool_)
    for pattern in settings.frozen:
        matching = [
            f for f in FEATURES.values()
            if fnmatchcase(f.name, pattern) or fnmatchcase(f.group.lower(), pattern.lower())
        ]  # fmt: skip
        if not matching:
            raise ValueError(f"{pattern}: no such group or feature to freeze")
        for feature in matching:
            free[feature.indices] = False
    return free


def bounds_of(settings: FitSettings) -> tuple[Array, Array]:
    low = np.full((WEIGHT_COUNT, 2), -LARGEST_WEIGHT)
    high = np.full((WEIGHT_COUNT, 2), LARGEST_WEIGHT)
    for name, least, largest in settings.bounds:
        low[FEATURES[name].indices], high[FEATURES[name].indices] = least, largest
    return low, high
