"""The arithmetic of training, compiled by Numba when it is first called.

The network is (inputs -> H) twice, from the side to move and from the other side, squared clipped
ReLU, both halves one after the other -> 1, with a set of output weights for each bucket of men.

These are not kernels of the engine: those know whole numbers only, and training is floating point
on NumPy arrays. Nothing is cached on disk, where Numba would not see a changed callee; compiling
takes some seconds.

Why it is fast: a position has some 20 of its features, so the first layer and its gradient are sums
of rows. Rows are added eight at a time, so that the sum is loaded and stored once for eight. The
gradient is not scattered position by position: in each block the samples are sorted by feature,
and a row of the gradient collects all of its samples while it lies in the fastest cache. Each
thread has a gradient of its own; the GIL is released.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from engine.board.constants import KING
from engine.eval.network import inputs
from engine.eval.network.shape import INPUTS, PIECE_INPUTS

OWN_KING = 320  # of the 768 features of a king bucket, the first of 64 of the own king
MOST_MEN = 32
BLOCK = 64  # positions, whose accumulators should fit into the second level cache
BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8  # of Adam, as Kingma and Ba give them

compiled = njit(nogil=True, fastmath=True)


orientation = compiled(inputs.orientation)


@compiled
def features_of(row, seen):
    """The features of a packed position, for the side to move and for the other one.

    Args:
        row: int64[4], a record of a file of positions: occupied squares, pieces, side.
        seen: int32[2, MOST_MEN], written; see engine/eval/network/inputs.py.

    Returns the number of men.
    """
    occupied = np.uint64(row[0])
    black = row[3] & 1
    men = 0
    kings = np.zeros(2, np.int64)  # the mover's and the other one, as the mover sees the board
    word = np.uint64(row[1])
    while occupied:
        low = occupied & (np.uint64(0) - occupied)
        square = bit_index(low) ^ 56 * black
        occupied ^= low
        if men == 16:
            word = np.uint64(row[2])
        if men == MOST_MEN:
            break
        code = np.int64(word & np.uint64(15))
        word >>= np.uint64(4)
        theirs = (code >> 3) ^ black
        if code & 7 == KING:
            kings[theirs] = square
        seen[0, men] = 384 * theirs + 64 * (code & 7) + square
        men += 1
    own, other = orientation(0, kings[0]), orientation(0, kings[1] ^ 56)
    for k in range(men):
        feature = seen[0, k]
        swapped = (feature + 384 if feature < 384 else feature - 384) ^ 56
        seen[0, k] = PIECE_INPUTS * (own >> 6) + (feature ^ (own & 63))
        seen[1, k] = PIECE_INPUTS * (other >> 6) + (swapped ^ (other & 63))
    return men


@compiled
def bit_index(low):
    """The number of the only bit that is set."""
    index = 0
    if low & np.uint64(0xFFFFFFFF00000000):
        index += 32
    if low & np.uint64(0xFFFF0000FFFF0000):
        index += 16
    if low & np.uint64(0xFF00FF00FF00FF00):
        index += 8
    if low & np.uint64(0xF0F0F0F0F0F0F0F0):
        index += 4
    if low & np.uint64(0xCCCCCCCCCCCCCCCC):
        index += 2
    if low & np.uint64(0xAAAAAAAAAAAAAAAA):
        index += 1
    return index


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
    men = features_of(row, seen)
    for side in range(2):
        acc[side, :] = b1
        add_rows(acc[side], w1, seen[side], men)
    return men


@compiled
def output(acc, w2):
    hidden = acc.shape[1]
    total = np.float32(0)
    for side in range(2):
        a, w = acc[side], w2[side * hidden : (side + 1) * hidden]
        for j in range(hidden):
            c = min(max(a[j], np.float32(0)), np.float32(1))
            total += c * c * w[j]
    return total


@compiled
def gradient(rows, targets, w1, b1, w2, b2, g1, gb1, g2, gb2):
    """The gradient of the squared error of some positions, added to arrays; returns the error.

    Args:
        rows: int64[N, 4], records of a file of positions.
        targets: float32[N], the expected score of the side to move.
        w1, b1, w2, b2: float32[INPUTS, H], [H], [buckets, 2 H], [buckets].
        g1, gb1, g2, gb2: their gradients.
    """
    hidden, buckets = w1.shape[1], w2.shape[0]
    acc = np.empty((BLOCK, 2, hidden), np.float32)
    samples = acc.reshape(2 * BLOCK, hidden)  # what the rows of the first layer's gradient add up
    seen = np.empty((BLOCK, 2, MOST_MEN), np.int32)
    men = np.empty(BLOCK, np.int64)
    sorted_samples = np.empty(BLOCK * 2 * MOST_MEN, np.int32)
    first = np.empty(INPUTS + 1, np.int32)
    error = 0.0
    for begin in range(0, len(rows), BLOCK):
        size = min(BLOCK, len(rows) - begin)
        first[:] = 0
        for p in range(size):
            n = accumulate(rows[begin + p], w1, b1, seen[p], acc[p])
            men[p] = n
            bucket = (n - 2) * buckets // MOST_MEN
            predicted = 1 / (1 + np.exp(-(output(acc[p], w2[bucket]) + b2[bucket])))
            miss = predicted - targets[begin + p]
            error += miss * miss
            slope = np.float32(2 * miss * predicted * (1 - predicted))
            gb2[bucket] += slope
            for side in range(2):
                half, a = slice(side * hidden, (side + 1) * hidden), acc[p, side]
                w, g = w2[bucket, half], g2[bucket, half]
                for j in range(hidden):
                    c = min(max(a[j], np.float32(0)), np.float32(1))
                    g[j] += slope * c * c
                    inside = np.float32(1) if c == a[j] else np.float32(0)
                    a[j] = 2 * slope * w[j] * c * inside
                for k in range(n):
                    first[seen[p, side, k] + 1] += 1
        for f in range(INPUTS):  # counting sort: where the samples of each feature begin
            first[f + 1] += first[f]
        for p in range(size):
            for side in range(2):
                for k in range(men[p]):
                    f = seen[p, side, k]
                    sorted_samples[first[f]] = 2 * p + side
                    first[f] += 1
        start = 0
        for f in range(INPUTS):  # now first[f] is where they end
            if first[f] > start:
                add_rows(g1[f], samples, sorted_samples[start:], first[f] - start)
                start = first[f]
    for bucket in range(OWN_KING, INPUTS, PIECE_INPUTS):
        for f in range(bucket, bucket + 64):  # a sample has one: together the bias's gradient
            for j in range(hidden):
                gb1[j] += g1[f, j]
    return error


@compiled
def predict(rows, w1, b1, w2, b2, logits):
    """What the network says of positions, seen by the side to move, into float32[N]."""
    acc, seen = np.empty((2, w1.shape[1]), np.float32), np.empty((2, MOST_MEN), np.int32)
    for p in range(len(rows)):
        men = accumulate(rows[p], w1, b1, seen, acc)
        bucket = (men - 2) * w2.shape[0] // MOST_MEN
        logits[p] = output(acc, w2[bucket]) + b2[bucket]


@compiled
def predict_whole(rows, w1, b1, w2, b2, one, outputs):
    """The network of whole numbers, as the engine computes it, into int64[N].

    `one` is where sums are clipped. The unit is that of the output bias times `one`.
    """
    hidden, buckets = w1.shape[1], w2.shape[0]
    seen = np.empty((2, MOST_MEN), np.int32)
    acc = np.empty(hidden, np.int64)
    for p in range(len(rows)):
        men = features_of(rows[p], seen)
        bucket = (men - 2) * buckets // MOST_MEN
        total = np.int64(b2[bucket]) * one
        for side in range(2):
            acc[:] = b1
            for k in range(men):
                for j in range(hidden):
                    acc[j] += w1[seen[side, k], j]
            for j in range(hidden):
                clipped = min(max(acc[j], 0), one)
                total += clipped * clipped * np.int64(w2[bucket, side * hidden + j])
        outputs[p] = total


@compiled
def adam(w, m, v, gs, count, rate, step, decay, limit):
    """AdamW (Loshchilov and Hutter, 2019) on a flat array.

    Adds up the threads' gradients `gs` over `count` positions, and empties them. Weights are
    clipped at `limit`, so that they fit into the engine's whole numbers.
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
