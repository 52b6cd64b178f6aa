"""The layers after the first: from the sums of both views to a score.

Neurons see products of two clipped sums, as Stockfish's do since 2022. A product asks for two
things at once, which a sum cannot. The deep neurons see the neurons and their squares. The score
also has products without neurons in between: neurons are clipped, and scores have no end.
"""

from __future__ import annotations

import numpy as np

from engine.board.position import Position
from engine.eval.network.accumulator import current_accumulator
from engine.eval.network.memory import Accumulator, Activations, Layers, NetworkEvaluator
from engine.eval.network.shape import (
    BUCKETS,
    DEEP_NEURONS,
    DOT_SCALE,
    DOT_SHIFT,
    INPUT_SCALE,
    MOST_MEN,
    NEURON_SCALE,
    NEURON_SHIFT,
    NEURONS,
    PAIRS,
    PRODUCT_SHIFT,
    TOTAL_SCALE,
    WEIGHT_SHIFT,
)
from engine.eval.rounding import truncated
from engine.native.bits import dot_products, popcount
from engine.native.jit import entry, kernel

HIGHEST = 15000  # centipawns, far below tablebase wins and mates


@entry
def network_score(pos: Position, evaluator: NetworkEvaluator) -> int:
    """Centipawns, from the side to move's view."""
    own = current_accumulator(pos, evaluator, pos.side)
    other = current_accumulator(pos, evaluator, pos.side ^ 1)
    men = popcount(pos.occupied)
    return output(evaluator.layers, own, other, men, evaluator.activations)


@entry
def output(
    layers: Layers, own: Accumulator, other: Accumulator, men: int, activations: Activations
) -> int:
    """Centipawns from the view of the side to move, whose sums are `own`, with `men` on the
    board. `activations` are overwritten."""
    bucket = (men - 2) * BUCKETS // MOST_MEN
    multiply_pairs(own, activations, 0)
    multiply_pairs(other, activations, PAIRS)
    activate_neurons(layers, activations, bucket)
    add_up_deep_neurons(layers, activations, bucket)
    score = truncated(output_total(layers, activations, bucket) * layers.centipawns, TOTAL_SCALE)
    return max(-HIGHEST, min(HIGHEST, score))


# --- Numbers are narrowed at each step, so that LLVM fills vector registers with int16. -----------


@kernel
def multiply_pairs(accumulator: Accumulator, activations: Activations, first: int) -> None:
    """The products of one view, in 1/PRODUCT_SCALE, from number `first` on. The upper half of a
    32-bit product is one instruction, so a sum is moved up before and nothing is shifted after."""
    for j in range(PAIRS):
        one = np.int16(max(np.int16(0), min(np.int16(INPUT_SCALE), np.int16(accumulator.sums[j]))))
        two = np.int16(
            max(np.int16(0), min(np.int16(INPUT_SCALE), np.int16(accumulator.sums[PAIRS + j])))
        )
        product = np.int32(np.int16(one << (16 - PRODUCT_SHIFT))) * np.int32(two)
        activations.products[first + j] = np.int8(product >> 16)


@kernel
def activate_neurons(layers: Layers, activations: Activations, bucket: int) -> None:
    """Each neuron adds up the weighted products, clips the total to 0 to 1, and squares it."""
    dot_products(layers.product_weights[bucket].rows, activations.products, activations.dots)
    for neuron in range(NEURONS):
        total = layers.neuron_bias[bucket, neuron] + activations.dots[neuron]
        clipped = max(0, min(NEURON_SCALE, total >> DOT_SHIFT))
        activations.neurons[neuron] = clipped
        activations.neurons[NEURONS + neuron] = (clipped * clipped) >> NEURON_SHIFT


@kernel
def add_up_deep_neurons(layers: Layers, activations: Activations, bucket: int) -> None:
    """The totals of the deep neurons, in 1/TOTAL_SCALE. They grow side by side, by four neurons at
    a time: shorter loops LLVM would unroll, and then not fill registers."""
    for deep in range(DEEP_NEURONS):
        activations.deep_totals[deep] = layers.deep_bias[bucket, deep]
    for j in range(0, 2 * NEURONS, 4):
        first = np.int32(activations.neurons[j])
        second = np.int32(activations.neurons[j + 1])
        third = np.int32(activations.neurons[j + 2])
        fourth = np.int32(activations.neurons[j + 3])
        for deep in range(DEEP_NEURONS):
            total = np.int32(activations.deep_totals[deep])
            total = np.int32(total + first * np.int32(layers.deep_weights[bucket, j, deep]))
            total = np.int32(total + second * np.int32(layers.deep_weights[bucket, j + 1, deep]))
            total = np.int32(total + third * np.int32(layers.deep_weights[bucket, j + 2, deep]))
            total = np.int32(total + fourth * np.int32(layers.deep_weights[bucket, j + 3, deep]))
            activations.deep_totals[deep] = total


@kernel
def output_total(layers: Layers, activations: Activations, bucket: int) -> int:
    """What the products and the deep neurons, clipped to 0 to 1, add up to, in 1/TOTAL_SCALE."""
    total = layers.output_bias[bucket] + activations.dots[NEURONS] * (TOTAL_SCALE // DOT_SCALE)
    for deep in range(DEEP_NEURONS):
        clipped = max(0, min(NEURON_SCALE, activations.deep_totals[deep] >> WEIGHT_SHIFT))
        total += clipped * layers.output_weights[bucket, deep]
    return total
