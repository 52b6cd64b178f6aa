"""The shape of the network that the kernels compute, and the scales of its integers.

The inputs of a position, its pieces and again those that are attacked, add up to HIDDEN sums in
each view. The neurons of the next layer see the products of two sums each; the deep neurons after
see these neurons and their squares; the score is a weighted sum of the deep neurons and of the
products.
"""

from __future__ import annotations

from engine.board.constants import MAX_MEN

KING_BUCKETS = 16  # sets of first-layer weights, by where the view's own king stands
PIECE_INPUTS = 768  # a piece on a square
INPUTS = KING_BUCKETS * PIECE_INPUTS  # see inputs.py
ATTACKS = 8  # how a piece is attacked and defended, see attacked.py
ATTACKED_INPUTS = ATTACKS * PIECE_INPUTS
HIDDEN = 768  # sums of one view; fixed here, because the kernels are compiled for it
PAIRS = HIDDEN // 2  # products of one view, of sum number j and PAIRS + j
NEURONS = 16  # which see the products
DEEP_NEURONS = 32  # which see the neurons and their squares
BUCKETS = 8  # sets of weights for all layers but the first, by the number of men
MOST_MEN = MAX_MEN

INPUT_SCALE = 255  # 1.0 in the first layer, where its sums are clipped
PRODUCT_SHIFT = 9  # bits that a product of two clipped sums loses; 7 remain
PRODUCT_SCALE = INPUT_SCALE**2 / (1 << PRODUCT_SHIFT)  # 1.0 of a product, nearly 127
DOT_SCALE = 1 << 15  # 1.0 of what products add up to
PRODUCT_WEIGHT_SCALE = DOT_SCALE / PRODUCT_SCALE  # 1.0 of the weights of products, in int8
DOT_SHIFT = 3  # bits that such a total loses when it becomes a neuron
NEURON_SHIFT = 12
NEURON_SCALE = 1 << NEURON_SHIFT  # 1.0 of a neuron, where it is clipped
WEIGHT_SHIFT = 10
WEIGHT_SCALE = 1 << WEIGHT_SHIFT  # 1.0 of the weights that neurons are multiplied by
TOTAL_SCALE = NEURON_SCALE * WEIGHT_SCALE  # 1.0 of what neurons add up to
