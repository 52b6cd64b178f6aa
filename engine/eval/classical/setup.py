"""Plain Python: puts the numbers of weights.py where the kernels read them."""

from __future__ import annotations

import numpy as np

from engine.board.constants import BLACK, WHITE
from engine.board.position import AttackTables
from engine.eval.classical import weights as numbers
from engine.eval.classical.features import (
    ENEMY_KING_SQUARE,
    FEATURES,
    MATERIAL,
    PIECE_SQUARE,
    WEIGHT_COUNT,
)
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


def fill_piece_squares(tables: AttackTables, weights: Weights) -> None:
    """Fill in material and piece squares, which `engine.board.piece_square_sum` adds up."""
    square = np.arange(64)
    own = weights.values[PIECE_SQUARE : PIECE_SQUARE + 6 * 64].reshape(6, 64)
    enemy = weights.values[ENEMY_KING_SQUARE : ENEMY_KING_SQUARE + 6 * 64].reshape(6, 64)
    material = weights.values[MATERIAL : MATERIAL + 6, np.newaxis]
    for kings in range(4):
        white, black = (0 if kings & 1 else 7), (0 if kings & 2 else 7)  # 7 mirrors a file
        value = material + own[:, square ^ white] + enemy[:, square ^ black]
        tables.piece_square[kings, WHITE] = value
        value = material + own[:, square ^ black ^ 56] + enemy[:, square ^ white ^ 56]
        tables.piece_square[kings, BLACK] = -value


def new_masks() -> PawnMasks:
    masks = PawnMasks()
    fill_masks(masks)
    return masks


def connect_classical(evaluator: Classical, weights: Weights, masks: PawnMasks) -> None:
    """A zeroed pawn cache is valid: key 0 means no pawns, which score 0."""
    evaluator.weights = weights
    evaluator.masks = masks
