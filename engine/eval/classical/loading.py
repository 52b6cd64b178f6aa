"""Plain Python: puts the numbers of weights.py where the kernels read them."""

from __future__ import annotations

import numpy as np

from engine.eval.classical import weights as numbers
from engine.eval.classical.features import FEATURES, WEIGHT_COUNT
from engine.eval.classical.memory import Classical, PawnMasks, Weights
from engine.eval.classical.pawns import fill_masks


def shipped_weights() -> np.ndarray:
    """The numbers of weights.py in the order of features.py: int64[WEIGHT_COUNT, 2]."""
    values = np.zeros((WEIGHT_COUNT, 2), np.int64)
    for feature in FEATURES.values():
        pairs = np.array(getattr(numbers, feature.name.upper()), np.int64)
        if feature.shape[-1:] == (64,):  # boards are written with the eighth rank first
            pairs = pairs[..., ::-1, :, :]
        values[feature.indices] = pairs.reshape(-1, 2)
    return values


def pack_weights(weights: Weights, values: np.ndarray) -> None:
    weights.values[:] = (values[:, 0] << 32) + values[:, 1]


def new_weights() -> Weights:
    weights = Weights()
    pack_weights(weights, shipped_weights())
    return weights


def new_masks() -> PawnMasks:
    masks = PawnMasks()
    fill_masks(masks)
    return masks


def connect_classical(evaluator: Classical, weights: Weights, masks: PawnMasks) -> None:
    """A zeroed pawn cache is valid: key 0 means no pawns, which score 0."""
    evaluator.weights = weights
    evaluator.masks = masks
