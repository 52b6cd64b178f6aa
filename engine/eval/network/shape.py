"""The shape of the network that the kernels compute, and the scale of its first layer."""

from __future__ import annotations

KING_BUCKETS = 10  # sets of first-layer weights, by where the view's own king stands
PIECE_INPUTS = 768  # a piece on a square
INPUTS = KING_BUCKETS * PIECE_INPUTS  # see inputs.py
HIDDEN = 768  # sums of one view; fixed here, because the kernels are compiled for it
BUCKETS = 8  # sets of output weights, by the number of men
INPUT_SCALE = 255  # 1.0 in the first layer, where its sums are clipped
MOST_MEN = 32
