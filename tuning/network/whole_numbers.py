"""From a trained network to the file that the engine plays with and back, and the proof that both
agree."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from engine.eval.network.file import LARGEST_OUTPUT_WEIGHT, Network, check_network
from engine.eval.network.shape import INPUT_SCALE
from tuning.fitting.model import Array
from tuning.network.kernels import predict_whole
from tuning.network.model import LARGEST_WEIGHT, Model, expected

OUTPUT_SCALES = (256, 128, 64, 32)  # the finest that fits is used
LARGEST_MEAN_DIFFERENCE = 4.0  # centipawns between float and whole numbers
LARGEST_LOSS_DIFFERENCE = 0.0005  # mean square between their expected scores
PROOF = 100_000  # positions


class Proof(NamedTuple):
    """How far whole numbers are from floats on some positions."""

    positions: int
    mean_cp: float
    largest_cp: float
    mean_square: float  # of the difference of expected scores


def quantised(model: Model, centipawns: int, notes: dict[str, Any]) -> Network:
    """ValueError if the engine cannot compute it."""
    w1, b1, w2, b2 = (parameter.astype(np.float64) for parameter in model.parameters)
    largest = np.abs(w2).max()
    scale = next((s for s in OUTPUT_SCALES if largest * s <= LARGEST_OUTPUT_WEIGHT), 0)
    if not scale:
        raise ValueError(f"an output weight of {largest:.2f} is too large for the engine")
    network = Network(
        np.rint(w1 * INPUT_SCALE).astype(np.int16),
        np.rint(b1 * INPUT_SCALE).astype(np.int16),
        np.rint(w2 * scale).astype(np.int16),
        np.rint(b2 * INPUT_SCALE * scale).astype(np.int32),
        output_scale=scale,
        centipawns=centipawns,
        notes=notes,
    )
    check_network(network)
    return network


def floats_of(network: Network) -> Model:
    """The opposite of `quantised`, less what rounding lost: a model to train on from there.

    What the king buckets share is their mean, or near it: training limits the size of both parts.
    """
    model = Model(network.hidden, network.buckets, threads=1, seed=1)
    first = (network.first_weights / network.input_scale).astype(np.float32)
    by_bucket = first.reshape(model.king_buckets, -1)
    least = np.maximum(by_bucket.max(axis=0), 0) - LARGEST_WEIGHT
    most = np.minimum(by_bucket.min(axis=0), 0) + LARGEST_WEIGHT
    shared = np.clip(by_bucket.mean(axis=0), least, most)
    output_weights = network.output_weights / network.output_scale
    output_bias = network.output_bias / (network.input_scale * network.output_scale)
    parts = [
        shared, by_bucket - shared, network.first_bias / network.input_scale, output_weights,
        output_bias,
    ]  # fmt: skip
    plain = np.concatenate([part.ravel() for part in parts], dtype=np.float32)
    model.flat[:] = model.chunked(plain)
    model.add_up()
    return model


def whole_logits(network: Network, rows: Array) -> Array:
    """float64[N]: the output of the whole numbers, seen by the side to move."""
    outputs = np.empty(len(rows), np.int64)
    predict_whole(
        rows, network.first_weights, network.first_bias, network.output_weights,
        network.output_bias, network.input_scale, outputs,
    )  # fmt: skip
    return outputs / float(network.input_scale**2 * network.output_scale)


def proof_of(model: Model, network: Network, rows: Array) -> Proof:
    """Compare both on positions. ValueError if they differ by more than rounding explains."""
    floating, whole = model.logits(rows).astype(np.float64), whole_logits(network, rows)
    difference = np.abs(floating - whole) * network.centipawns
    square = float(np.mean((expected(floating) - expected(whole)) ** 2))
    proof = Proof(len(rows), float(difference.mean()), float(difference.max()), square)
    if proof.mean_cp > LARGEST_MEAN_DIFFERENCE or square > LARGEST_LOSS_DIFFERENCE:
        raise ValueError(
            f"whole numbers are {proof.mean_cp:.1f} cp from the trained ones on average, "
            f"{proof.largest_cp:.0f} cp at most: this is more than rounding"
        )
    return proof
