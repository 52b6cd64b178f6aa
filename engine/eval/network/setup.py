"""Plain Python: copies a network into the memory that kernels read."""

from __future__ import annotations

from pathlib import Path

from engine.eval.choice import SHIPPED_NETWORK
from engine.eval.network.file import Network
from engine.eval.network.memory import Layers, NetworkEvaluator
from engine.eval.network.shape import NEURONS

SHIPPED_PATH = Path(__file__).with_name(SHIPPED_NETWORK)


def fill_layers(layers: Layers, network: Network) -> None:
    """Copy the weights of a network that `check_network` accepts."""
    layers.first_weights[...] = network.first_weights
    layers.first_bias[...] = network.first_bias
    for weights, neurons, direct in zip(
        layers.product_weights, network.neuron_weights, network.direct_weights, strict=True
    ):
        weights.rows[:NEURONS], weights.rows[NEURONS] = neurons, direct
    layers.neuron_bias[...] = network.neuron_bias
    layers.deep_weights[...] = network.deep_weights.transpose(0, 2, 1)
    layers.deep_bias[...] = network.deep_bias
    layers.output_weights[...] = network.output_weights
    layers.output_bias[...] = network.output_bias
    layers.centipawns = network.centipawns


def clear_accumulators(evaluator: NetworkEvaluator) -> None:
    """Key 0 belongs to no position."""
    evaluator.accumulators.memory[:] = 0
    evaluator.remembered.memory[:] = 0
