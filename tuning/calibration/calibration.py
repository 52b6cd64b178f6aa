"""How well a fit predicts games that it did not use: for chances and for points of people."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.files import written_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = np.ndarray[Any, Any]
FOLDS = 5


def held_out(sample: Any, fit: Callable[[Any], Any], predict: Callable[[Any, Any], Array]) -> Array:
    """What fits to the other games predict: each fifth of the games is held back once."""
    fold = sample.games % FOLDS
    parts = [
        predict(fit(sample.where(fold != held)), sample.where(fold == held))
        for held in range(FOLDS)
    ]
    together = np.concatenate(parts)
    predicted = np.empty_like(together)
    predicted[np.argsort(fold, kind="stable")] = together
    return predicted


def calibration(predicted: Array, came: Array, weights: Array, bins: int) -> Array:
    """Rows of weight, mean of what was predicted, and of what came, for bins of equal size."""
    order = np.argsort(predicted, kind="stable")
    return np.array([
        (
            weights[part].sum(),
            np.average(predicted[part], weights=weights[part]),
            np.average(came[part], weights=weights[part]),
        )
        for part in np.array_split(order, bins)
        if len(part)
    ])  # fmt: skip


def calibration_error(table: Array) -> float:
    """The mean distance of what was predicted from what came."""
    return float(np.average(np.abs(table[:, 1] - table[:, 2]), weights=table[:, 0]))


def write_picture(figure: Figure, path: Path) -> None:
    """Always the same bytes. Raises OSError."""
    with written_whole(path) as file:
        figure.savefig(file, format="png", dpi=100, metadata={"Software": None})
