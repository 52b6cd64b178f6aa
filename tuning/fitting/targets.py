"""What the evaluation should predict: results, labelled scores, or a mix of both."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tuning.data.dataset import NO_RESULT, NO_SCORE, Dataset, Records
from tuning.fitting.model import Array

WEIGHTED_SUM_CP = 129  # centipawns of the weighted sum that are a logit of the expected score
FEW = 2000  # a source with fewer scored results than this gets the scale of all together


def expected(logits: Array) -> Array:
    """The expected score, 0 to 1."""
    return np.asarray(0.5 + 0.5 * np.tanh(0.5 * logits))


def split(dataset: Dataset, share: float, seed: int) -> tuple[Array, Array]:
    """Indices of training and validation positions, in random order; no game is in both."""
    games = dataset.game_numbers()
    count = int(games[-1]) + 1
    random = np.random.default_rng(seed)
    chosen = np.zeros(count, np.bool_)
    chosen[random.permutation(count)[: max(1, round(share * count))]] = True
    validating = chosen[games]
    if validating.all() or not validating.any():
        raise ValueError(f"{count} games are too few to hold some out")
    return (
        random.permutation(np.flatnonzero(~validating)),
        random.permutation(np.flatnonzero(validating)),
    )


def source_scales(dataset: Dataset) -> dict[str, float]:
    """For each source of labels the k with which sigmoid(k * score) predicts results best."""
    records = dataset.records
    both = (records["score"] != NO_SCORE) & (records["result"] != NO_RESULT)

    def scale(chosen: Array) -> float:
        scores = records["score"][chosen].astype(np.float64)
        return fitted_k(scores, records["result"][chosen] / 2)

    together = scale(both) if both.any() else 1 / 170  # a usual value, where nothing can be fitted
    scales = {}
    for number, name in enumerate(dataset.sources):
        chosen = both & (records["source"] == number)
        scales[name] = scale(chosen) if np.count_nonzero(chosen) >= FEW else together
    return scales


def k_of_each(scales: dict[str, float], sources: Sequence[str], records: Records) -> Array:
    """The k of each position's source."""
    k = np.array([scales[name] for name in sources] or [1.0])
    return np.asarray(k[np.minimum(records["source"], len(k) - 1)])


def targets(records: Records, k: Array, score_share: float) -> Array:
    """The expected result of each position, 0 to 1, White's view; NaN without a label.

    Args:
        records: dtype RECORD.
        k: of each position's source.
        score_share: of the score in the target, where there is a result, too.
    """
    scored = expected(k * records["score"])
    played = records["result"] / 2
    no_score, no_result = records["score"] == NO_SCORE, records["result"] == NO_RESULT
    mixed = score_share * scored + (1 - score_share) * played
    mixed = np.where(no_score, played, np.where(no_result, scored, mixed))
    return np.asarray(np.where(no_score & no_result, np.nan, mixed))


def fitted_k(scores: Array, results: Array) -> float:
    """The K per centipawn that predicts results best."""
    if not len(scores):
        raise ValueError("no positions to fit the scale on")

    from scipy.optimize import minimize_scalar  # here, so that help needs no SciPy

    def loss(log_k: float) -> float:
        return float(np.mean((expected(np.exp(log_k) * scores) - results) ** 2))

    return float(np.exp(minimize_scalar(loss, bounds=(-9.0, -2.0), method="bounded").x))
