"""The memory of the network: its weights, which all threads share, and the sums of each thread."""

from __future__ import annotations

from engine.eval.network.shape import (
    ATTACKED_INPUTS,
    BUCKETS,
    DEEP_NEURONS,
    HIDDEN,
    INPUTS,
    KING_BUCKETS,
    MOST_MEN,
    NEURONS,
)
from engine.native.structs import Struct, array_of, inline, int8, int16, int32, int64, pointer_to

ACCUMULATORS = 256  # a power of two, more plies than a search is deep
ORIENTATIONS = 2 * KING_BUCKETS  # of a view: its king is on the files a to d or e to h


class BucketLayers(Struct):
    """The weights after the first layer for one number of men, in the order that
    `affine_transform` takes.

    Products of the side to move come first, then those of its opponent.
    """

    product_weights = int8[HIDDEN // 4, NEURONS, 4]
    neuron_bias = int32[NEURONS]
    deep_weights = int16[NEURONS, DEEP_NEURONS, 2]  # of neurons, then of their squares
    deep_bias = int32[DEEP_NEURONS]
    direct_weights = int8[HIDDEN]  # of products
    output_weights = int16[DEEP_NEURONS]
    output_bias = int32


class Layers(Struct):
    """The weights; file.py describes them."""

    first_weights = int16[INPUTS, HIDDEN]
    first_bias = int16[HIDDEN]
    attacked_weights = int8[ATTACKED_INPUTS, HIDDEN]
    buckets = array_of(BucketLayers, BUCKETS)
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


class Rows(Struct):
    """Some rows of the first layer."""

    numbers = int64[MOST_MEN]
    count = int64


class Changes(Struct):
    """The rows by which the sums of two positions differ."""

    added = inline(Rows)
    removed = inline(Rows)


class Attacks(Struct):
    """The squares that one side attacks, as bitboards."""

    by_pawns = int64
    by_minors = int64
    by_rooks = int64
    by_any = int64


class CompleteSums(Struct):
    """The sums of one view with the rows of attacked pieces."""

    rows = int64[MOST_MEN]  # of attacked weights
    sums = int16[HIDDEN]


class AttackedPieces(Struct):
    """The attacked pieces of one position."""

    sliders = int64[8]  # White's bishops and queens, Black's; White's rooks and queens, Black's
    reached = int64[8]  # by these
    attacks = array_of(Attacks, 2)  # by colour
    count = int64
    views = array_of(CompleteSums, 2)


class Activations(Struct):
    """What lies between the sums and the score of one position."""

    products = int8[HIDDEN]  # of the side to move's sums first
    totals = int32[NEURONS]  # what they add up to
    neurons = int16[2 * NEURONS]  # neurons, then their squares
    deep_totals = int32[DEEP_NEURONS]


class NetworkEvaluator(Struct):
    """What one thread needs to evaluate positions by the network."""

    layers = pointer_to(Layers)
    accumulators = array_of(Accumulator, 2 * ACCUMULATORS)  # by ply modulo ACCUMULATORS, and view
    remembered = array_of(Remembered, 2 * ORIENTATIONS)  # by view and orientation
    changes = inline(Changes)
    attacked = inline(AttackedPieces)
    activations = inline(Activations)
