"""The second layer: from the sums of both views to a score."""

from __future__ import annotations

import numpy as np

from engine.board.position import Position
from engine.eval.network.accumulator import current_accumulator
from engine.eval.network.memory import Accumulator, Layers, NetworkEvaluator
from engine.eval.network.shape import BUCKETS, HIDDEN, INPUT_SCALE, MOST_MEN
from engine.eval.rounding import truncated
from engine.native.bits import popcount
from engine.native.jit import entry, kernel

HIGHEST = 15000  # centipawns, far below tablebase wins and mates


@entry
def network_score(pos: Position, evaluator: NetworkEvaluator) -> int:
    """Centipawns, from the side to move's view."""
    own = current_accumulator(pos, evaluator, pos.side)
    other = current_accumulator(pos, evaluator, pos.side ^ 1)
    return output(evaluator.layers, own, other, popcount(pos.occupied))


@entry
def output(layers: Layers, own: Accumulator, other: Accumulator, men: int) -> int:
    """Centipawns from the view of the side to move, whose sums are `own`, with `men` on the
    board."""
    bucket = (men - 2) * BUCKETS // MOST_MEN
    total = half_output(layers, own, bucket, 0)
    total += half_output(layers, other, bucket, HIDDEN)
    total += layers.output_bias[bucket] * INPUT_SCALE
    score = truncated(total * layers.centipawns, INPUT_SCALE * INPUT_SCALE * layers.output_scale)
    return max(-HIGHEST, min(HIGHEST, score))


@kernel
def half_output(layers: Layers, accumulator: Accumulator, bucket: int, first: int) -> int:
    """One view's part of the output: its clipped sums, squared, times the weights from number
    `first` on. A clipped sum times a weight fits into int16, the total into int32 (file.py)."""
    total = np.int32(0)
    for j in range(HIDDEN):
        clipped = np.int16(
            max(np.int16(0), min(np.int16(INPUT_SCALE), np.int16(accumulator.sums[j])))
        )
        weighted = np.int16(clipped * np.int16(layers.output_weights[bucket, first + j]))
        total = np.int32(total + np.int32(clipped) * np.int32(weighted))
    return np.int64(total)  # interpreted kernels would go on in int32
