"""Optimisers: Adam and L-BFGS, with early stop."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

from tuning.fitting.model import Array
from tuning.fitting.objective import Objective
from tuning.fitting.state import Epoch, State

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8  # of Adam, as Kingma and Ba give them


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
    """LBFGS_ROUND iterations on all positions at once, counted as one epoch."""
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
