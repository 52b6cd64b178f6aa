"""The memory of the network: its weights, which all threads share, and the sums of each thread."""

from __future__ import annotations

from engine.eval.network.shape import BUCKETS, HIDDEN, INPUTS
from engine.native.memory import Struct, array_of, int16, int64, pointer_to

ACCUMULATORS = 256  # a power of two, more plies than a search is deep


class Layers(Struct):
    """The weights; file.py describes them."""

    first_weights = int16[INPUTS, HIDDEN]
    first_bias = int16[HIDDEN]
    output_weights = int16[BUCKETS, 2 * HIDDEN]  # [bucket, number]: the side to move's half first
    output_bias = int64[BUCKETS]
    output_scale = int64
    centipawns = int64
    in_use = int64  # 0: the weighted sum evaluates instead


class Accumulator(Struct):
    """The sums of the first layer for one position, in both views."""

    key = int64  # of the position these are the sums of
    sums = int16[2, HIDDEN]  # [view, number]


class NetworkEvaluator(Struct):
    """What one thread needs to evaluate positions by the network."""

    layers = pointer_to(Layers)
    accumulators = array_of(Accumulator, ACCUMULATORS)  # by ply, modulo ACCUMULATORS
