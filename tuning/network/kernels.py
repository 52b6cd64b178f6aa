"""The arithmetic of training, compiled by Numba when it is first called.

The network is (inputs -> H) twice, from the side to move and from the other side, squared clipped
ReLU, both halves one after the other -> 1, with a set of output weights for each bucket of men.

These are not kernels of the engine: those know whole numbers only, and training is floating point
on NumPy arrays. Nothing is cached on disk, where Numba would not see a changed callee; compiling
takes some seconds.

Why it is fast: a position has some 20 of its features, so the first layer and its gradient are
sums of rows. Rows are added eight at a time, so that the sum is loaded and stored once for eight;
lists of rows are filled up with a row of zeros. The layer is cut into chunks of CHUNK sums, and a
chunk of all its rows stays in the second level cache while a block of positions goes by. Sums are
taken of int16, and half as many bytes move. The gradient is not scattered position by position:
the samples of a block are sorted by feature, and a row of the gradient collects all of its
samples while it lies in the fastest cache. Each thread has a gradient of its own; the GIL is
released.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from engine.board.constants import KING
from engine.eval.network import inputs
from engine.eval.network.shape import INPUTS, MOST_MEN, PIECE_INPUTS

NEIGHBOURS = 16  # of a file of positions: mostly from one search
# Positions, of which a chunk of the accumulators should fit into that cache, too: whole groups.
BLOCK = 64 * NEIGHBOURS
CHUNK = 128  # sums, if a layer can be cut into as many; otherwise it is one chunk
FINENESS = 1024  # 1.0 in the whole numbers of the first layer; its sums, up to 32, fit into int16
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
def whole_layer(shared, own, whole):
    """The first layer in whole numbers.

    Args:
        shared: float32[chunks, PIECE_INPUTS, C], what the king buckets share.
        own: float32[chunks, inputs, C], what they add.
        whole: int16[chunks, INPUTS + 1, C], written from its first row on; the last stays zero.
    """
    one = np.float32(FINENESS)
    for chunk in range(own.shape[0]):
        for f in range(own.shape[1]):
            s = f % shared.shape[1]
            for j in range(own.shape[2]):
                weight = own[chunk, f, j] + shared[chunk, s, j]
                whole[chunk, f, j] = np.int16(np.rint(weight * one))


@compiled
def sum_whole_rows(total, rows, chunk, chosen, count):
    """total = the sum of `count` chosen rows of a chunk, a multiple of eight.

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
            ab = whole(whole(rows[chunk, a, j]) + whole(rows[chunk, b, j]))
            cd = whole(whole(rows[chunk, c, j]) + whole(rows[chunk, d, j]))
            ef = whole(whole(rows[chunk, e, j]) + whole(rows[chunk, f, j]))
            gh = whole(whole(rows[chunk, g, j]) + whole(rows[chunk, h, j]))
            total[j] = whole(whole(total[j]) + whole(whole(ab + cd) + whole(ef + gh)))


@compiled
def add_samples(totals, chunk, to, samples, chosen, begin, end):
    """totals[chunk, to] += the samples chosen from `begin` to `end`, a multiple of eight."""
    for at in range(begin, end, 8):
        a, b, c, d = chosen[at], chosen[at + 1], chosen[at + 2], chosen[at + 3]
        e, f, g, h = chosen[at + 4], chosen[at + 5], chosen[at + 6], chosen[at + 7]
        for j in range(samples.shape[2]):
            abcd = (samples[chunk, a, j] + samples[chunk, b, j]) + (
                samples[chunk, c, j] + samples[chunk, d, j]
            )
            efgh = (samples[chunk, e, j] + samples[chunk, f, j]) + (
                samples[chunk, g, j] + samples[chunk, h, j]
            )
            totals[chunk, to, j] += abcd + efgh


@compiled
def eights(count):
    """The next multiple of eight."""
    return (count + 7) & ~7


@compiled
def sort_samples(rows, seen, men, first, last, ordered):
    """What positions have which feature.

    Args:
        rows: int64[N, 4].
        seen: int32[N, 2, MOST_MEN], written: features of both sides, filled up with INPUTS.
        men: int32[N], written.
        first: int32[INPUTS + 1], written: where the samples of each feature begin in `ordered`.
        last: int32[INPUTS], overwritten.
        ordered: int32[2 BLOCK MOST_MEN + 8 INPUTS], written: samples, 2 * position + side, filled
            up with 2 BLOCK to multiples of eight.
    """
    last[:] = 0
    for p in range(len(rows)):
        count = features_of(rows[p], seen[p])
        men[p] = count
        for side in range(2):
            for k in range(count):
                last[seen[p, side, k]] += 1
            for k in range(count, eights(count)):
                seen[p, side, k] = INPUTS
    end = 0
    for f in range(INPUTS):
        first[f] = end
        for k in range(end + last[f], end + eights(last[f])):
            ordered[k] = 2 * BLOCK
        end += eights(last[f])
        last[f] = first[f]
    first[INPUTS] = end
    for p in range(len(rows)):
        for side in range(2):
            for k in range(men[p]):
                f = seen[p, side, k]
                ordered[last[f]] = 2 * p + side
                last[f] += 1


