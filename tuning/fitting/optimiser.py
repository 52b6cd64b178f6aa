"""L-BFGS, with early stop."""

from __future__ import annotations

from collections.abc import Callable

from tuning.fitting.model import Array
from tuning.fitting.objective import Objective
from tuning.fitting.state import Epoch, State

ITERATIONS = 10  # of L-BFGS on all positions: an epoch, after which a fit can resume
LARGEST_WEIGHT = 3000.0  # centipawns


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
