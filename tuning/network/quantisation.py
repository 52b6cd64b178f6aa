"""From a trained network to the file that the engine plays with and back, and the proof that both
agree."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from engine.eval.network.file import Network, check_network
from engine.eval.network.shape import (
    DOT_SCALE,
    INPUT_SCALE,
    INPUTS,
    PRODUCT_WEIGHT_SCALE,
    TOTAL_SCALE,
    WEIGHT_SCALE,
)
from tuning.fitting.model import Array
from tuning.network.kernels import Weights, predict_whole
from tuning.network.model import LARGEST_BYTE_WEIGHT, LARGEST_WEIGHT, Model, expected

LARGEST_MEAN_DIFFERENCE = 4.0  # centipawns between float and integers
LARGEST_LOSS_DIFFERENCE = 0.0005  # mean square between their expected scores
PROOF = 100_000  # positions
ROUNDED = 0.49  # what rounding takes away, at most, less a margin for float32


class Proof(NamedTuple):
    """How far integers are from floats on some positions."""

    positions: int
    mean_cp: float
    largest_cp: float


def quantised(model: Model, centipawns: int, notes: dict[str, Any]) -> Network:
    """ValueError if the engine cannot compute it."""
    weights = Weights(*(parameter.astype(np.float64) for parameter in model.weights))
    first = np.rint(model.first_weights * INPUT_SCALE)
    network = Network(
        first[:INPUTS].astype(np.int16),
        np.rint(weights.first_bias * INPUT_SCALE).astype(np.int16),
        first[INPUTS:].astype(np.int8),
        np.rint(weights.direct_weights * PRODUCT_WEIGHT_SCALE).astype(np.int8),
        np.rint(weights.neuron_weights * PRODUCT_WEIGHT_SCALE).astype(np.int8),
        np.rint(weights.neuron_bias * DOT_SCALE).astype(np.int32),
        np.rint(weights.deep_weights * WEIGHT_SCALE).astype(np.int16),
        np.rint(weights.deep_bias * TOTAL_SCALE).astype(np.int32),
        np.rint(weights.output_weights * WEIGHT_SCALE).astype(np.int16),
        np.rint(weights.output_bias * TOTAL_SCALE).astype(np.int32),
        centipawns=centipawns,
        notes=notes,
    )
    check_network(network)
    return network


def floats_of(network: Network) -> Model:
    """The opposite of `quantised`: a model to train on from there, and rounded the same network.

    What rounding lost is drawn at random (dither). If all weights began at whole numbers, the first
    steps of training, each less than half of one, would round back to nothing.
    What the king buckets share is their mean, or near it: training limits the size of both parts.
    """
    model = Model(network.hidden, network.buckets, threads=1, seed=1)
    random = np.random.default_rng(1)

    def dithered(name: str, scale: float) -> Array:
        """float32, and within what `quantised` rounds to the same."""
        whole = getattr(network, name)
        lost = random.uniform(-ROUNDED, ROUNDED, whole.shape)
        return ((whole + lost) / scale).astype(np.float32)

    first = dithered("first_weights", network.input_scale)
    by_bucket = first.reshape(model.king_buckets, -1)
    least = np.maximum(by_bucket.max(axis=0), 0) - LARGEST_WEIGHT
    most = np.minimum(by_bucket.min(axis=0), 0) + LARGEST_WEIGHT
    shared = np.clip(by_bucket.mean(axis=0), least, most)
    largest = LARGEST_BYTE_WEIGHT
    parts = [
        shared,
        by_bucket - shared,
        np.clip(dithered("attacked_weights", network.input_scale), -largest, largest),
        dithered("first_bias", network.input_scale),
        np.clip(dithered("direct_weights", PRODUCT_WEIGHT_SCALE), -largest, largest),
        np.clip(dithered("neuron_weights", PRODUCT_WEIGHT_SCALE), -largest, largest),
        dithered("neuron_bias", DOT_SCALE),
        dithered("deep_weights", WEIGHT_SCALE),
        network.deep_bias / TOTAL_SCALE,
        dithered("output_weights", WEIGHT_SCALE),
        network.output_bias / TOTAL_SCALE,  # biases as fine as float32, or finer
    ]
    plain = np.concatenate([part.ravel() for part in parts], dtype=np.float32)
    model.flat[:] = model.halved(plain)
    model.add_up()
    return model


def whole_logits(network: Network, rows: Array) -> Array:
    """float64[N]: the output of the integers, seen by the side to move."""
    outputs = np.empty(len(rows), np.int64)
    weights = Weights(*(getattr(network, name) for name in Weights._fields))
    first = np.concatenate([network.first_weights, network.attacked_weights])
    predict_whole(rows, first, weights, network.input_scale, outputs)
    return outputs / float(TOTAL_SCALE)


def proof_of(model: Model, network: Network, rows: Array) -> Proof:
    """Compare both on positions. ValueError if they differ by more than rounding explains."""
    floating, whole = model.logits(rows).astype(np.float64), whole_logits(network, rows)
    difference = np.abs(floating - whole) * network.centipawns
    square = float(np.mean((expected(floating) - expected(whole)) ** 2))
    proof = Proof(len(rows), float(difference.mean()), float(difference.max()))
    if proof.mean_cp > LARGEST_MEAN_DIFFERENCE or square > LARGEST_LOSS_DIFFERENCE:
        raise ValueError(
            f"integers are {proof.mean_cp:.1f} cp from the trained ones on average, "
            f"{proof.largest_cp:.0f} cp at most: this is more than rounding"
        )
    return proof
