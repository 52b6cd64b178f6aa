"""Plain Python: what the evaluators of all threads share."""

from __future__ import annotations

import numpy as np

from engine.board.position import AttackTables
from engine.eval.classical.memory import PawnMasks, Weights
from engine.eval.classical.setup import (
    connect_classical,
    fill_piece_squares,
    new_masks,
    new_weights,
    pack_weights,
)
from engine.eval.kpk import KpkBitbase, new_bitbase
from engine.eval.memory import Evaluator


class EvaluationData:
    """Filled once, then only read by the evaluators that are connected to it."""

    def __init__(self, tables: AttackTables):
        """`tables` get the piece squares, of which `make` keeps the sum."""
        self._tables = tables
        self.kpk: KpkBitbase = new_bitbase(tables)
        self.weights: Weights = new_weights()
        self.masks: PawnMasks = new_masks()
        fill_piece_squares(tables, self.weights)

    def set_weights(self, values: np.ndarray) -> None:
        """Other weights: int64[WEIGHT_COUNT, 2], in the order of features.py. Positions must be set
        up anew, and pawn caches cleared: they hold sums of the old ones."""
        pack_weights(self.weights, values)
        fill_piece_squares(self._tables, self.weights)

    def connect(self, evaluator: Evaluator) -> None:
        evaluator.kpk = self.kpk
        connect_classical(evaluator.classical, self.weights, self.masks)
