"""The arithmetic of training: how the error changes with each weight, and a step of the optimiser.

Why it is fast: a position has some 20 of its features, so the first layer and its gradient are
sums of rows. Rows are added eight at a time, so that the sum is loaded and stored once for eight;
lists of rows are filled up with a row of zeros. The layer is cut into halves, whose sums are
multiplied by each other: what a half reads and writes for a block of positions stays in the last
cache. Sums are taken of int16, and half as many bytes move. The gradient is not scattered position
by position: the samples of a block are sorted by feature, and a row of the gradient collects all
of its samples while it lies in the fastest cache. Each thread has a gradient of its own; the GIL
is released.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.eval.network.shape import KING_BUCKETS
from tuning.fitting.model import Array
from tuning.network.compiling import compiled, kept
from tuning.network.features import FEATURES, MOST_FEATURES, features_of
from tuning.network.kernels import multiply, output, output_bucket

NEIGHBOURS = 16  # of a file of positions: mostly from one search
# Positions; many, so that a feature has many samples, but few enough for the last cache.
BLOCK = 128 * NEIGHBOURS
FINENESS = 1024  # 1.0 in the integers of the first layer; its sums, up to 32, fit into int16
BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8  # of Adam, as Kingma and Ba give them


class Scratch(NamedTuple):
    """What a thread writes down of a block of positions; allocated once, as memory comes slowly."""

    acc: Array  # float32[2, 2 BLOCK + 1, H / 2], sums, then their gradients; the last row zero
    products: Array  # float32[BLOCK, H], then their gradients
    seen: Array  # int32[BLOCK, 2, MOST_FEATURES]
    men: Array  # int32[BLOCK]
    counts: Array  # int32[BLOCK], of the features of a side
    first: Array  # int32[FEATURES + 1]
    last: Array  # int32[FEATURES]
    ordered: Array  # int32[2 BLOCK MOST_FEATURES + 8 FEATURES]


def new_scratch(hidden: int) -> Scratch:
    return Scratch(
        np.zeros((2, 2 * BLOCK + 1, hidden // 2), np.float32),
        np.empty((BLOCK, hidden), np.float32),
        np.empty((BLOCK, 2, MOST_FEATURES), np.int32),
        np.empty(BLOCK, np.int32),
        np.empty(BLOCK, np.int32),
        np.empty(FEATURES + 1, np.int32),
        np.empty(FEATURES, np.int32),
        np.empty(2 * BLOCK * MOST_FEATURES + 8 * FEATURES, np.int32),
    )


@compiled
def add_times(total, factor, values):
    for j in range(total.shape[0]):
        total[j] += factor * values[j]


@compiled
def add_four(total, factors, rows, at):
    """total += the four rows from `at` on, each times its factor."""
    a, b, c, d = factors[at], factors[at + 1], factors[at + 2], factors[at + 3]
    w, x, y, z = rows[at], rows[at + 1], rows[at + 2], rows[at + 3]
    for j in range(total.shape[0]):
        total[j] += (a * w[j] + b * x[j]) + (c * y[j] + d * z[j])


@kept
def whole_layer(shared, own, whole):
    """The first layer in integers.

    Args:
        shared: float32[halves, PIECE_INPUTS, H / 2], what the king buckets share.
        own: float32[halves, features, H / 2], what they add, and the rows of attacked pieces.
        whole: int16[halves, FEATURES + 1, H / 2], written from its first row on; the last stays
            zero.
    """
    one, length = np.float32(FINENESS), shared.shape[1]
    for half in range(own.shape[0]):
        for f in range(own.shape[1]):
            for j in range(own.shape[2]):
                weight = own[half, f, j]
                if f < KING_BUCKETS * length:
                    weight += shared[half, f % length, j]
                whole[half, f, j] = np.int16(np.rint(weight * one))


@compiled
def sum_whole_rows(total, rows, half, chosen, count):
    """total = the sum of `count` chosen rows of a half, a multiple of eight.

    Narrowed at each step, so that LLVM fills vector registers with int16.
    """
    whole = np.int16
    width = total.shape[0]
    for j in range(width):
        total[j] = 0
    for at in range(0, count, 8):
        a, b, c, d = chosen[at], chosen[at + 1], chosen[at + 2], chosen[at + 3]
        e, f, g, h = chosen[at + 4], chosen[at + 5], chosen[at + 6], chosen[at + 7]
        for j in range(width):
            ab = whole(whole(rows[half, a, j]) + whole(rows[half, b, j]))
            cd = whole(whole(rows[half, c, j]) + whole(rows[half, d, j]))
            ef = whole(whole(rows[half, e, j]) + whole(rows[half, f, j]))
            gh = whole(whole(rows[half, g, j]) + whole(rows[half, h, j]))
            total[j] = whole(whole(total[j]) + whole(whole(ab + cd) + whole(ef + gh)))


@compiled
def add_samples(totals, half, to, samples, chosen, begin, end):
    """totals[half, to] += the samples chosen from `begin` to `end`, a multiple of eight."""
    for at in range(begin, end, 8):
        a, b, c, d = chosen[at], chosen[at + 1], chosen[at + 2], chosen[at + 3]
        e, f, g, h = chosen[at + 4], chosen[at + 5], chosen[at + 6], chosen[at + 7]
        for j in range(samples.shape[2]):
            abcd = (samples[half, a, j] + samples[half, b, j]) + (
                samples[half, c, j] + samples[half, d, j]
            )
            efgh = (samples[half, e, j] + samples[half, f, j]) + (
                samples[half, g, j] + samples[half, h, j]
            )
            totals[half, to, j] += abcd + efgh


@compiled
def eights(count):
    """The next multiple of eight."""
    return (count + 7) & ~7


@compiled
def sort_samples(rows, seen, men, counts, first, last, ordered):
    """What positions have which feature.

    Args:
        rows: int64[N, 4].
        seen: int32[N, 2, MOST_FEATURES], written: features of both sides, filled up with FEATURES.
        men: int32[N], written.
        counts: int32[N], written: features of each side.
        first: int32[FEATURES + 1], written: where the samples of each feature begin in `ordered`.
        last: int32[FEATURES], overwritten.
        ordered: int32[2 BLOCK MOST_FEATURES + 8 FEATURES], written: samples, 2 * position + side,
            filled up with 2 BLOCK to multiples of eight.
    """
    last[:] = 0
    for p in range(len(rows)):
        men[p], count = features_of(rows[p], seen[p])
        counts[p] = count
        for side in range(2):
            for k in range(count):
                last[seen[p, side, k]] += 1
            for k in range(count, eights(count)):
                seen[p, side, k] = FEATURES
    end = 0
    for f in range(FEATURES):
        first[f] = end
        for k in range(end + last[f], end + eights(last[f])):
            ordered[k] = 2 * BLOCK
        end += eights(last[f])
        last[f] = first[f]
    first[FEATURES] = end
    for p in range(len(rows)):
        for side in range(2):
            for k in range(counts[p]):
                f = seen[p, side, k]
                ordered[last[f]] = 2 * p + side
                last[f] += 1


@compiled
def forgive_shared(rows, misses, shared):
    """Leave a share of the error that these neighbours have in common, as White sees it.

    A search compares the positions that it evaluates, so an error that is in all of them costs it
    nothing.
    """
    total = 0.0
    for p in range(len(rows)):
        total += misses[p] if rows[p, 3] & 1 == 0 else -misses[p]
    forgiven = (1 - shared) * total / len(rows)
    for p in range(len(rows)):
        misses[p] -= forgiven if rows[p, 3] & 1 == 0 else -forgiven


@kept
def gradient(rows, targets, shared, w1, weights, g1, gradients, scratch):
    """The gradient of the squared error of some positions, added to arrays; returns the error.

    Args:
        rows: int64[N, 4], records of a file of positions, NEIGHBOURS of them next to each other.
        targets: float32[N], the expected score of the side to move.
        shared: weight, 0 to 1, of the error that neighbours have in common.
        w1: int16[2, FEATURES + 1, H / 2], the first layer in integers, the last row zero.
        weights: Weights.
        g1: float32[2, FEATURES, H / 2], gradient of the first layer.
        gradients: Weights, gradients of the others.
        scratch: Scratch, written.
    """
    error = 0.0
    for begin in range(0, len(rows), BLOCK):
        end = min(begin + BLOCK, len(rows))
        sort_samples(
            rows[begin:end], scratch.seen, scratch.men, scratch.counts,
            scratch.first, scratch.last, scratch.ordered,
        )  # fmt: skip
        add_up_samples(end - begin, w1, weights, scratch)
        error += deep_gradient(
            rows[begin:end], targets[begin:end], shared, weights, gradients, scratch
        )
        first_gradient(end - begin, g1, gradients, scratch)
    return error


@compiled
def add_up_samples(size, w1, weights, scratch):
    """The sums of a block of positions, and their products."""
    width = w1.shape[2]
    total = np.empty(width, np.int16)
    for half in range(2):
        bias = weights.first_bias[half * width : (half + 1) * width]
        for p in range(size):
            for side in range(2):
                sum_whole_rows(total, w1, half, scratch.seen[p, side], eights(scratch.counts[p]))
                acc = scratch.acc[half, 2 * p + side]
                for j in range(width):
                    acc[j] = np.float32(total[j]) * np.float32(1 / FINENESS) + bias[j]
    for p in range(size):
        for side in range(2):
            products = scratch.products[p, side * width : (side + 1) * width]
            multiply(scratch.acc[0, 2 * p + side], scratch.acc[1, 2 * p + side], products)


@compiled
def deep_gradient(rows, targets, shared, weights, gradients, scratch):
    """From the products of a block of positions to the sum of the errors, and back.

    Adds to the gradients of the neurons and of the output, and puts those of the products in their
    place.
    """
    count, deep_count = weights.neuron_bias.shape[1], weights.deep_bias.shape[1]
    totals = np.empty((NEIGHBOURS, count), np.float32)
    neurons = np.empty((NEIGHBOURS, 2 * count), np.float32)
    deep_totals = np.empty((NEIGHBOURS, deep_count), np.float32)
    of_totals, of_neurons = np.empty(count, np.float32), np.empty(2 * count, np.float32)
    of_products = np.empty(scratch.products.shape[1], np.float32)
    misses = np.empty(NEIGHBOURS, np.float64)
    steepness = np.empty(NEIGHBOURS, np.float64)
    error = 0.0
    for begin in range(0, len(targets), NEIGHBOURS):
        size = min(NEIGHBOURS, len(targets) - begin)
        for k in range(size):
            bucket = output_bucket(scratch.men[begin + k], len(weights.output_bias))
            logit = output(
                scratch.products[begin + k], weights, bucket, totals[k], neurons[k], deep_totals[k]
            )
            predicted = 1 / (1 + np.exp(-logit))
            miss = predicted - targets[begin + k]
            error += miss * miss
            misses[k], steepness[k] = miss, predicted * (1 - predicted)
        forgive_shared(rows[begin : begin + size], misses[:size], shared)
        for k in range(size):
            bucket = output_bucket(scratch.men[begin + k], len(weights.output_bias))
            slope = np.float32(2 * misses[k] * steepness[k])
            add_deep_gradient(
                slope, scratch.products[begin + k], bucket, totals[k], neurons[k], deep_totals[k],
                weights, gradients, of_totals, of_neurons, of_products,
            )  # fmt: skip
    return error


@compiled
def add_deep_gradient(
    slope, products, bucket, totals, neurons, deep_totals,
    weights, gradients, of_totals, of_neurons, of_products,
):  # fmt: skip
    """What `output` computed, backwards, for one position with this slope of the error by the
    logit. The last three arrays are written."""
    zero, one = np.float32(0), np.float32(1)
    count = totals.shape[0]
    gradients.output_bias[bucket] += slope
    of_neurons[:] = 0
    for i in range(deep_totals.shape[0]):
        total = deep_totals[i]
        gradients.output_weights[bucket, i] += slope * min(max(total, zero), one)
        if zero < total < one:
            of_total = slope * weights.output_weights[bucket, i]
            gradients.deep_bias[bucket, i] += of_total
            add_times(gradients.deep_weights[bucket, i], of_total, neurons)
            add_times(of_neurons, of_total, weights.deep_weights[bucket, i])
    for i in range(count):
        inside = one if zero < totals[i] < one else zero
        of_totals[i] = (of_neurons[i] + 2 * neurons[i] * of_neurons[count + i]) * inside
        gradients.neuron_bias[bucket, i] += of_totals[i]
        if of_totals[i] != zero:
            add_times(gradients.neuron_weights[bucket, i], of_totals[i], products)
    add_times(gradients.direct_weights[bucket], slope, products)
    of_products[:] = 0
    add_times(of_products, slope, weights.direct_weights[bucket])
    for i in range(0, count, 4):
        add_four(of_products, of_totals, weights.neuron_weights[bucket], i)
    products[:] = of_products


@compiled
def first_gradient(size, g1, gradients, scratch):
    """From the gradients of products to those of the first layer."""
    width = g1.shape[2]
    of_bias = gradients.first_bias
    for p in range(size):
        for side in range(2):
            sample = 2 * p + side
            sum_gradients(
                scratch.acc[0, sample], scratch.acc[1, sample],
                scratch.products[p, side * width : (side + 1) * width],
                of_bias[:width], of_bias[width:],
            )  # fmt: skip
    for half in range(2):
        for f in range(FEATURES):
            add_samples(
                g1, half, f, scratch.acc, scratch.ordered, scratch.first[f], scratch.first[f + 1]
            )


@compiled
def sum_gradients(first, second, of_products, of_first_bias, of_second_bias):
    """Sums, multiplied by each other, become their gradients; those of their bias grow."""
    zero, one = np.float32(0), np.float32(1)
    for j in range(of_products.shape[0]):
        a, b = min(max(first[j], zero), one), min(max(second[j], zero), one)
        of_first = of_products[j] * b if zero < first[j] < one else zero
        of_second = of_products[j] * a if zero < second[j] < one else zero
        first[j], second[j] = of_first, of_second
        of_first_bias[j] += of_first
        of_second_bias[j] += of_second


@kept
def adam(w, m, v, gs, count, rate, step, decay, limit):
    """AdamW (Loshchilov and Hutter, 2019) on a flat array.

    Adds up the threads' gradients `gs` over `count` positions, and empties them. Weights are
    clipped at `limit`, so that they fit into the engine's integers.
    """
    rate1, rate2 = np.float32(1 / (1 - BETA1**step)), np.float32(1 / (1 - BETA2**step))
    scale, rate, keep = np.float32(1 / count), np.float32(rate), np.float32(1 - rate * decay)
    beta1, beta2 = np.float32(BETA1), np.float32(BETA2)
    limit = np.float32(limit)
    for j in range(w.shape[0]):
        g = np.float32(0)
        for t in range(gs.shape[0]):
            g += gs[t, j]
            gs[t, j] = 0
        g *= scale
        m[j] = beta1 * m[j] + (np.float32(1) - beta1) * g
        v[j] = beta2 * v[j] + (np.float32(1) - beta2) * g * g
        w[j] = w[j] * keep - rate * (m[j] * rate1) / (np.sqrt(v[j] * rate2) + np.float32(EPSILON))
        w[j] = min(max(w[j], -limit), limit)
