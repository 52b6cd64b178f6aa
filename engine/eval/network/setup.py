"""Plain Python: puts a network where the kernels read it."""

from __future__ import annotations

from pathlib import Path

from engine.eval.network.file import Network
from engine.eval.network.memory import Layers

SHIPPED_NETWORK = Path(__file__).with_name("wadjet.nnue")


def new_layers(network: Network) -> Layers:
    """The weights of a network that `check_network` accepts."""
    layers = Layers()
    layers.first_weights[...] = network.first_weights
    layers.first_bias[...] = network.first_bias
    layers.output_weights[...] = network.output_weights
    layers.output_bias[...] = network.output_bias
    layers.output_scale = network.output_scale
    layers.centipawns = network.centipawns
    return layers
