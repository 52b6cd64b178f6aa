"""The squared errors of networks on labelled positions, by what kind of position it is.

A loss on all positions hides what decides games. `sample` writes down positions near the window of
a search, where an error changes the move; there errors are largest with 22 to 28 men and at scores
around a pawn. What neighbours in a file share, mostly positions of one search, costs that search
nothing: it compares them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tuning.data.dataset import NO_SCORE, PositionsFile, Records
from tuning.fitting.model import Array
from tuning.network.examples import scales_of, targets_of
from tuning.network.gradients import NEIGHBOURS
from tuning.network.labels import TEACHER_K
from tuning.network.model import Model, expected

MEN = ((2, 7), (8, 15), (16, 21), (22, 28), (29, 32))
NEAR_A_PAWN = 50, 150  # centipawns, of either side


def errors_of(models: Sequence[Model], file: PositionsFile) -> list[tuple[str, int, list[float]]]:
    """Rows of (kind of position, how many there are, mean squared error of each model).

    ValueError if no position has a label.
    """
    records = np.asarray(file.records)
    scales = scales_of([file], TEACHER_K)
    k = np.array([scales[name] for name in file.sources] or [1.0])
    targets = targets_of(records, k[np.minimum(records["source"], len(k) - 1)], 0.0)
    known = ~np.isnan(targets)
    if not known.any():
        raise ValueError(f"{file.path}: no position has a label")
    records, targets = records[known], targets[known]
    rows = np.ascontiguousarray(records).view(np.int64).reshape(-1, 4)
    errors = [expected(model.logits(rows)) - targets for model in models]
    found = [
        (kind, int(chosen.sum()), [float(np.mean(error[chosen] ** 2)) for error in errors])
        for kind, chosen in _kinds(records)
        if chosen.any()
    ]
    own = [_own(error, records) for error in errors]
    if len(own[0]):
        kind = f"among {NEIGHBOURS} neighbours"
        found.append((kind, len(own[0]), [float(np.mean(error**2)) for error in own]))
    return found


def _kinds(records: Records) -> list[tuple[str, Array]]:
    """Names and masks."""
    occupied = np.ascontiguousarray(records["occupied"]).view(np.uint8).reshape(-1, 8)
    men = np.unpackbits(occupied, axis=1).sum(axis=1)
    scores = np.abs(records["score"].astype(np.int64))
    low, high = NEAR_A_PAWN
    near = (records["score"] != NO_SCORE) & (scores >= low) & (scores <= high)
    by_men = [(f"{least} to {most} men", (men >= least) & (men <= most)) for least, most in MEN]
    return [
        ("all", np.ones(len(records), np.bool_)),
        *by_men,
        (f"scores of {low} to {high}", near),
    ]


def _own(error: Array, records: Records) -> Array:
    """The part of the errors, as White sees them, that neighbours do not share."""
    white = np.where(records["side"] == 1, -error, error)
    groups = white[: len(white) - len(white) % NEIGHBOURS].reshape(-1, NEIGHBOURS)
    return np.asarray((groups - groups.mean(axis=1, keepdims=True)).ravel())
