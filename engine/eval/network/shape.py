"""The shape of the network that the kernels compute, and the scales of its whole numbers."""

from __future__ import annotations

INPUTS = 768  # a piece on a square: [own or enemy, kind, square]
HIDDEN = 256  # sums of one view; fixed here, for the kernels are compiled for it
BUCKETS = 8  # sets of output weights, by the number of men
INPUT_SCALE = 255  # first layer: 1.0 is this number, and it is where the sums are clipped
MOST_MEN = 32
