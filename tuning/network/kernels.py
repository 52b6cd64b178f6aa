"""The output of the network for positions, in floats and in integers, compiled by Numba.

The network is (inputs -> H) twice, from the side to move and from the other side; H products of two
clipped sums, number j and H / 2 + j of one side -> NEURONS, clipped, and their squares ->
DEEP_NEURONS, clipped -> 1, to which the products are also added directly. All layers but the first
have a set of weights for each bucket of men.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.eval.network.shape import (
    DEEP_NEURONS,
    DOT_SCALE,
    DOT_SHIFT,
    MOST_MEN,
    NEURON_SCALE,
    NEURON_SHIFT,
    NEURONS,
    PRODUCT_SHIFT,
    TOTAL_SCALE,
    WEIGHT_SHIFT,
)
from tuning.fitting.model import Array
from tuning.network.compiling import compiled, kept
from tuning.network.features import MOST_FEATURES, features_of


class Weights(NamedTuple):
    """All parameters but the weights of the first layer, or their gradients: float32."""

    first_bias: Array  # [H]
    direct_weights: Array  # [buckets, H]
    neuron_weights: Array  # [buckets, NEURONS, H]
    neuron_bias: Array  # [buckets, NEURONS]
    deep_weights: Array  # [buckets, DEEP_NEURONS, 2 NEURONS]
    deep_bias: Array  # [buckets, DEEP_NEURONS]
    output_weights: Array  # [buckets, DEEP_NEURONS]
    output_bias: Array  # [buckets]


@compiled
def output_bucket(men, buckets):
    return (men - 2) * buckets // MOST_MEN


@compiled
def add_rows(total, rows, chosen, count):
    """total += the first `count` chosen rows, eight at a time."""
    at = 0
    while at + 8 <= count:
        a, b, c = rows[chosen[at]], rows[chosen[at + 1]], rows[chosen[at + 2]]
        d, e, f = rows[chosen[at + 3]], rows[chosen[at + 4]], rows[chosen[at + 5]]
        g, h = rows[chosen[at + 6]], rows[chosen[at + 7]]
        for j in range(total.shape[0]):
            total[j] += ((a[j] + b[j]) + (c[j] + d[j])) + ((e[j] + f[j]) + (g[j] + h[j]))
        at += 8
    while at < count:
        a = rows[chosen[at]]
        for j in range(total.shape[0]):
            total[j] += a[j]
        at += 1


@compiled
def accumulate(row, w1, b1, seen, acc):
    """Both accumulators of a position, the mover's first; `seen` gets the features.

    Returns the number of men.
    """
    men, count = features_of(row, seen)
    for side in range(2):
        acc[side, :] = b1
        add_rows(acc[side], w1, seen[side], count)
    return men


@compiled
def multiply(first, second, products):
    """Clipped sums by clipped sums."""
    zero, one = np.float32(0), np.float32(1)
    for j in range(products.shape[0]):
        products[j] = min(max(first[j], zero), one) * min(max(second[j], zero), one)


@compiled
def dot(weights, values):
    total = np.float32(0)
    for j in range(values.shape[0]):
        total += weights[j] * values[j]
    return total


@compiled
def output(products, weights, bucket, totals, neurons, deep_totals):
    """The logit from the products. `totals` and `deep_totals` are what neurons add up, before
    they are clipped; `neurons` are clipped and followed by their squares; all are written."""
    zero, one = np.float32(0), np.float32(1)
    count = totals.shape[0]
    for i in range(count):
        totals[i] = weights.neuron_bias[bucket, i] + dot(
            weights.neuron_weights[bucket, i], products
        )
        neurons[i] = min(max(totals[i], zero), one)
        neurons[count + i] = neurons[i] * neurons[i]
    logit = weights.output_bias[bucket] + dot(weights.direct_weights[bucket], products)
    for i in range(deep_totals.shape[0]):
        deep_totals[i] = weights.deep_bias[bucket, i] + dot(
            weights.deep_weights[bucket, i], neurons
        )
        logit += weights.output_weights[bucket, i] * min(max(deep_totals[i], zero), one)
    return logit


@kept
def predict(rows, w1, weights, logits):
    """The output of the network for positions, seen by the side to move, into float32[N].

    `w1` is float32[FEATURES, H], the first layer; `weights` the others.
    """
    hidden, count = w1.shape[1], weights.neuron_bias.shape[1]
    half = hidden // 2
    acc, seen = np.empty((2, hidden), np.float32), np.empty((2, MOST_FEATURES), np.int32)
    products, totals = np.empty(hidden, np.float32), np.empty(count, np.float32)
    neurons = np.empty(2 * count, np.float32)
    deep_totals = np.empty(weights.deep_bias.shape[1], np.float32)
    for p in range(len(rows)):
        men = accumulate(rows[p], w1, weights.first_bias, seen, acc)
        bucket = output_bucket(men, len(weights.output_bias))
        for side in range(2):
            multiply(acc[side, :half], acc[side, half:], products[side * half : (side + 1) * half])
        logits[p] = output(products, weights, bucket, totals, neurons, deep_totals)


@kept
def predict_whole(rows, w1, weights, one, outputs):
    """The network of integers, as the engine computes it, into int64[N].

    Args:
        rows: int64[N, 4].
        w1: int16[FEATURES, H].
        weights: Weights of integers, as in engine/eval/network/file.py.
        one: where sums are clipped.
        outputs: written, in 1/TOTAL_SCALE.
    """
    hidden, buckets = w1.shape[1], len(weights.output_bias)
    half = hidden // 2
    seen = np.empty((2, MOST_FEATURES), np.int32)
    acc, products = np.empty(hidden, np.int64), np.empty(hidden, np.int64)
    neurons = np.empty(2 * NEURONS, np.int64)
    for p in range(len(rows)):
        men, count = features_of(rows[p], seen)
        bucket = output_bucket(men, buckets)
        for side in range(2):
            acc[:] = weights.first_bias
            for k in range(count):
                for j in range(hidden):
                    acc[j] += w1[seen[side, k], j]
            for j in range(hidden):
                acc[j] = min(max(acc[j], 0), one)
            for j in range(half):
                products[side * half + j] = (acc[j] * acc[half + j]) >> PRODUCT_SHIFT
        for i in range(NEURONS):
            seen_total = np.int64(weights.neuron_bias[bucket, i])
            for j in range(hidden):
                seen_total += products[j] * np.int64(weights.neuron_weights[bucket, i, j])
            neurons[i] = min(max(seen_total >> DOT_SHIFT, 0), NEURON_SCALE)
            neurons[NEURONS + i] = (neurons[i] * neurons[i]) >> NEURON_SHIFT
        direct = np.int64(0)
        for j in range(hidden):
            direct += products[j] * np.int64(weights.direct_weights[bucket, j])
        total = np.int64(weights.output_bias[bucket]) + direct * (TOTAL_SCALE // DOT_SCALE)
        for i in range(DEEP_NEURONS):
            seen_total = np.int64(weights.deep_bias[bucket, i])
            for j in range(2 * NEURONS):
                seen_total += neurons[j] * np.int64(weights.deep_weights[bucket, i, j])
            clipped = min(max(seen_total >> WEIGHT_SHIFT, 0), NEURON_SCALE)
            total += clipped * np.int64(weights.output_weights[bucket, i])
        outputs[p] = total