@compiled
def forgive_shared(rows, misses, shared):
    """Leave a share of the error that neighbours have in common, as White sees it.

    A search compares the positions that it evaluates, so an error that is in all of them costs it
    nothing.
    """
    for begin in range(0, len(rows), NEIGHBOURS):
        end = min(begin + NEIGHBOURS, len(rows))
        total = 0.0
        for p in range(begin, end):
            total += misses[p] if rows[p, 3] & 1 == 0 else -misses[p]
        forgiven = (1 - shared) * total / (end - begin)
        for p in range(begin, end):
            misses[p] -= forgiven if rows[p, 3] & 1 == 0 else -forgiven


@compiled
def gradient(rows, targets, shared, w1, b1, w2, b2, g1, gb1, g2, gb2):
    """The gradient of the squared error of some positions, added to arrays; returns the error.

    Args:
        rows: int64[N, 4], records of a file of positions, NEIGHBOURS of them next to each other.
        targets: float32[N], the expected score of the side to move.
        shared: weight, 0 to 1, of the error that neighbours have in common.
        w1: int16[chunks, INPUTS + 1, C], the first layer in whole numbers, the last row zero.
        b1, w2, b2: float32[H], [buckets, 2 H], [buckets].
        g1, gb1, g2, gb2: float32[chunks, INPUTS, C], [H], [buckets, 2 H], [buckets]: gradients.
    """
    chunks, _, width = w1.shape
    hidden, buckets = chunks * width, w2.shape[0]
    zero, one = np.float32(0), np.float32(1)
    acc = np.empty((chunks, 2 * BLOCK + 1, width), np.float32)
    acc[:, 2 * BLOCK] = 0
    seen, men = np.empty((BLOCK, 2, MOST_MEN), np.int32), np.empty(BLOCK, np.int32)
    first, last = np.empty(INPUTS + 1, np.int32), np.empty(INPUTS, np.int32)
    ordered = np.empty(2 * BLOCK * MOST_MEN + 8 * INPUTS, np.int32)
    logits, slopes = np.empty(BLOCK, np.float32), np.empty(BLOCK, np.float32)
    misses, steepness = np.empty(BLOCK, np.float64), np.empty(BLOCK, np.float64)
    total = np.empty(width, np.int16)
    error = 0.0
    for begin in range(0, len(rows), BLOCK):
        size = min(BLOCK, len(rows) - begin)
        sort_samples(rows[begin : begin + size], seen, men, first, last, ordered)
        for p in range(size):
            logits[p] = b2[output_bucket(men[p], buckets)]
        for chunk in range(chunks):
            for p in range(size):
                bucket = output_bucket(men[p], buckets)
                for side in range(2):
                    sum_whole_rows(total, w1, chunk, seen[p, side], eights(men[p]))
                    at, sample = side * hidden + chunk * width, 2 * p + side
                    logit = zero
                    for j in range(width):
                        a = np.float32(total[j]) * np.float32(1 / FINENESS) + b1[chunk * width + j]
                        acc[chunk, sample, j] = a
                        c = min(max(a, zero), one)
                        logit += c * c * w2[bucket, at + j]
                    logits[p] += logit
        for p in range(size):
            predicted = 1 / (1 + np.exp(-logits[p]))
            miss = predicted - targets[begin + p]
            error += miss * miss
            misses[p], steepness[p] = miss, predicted * (1 - predicted)
        forgive_shared(rows[begin : begin + size], misses[:size], shared)
        for p in range(size):
            slopes[p] = np.float32(2 * misses[p] * steepness[p])
            gb2[output_bucket(men[p], buckets)] += slopes[p]
        for chunk in range(chunks):
            for p in range(size):
                bucket, slope = output_bucket(men[p], buckets), slopes[p]
                for side in range(2):
                    at, sample = side * hidden + chunk * width, 2 * p + side
                    for j in range(width):
                        c = min(max(acc[chunk, sample, j], zero), one)
                        g2[bucket, at + j] += slope * c * c
                    for j in range(width):
                        a = acc[chunk, sample, j]
                        inside = one if zero < a < one else zero
                        acc[chunk, sample, j] = 2 * slope * w2[bucket, at + j] * a * inside
                    for j in range(width):
                        gb1[chunk * width + j] += acc[chunk, sample, j]
            for f in range(INPUTS):
                add_samples(g1, chunk, f, acc, ordered, first[f], first[f + 1])
    return error


@compiled
def predict(rows, w1, b1, w2, b2, logits):
    """What the network says of positions, seen by the side to move, into float32[N]."""
    acc, seen = np.empty((2, w1.shape[1]), np.float32), np.empty((2, MOST_MEN), np.int32)
    for p in range(len(rows)):
        men = accumulate(rows[p], w1, b1, seen, acc)
        bucket = output_bucket(men, w2.shape[0])
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
        bucket = output_bucket(men, buckets)
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
