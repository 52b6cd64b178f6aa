"""The loss of weights with its gradient, and L-BFGS with early stop.

The loss is the mean squared error of sigmoid(K * score), the predicted result, against the target:
a mix of the result and sigmoid(k * labelled score), where each source of labels has its own k.
Mirrored positions would add nothing: the evaluation is antisymmetric, so their loss is the same.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.eval.classical.features import WEIGHT_COUNT
from tuning.fitting.model import PART, Array, Model
from tuning.fitting.state import Epoch, FitSettings, State
from tuning.fitting.targets import expected

ITERATIONS = 10  # of L-BFGS on all positions: an epoch, after which a fit can resume
LARGEST_WEIGHT = 3000.0  # centipawns


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


def fit(
    state: State,
    objective: Objective,
    training: int,
    on_epoch: Callable[[State], None],
) -> None:
    """Train on the first `training` positions of the model until epochs or patience run out.

    `on_epoch` is called after each epoch and can save the state; a fit that resumes from there ends
    like one that was not interrupted.
    """
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
        loss = _epoch(state, objective, training)
        validation = objective.loss(training, count, state.weights)
        if validation < min(epoch.validation for epoch in state.history):
            state.best = state.weights.copy()
        state.history.append(Epoch(number, loss, validation))
        best = min(state.history, key=lambda epoch: epoch.validation)
        if number >= state.settings.epochs or number - best.number >= state.settings.patience:
            state.finished = True
        on_epoch(state)


def _epoch(state: State, objective: Objective, training: int) -> float:
    """ITERATIONS iterations; returns the loss with the penalty."""
    from scipy.optimize import minimize  # here, so that help needs no SciPy

    def with_gradient(vector: Array) -> tuple[float, Array]:
        loss, gradient = objective.with_gradient(0, training, vector.reshape(-1, 2))
        return loss, gradient.ravel()

    found = minimize(
        with_gradient,
        state.weights.ravel(),
        jac=True,
        method="L-BFGS-B",
        bounds=[(-LARGEST_WEIGHT, LARGEST_WEIGHT)] * state.weights.size,
        options={"maxiter": ITERATIONS, "ftol": 1e-12, "gtol": 1e-12},
    )
    state.weights = found.x.reshape(-1, 2)
    return float(found.fun)
