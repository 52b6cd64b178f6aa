"""The layers after the first: from the sums of both views to a score.

Neurons see products of two clipped sums, as Stockfish's do since 2022. A product asks for two
things at once, which a sum cannot. The deep neurons see the neurons and their squares. The score
also has products without neurons in between: neurons are clipped, and scores have no end.
"""

from __future__ import annotations

import numpy as np

from engine.board.position import Position
from engine.eval.network.accumulator import current_accumulator
from engine.eval.network.attacked import add_attacked, find_attacked
from engine.eval.network.memory import (
    Accumulator,
    Activations,
    AttackedPieces,
    BucketLayers,
    CompleteSums,
    Layers,
    NetworkEvaluator,
)
from engine.eval.network.shape import (
    BUCKETS,
    DEEP_NEURONS,
    DOT_SCALE,
    DOT_SHIFT,
    INPUT_SCALE,
    MOST_MEN,
    NEURON_SCALE,
    NEURON_SHIFT,
    PAIRS,
    PRODUCT_SHIFT,
    TOTAL_SCALE,
    WEIGHT_SHIFT,
)
from engine.eval.scaling import truncated
from engine.native.bits import affine_transform, clip_and_square, dot_product, popcount
from engine.native.jit import entry, kernel


@entry
def network_score(pos: Position, evaluator: NetworkEvaluator) -> int:
    """Centipawns, from the side to move's view."""
    own = current_accumulator(pos, evaluator, pos.side)
    other = current_accumulator(pos, evaluator, pos.side ^ 1)
    return score_of_sums(
        pos, evaluator.layers, own, other, evaluator.attacked, evaluator.activations
    )


@entry
def score_of_sums(
    pos: Position,
    layers: Layers,
    own: Accumulator,
    other: Accumulator,
    attacked: AttackedPieces,
    activations: Activations,
) -> int:
    """Centipawns from the view of the side to move, whose sums are `own`. The last two arguments
    are overwritten."""
    find_attacked(pos, attacked)
    own_complete = add_attacked(layers, attacked, pos.side, own)
    other_complete = add_attacked(layers, attacked, pos.side ^ 1, other)
    return output(layers, own_complete, other_complete, popcount(pos.occupied), activations)


@kernel
def output(
    layers: Layers, own: CompleteSums, other: CompleteSums, men: int, activations: Activations
) -> int:
    """Centipawns from the view of the side to move, whose complete sums are `own`, with `men` on
    the board. `activations` are overwritten."""
    bucket = layers.buckets[(men - 2) * BUCKETS // MOST_MEN]
    multiply_pairs(own, activations, 0)
    multiply_pairs(other, activations, PAIRS)
    activate_neurons(bucket, activations)
    return truncated(output_total(bucket, activations) * layers.centipawns, TOTAL_SCALE)


# --- Numbers are narrowed at each step, so that LLVM fills vector registers with int16. -----------


@kernel
def multiply_pairs(complete: CompleteSums, activations: Activations, first: int) -> None:
    """The products of one view, in 1/PRODUCT_SCALE, from number `first` on. The upper half of a
    32-bit product is one instruction, so a sum is moved up before and nothing is shifted after."""
    for j in range(PAIRS):
        one = np.int16(max(np.int16(0), min(np.int16(INPUT_SCALE), np.int16(complete.sums[j]))))
        two = np.int16(
            max(np.int16(0), min(np.int16(INPUT_SCALE), np.int16(complete.sums[PAIRS + j])))
        )
        product = np.int32(np.int16(one << (16 - PRODUCT_SHIFT))) * np.int32(two)
        activations.products[first + j] = np.int8(product >> 16)


@kernel
def activate_neurons(bucket: BucketLayers, activations: Activations) -> None:
    """Each neuron adds up the weighted products, clips the total to 0 to 1, and squares it."""
    products, totals = activations.products, activations.totals
    affine_transform(bucket.product_weights, products, bucket.neuron_bias, totals)
    clip_and_square(totals, DOT_SHIFT, NEURON_SHIFT, activations.neurons)


@kernel
def output_total(bucket: BucketLayers, activations: Activations) -> int:
    """What the products and the deep neurons, clipped to 0 to 1, add up to, in 1/TOTAL_SCALE."""
    affine_transform(
        bucket.deep_weights, activations.neurons, bucket.deep_bias, activations.deep_totals
    )
    direct = dot_product(bucket.direct_weights, activations.products)
    total = bucket.output_bias + direct * (TOTAL_SCALE // DOT_SCALE)
    for deep in range(DEEP_NEURONS):
        clipped = max(0, min(NEURON_SCALE, activations.deep_totals[deep] >> WEIGHT_SHIFT))
        total += clipped * bucket.output_weights[deep]
    return total
