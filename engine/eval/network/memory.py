"""The memory of the network: its weights, which all threads share, and the sums of each thread."""

from __future__ import annotations

from engine.eval.network.shape import (
    BUCKETS,
    DEEP_NEURONS,
    HIDDEN,
    INPUTS,
    KING_BUCKETS,
    NEURONS,
)
from engine.native.memory import Struct, array_of, inline, int8, int16, int32, int64, pointer_to

ACCUMULATORS = 256  # a power of two, more plies than a search is deep
ORIENTATIONS = 2 * KING_BUCKETS  # of a view: its king is on the files a to d or e to h


class ProductWeights(Struct):
    """Of one bucket, for products of the side to move first, then of its opponent."""

    rows = int8[NEURONS + 1, HIDDEN]  # of each neuron, then those straight to the output


class Layers(Struct):
    """The weights; file.py describes them."""

    first_weights = int16[INPUTS, HIDDEN]
    first_bias = int16[HIDDEN]
    product_weights = array_of(ProductWeights, BUCKETS)
    neuron_bias = int32[BUCKETS, NEURONS]
    deep_weights = int16[BUCKETS, 2 * NEURONS, DEEP_NEURONS]  # of neurons, then of their squares
    deep_bias = int32[BUCKETS, DEEP_NEURONS]
    output_weights = int16[BUCKETS, DEEP_NEURONS]
    output_bias = int32[BUCKETS]
    centipawns = int64
    in_use = int64  # 0: the weighted sum evaluates instead


class Accumulator(Struct):
    """The sums of the first layer for one position, in one view."""

    key = int64  # of the position these are the sums of
    sums = int16[HIDDEN]


class Remembered(Struct):
    """The sums of the last position that was added up with the king in this orientation."""

    pieces = int64[2, 6]  # of that position: [colour, kind]
    accumulator = inline(Accumulator)
    filled = int64  # 0: nothing is remembered


class Activations(Struct):
    """What lies between the sums and the score of one position."""

    products = int8[HIDDEN]  # of the side to move's sums first
    dots = int32[NEURONS + 1]  # what they add up to, for each of ProductWeights.rows
    neurons = int16[2 * NEURONS]  # neurons, then their squares
    deep_totals = int32[DEEP_NEURONS]


class NetworkEvaluator(Struct):
    """What one thread needs to evaluate positions by the network."""

    layers = pointer_to(Layers)
    accumulators = array_of(Accumulator, 2 * ACCUMULATORS)  # by ply modulo ACCUMULATORS, and view
    remembered = array_of(Remembered, 2 * ORIENTATIONS)  # by view and orientation
    activations = inline(Activations)
