"""The contents of a report on a fit, computed while its data are in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from tuning.data.dataset import NO_SCORE, RECORD
from tuning.fitting.model import Array
from tuning.fitting.optimiser import Objective
from tuning.fitting.state import State
from tuning.fitting.targets import expected

WORST = 10
PHASES = ((0, 6), (7, 12), (13, 18), (19, 24))
BINS = 20


def findings(
    state: State, objective: Objective, records: Any, training: int, scales: dict[str, float]
) -> dict[str, Array]:
    """Everything that `report` needs of the data, by name: see tuning/report.py."""
    model = objective.model
    # As they will be shipped: in whole centipawns.
    scores = model.scores(state.values.astype(np.float64))
    predicted = expected(state.k * scores)
    wanted = objective.wanted
    validation = slice(training, len(model))
    error = np.abs(predicted - wanted)
    worst = validation.start + np.argsort(-error[validation], kind="stable")[:WORST]
    phases = model.rows["phase"][validation]
    return {
        "calibration": calibration_table(phases, predicted[validation], wanted[validation]),
        "positions": np.array(len(model)),
        "worst": np.ascontiguousarray(records[worst]).astype(RECORD).view(np.uint8),
        "worst_scores": scores[worst],
        "worst_wanted": wanted[worst],
        "scale_names": np.array(list(scales)),
        "scale_values": np.array(list(scales.values())),
        "with_score": np.array(int((records["score"] != NO_SCORE).sum())),
    }


def calibration_table(phases: Array, predicted: Array, wanted: Array) -> Array:
    """[phase, bin, (count, mean prediction, mean of what came)]"""
    table = np.full((len(PHASES), BINS, 3), np.nan)
    bins = np.minimum((predicted * BINS).astype(int), BINS - 1)
    for row, (low, high) in enumerate(PHASES):
        for column in range(BINS):
            chosen = (phases >= low) & (phases <= high) & (bins == column)
            count = np.count_nonzero(chosen)
            table[row, column, 0] = count
            if count:
                table[row, column, 1:] = predicted[chosen].mean(), wanted[chosen].mean()
    return table
