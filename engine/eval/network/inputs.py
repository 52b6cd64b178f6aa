"""The inputs of the network: the row of the first layer for a piece on a square.

A view has its own pieces first and sees the board from its own first rank. Its own king is on the
files a to d; otherwise the files are mirrored. So a position has the same rows as its
colour-flipped twin and as its mirror image. The king's square chooses one of 16 sets of weights:

    14 14 15 15     ranks 7 and 8
    12 12 13 13     rank 6
    10 10 11 11     rank 5
     8  8  9  9     rank 4
     6  6  7  7     rank 3
     4  4  5  5     rank 2
     0  1  2  3     rank 1, where most kings stand
"""

from __future__ import annotations

from engine.native.jit import entry, kernel


@kernel
def orientation(view: int, king: int) -> int:
    """How `view` sees the board when its own king is on the square `king`: 64 times the set of
    weights, plus what its squares are combined with by exclusive or."""
    flips = 56 * view
    if king & 4:
        flips ^= 7
    seen = king ^ flips
    if seen < 8:
        return 64 * seen + flips
    return 64 * (2 + 2 * min(seen >> 3, 6) + ((seen & 7) >> 1)) + flips


@entry
def input_row(oriented: int, view: int, colour: int, kind: int, square: int) -> int:
    """0 to INPUTS - 1, for a view with this orientation."""
    return 768 * (oriented >> 6) + 384 * (colour ^ view) + 64 * kind + (square ^ (oriented & 63))
