"""Plain Python: copies a network into the memory that kernels read."""

from __future__ import annotations

from pathlib import Path

from engine.eval.choice import SHIPPED_NETWORK
from engine.eval.network.file import Array, Network
from engine.eval.network.memory import Layers, NetworkEvaluator

SHIPPED_PATH = Path(__file__).with_name(SHIPPED_NETWORK)


def fill_layers(layers: Layers, network: Network) -> None:
    """Copy the weights of a network that `check_network` accepts."""
    layers.first_weights[...] = network.first_weights
    layers.first_bias[...] = network.first_bias
    layers.attacked_weights[...] = network.attacked_weights
    for number, bucket in enumerate(layers.buckets):
        bucket.product_weights[...] = _in_groups(network.neuron_weights[number], 4)
        bucket.neuron_bias[...] = network.neuron_bias[number]
        bucket.deep_weights[...] = _in_groups(network.deep_weights[number], 2)
        bucket.deep_bias[...] = network.deep_bias[number]
        bucket.direct_weights[...] = network.direct_weights[number]
        bucket.output_weights[...] = network.output_weights[number]
        bucket.output_bias = int(network.output_bias[number])
    layers.centipawns = network.centipawns


def _in_groups(weights: Array, group: int) -> Array:
    """From [rows, columns] to [groups, rows, group], as `affine_transform` takes them."""
    return weights.reshape(len(weights), -1, group).transpose(1, 0, 2)


def clear_accumulators(evaluator: NetworkEvaluator) -> None:
    """Key 0 belongs to no position."""
    evaluator.accumulators.memory[:] = 0
    evaluator.remembered.memory[:] = 0
