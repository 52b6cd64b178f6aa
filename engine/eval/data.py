"""Plain Python: what the evaluators of all threads share."""

from __future__ import annotations

from pathlib import Path

from engine.board.position import AttackTables
from engine.eval.choice import CLASSICAL, DEFAULT_EVALUATION, NETWORK
from engine.eval.classical.loading import connect_classical, new_masks, new_weights
from engine.eval.classical.memory import PawnMasks, Weights
from engine.eval.evaluate import Evaluator
from engine.eval.kpk import KpkBitbase, new_bitbase
from engine.eval.network.file import read_network
from engine.eval.network.loading import SHIPPED_PATH, fill_layers
from engine.eval.network.memory import Layers


class EvaluationData:
    """Filled once, then only read by the evaluators that are connected to it."""

    def __init__(self, tables: AttackTables):
        self.kpk: KpkBitbase = new_bitbase(tables)
        self.weights: Weights = new_weights()
        self.masks: PawnMasks = new_masks()
        self.layers = Layers()
        self.has_network = False
        self.problem = ""  # why the weighted sum replaces the default evaluation
        try:
            self.choose(DEFAULT_EVALUATION)
        except ValueError as reason:
            self.problem = str(reason)

    @property
    def chosen(self) -> str:
        """NETWORK or CLASSICAL: the evaluation in use."""
        return NETWORK if self.layers.in_use else CLASSICAL

    def choose(self, evaluation: str) -> None:
        """NETWORK or CLASSICAL. Raises ValueError, and changes nothing, if no network loads."""
        if evaluation == NETWORK and not self.has_network:
            self.load_network(SHIPPED_PATH)
        self.layers.in_use = int(evaluation == NETWORK)

    def load_network(self, path: Path) -> None:
        """Another network. Raises ValueError with the reason, and then keeps the old one.

        Accumulators must be cleared: they hold sums of the old one.
        """
        fill_layers(self.layers, read_network(path))
        self.has_network = True

    def connect(self, evaluator: Evaluator) -> None:
        evaluator.kpk = self.kpk
        evaluator.network.layers = self.layers
        connect_classical(evaluator.classical, self.weights, self.masks)
