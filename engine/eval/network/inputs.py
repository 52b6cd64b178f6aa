"""The inputs of the network: the row of the first layer for a piece on a square."""

from __future__ import annotations

from engine.native.jit import entry


@entry
def input_row(view: int, colour: int, kind: int, square: int) -> int:
    """0 to 767. A view has its own pieces first and sees the board from its own first rank, so that
    a position and its colour-flipped twin have the same rows."""
    return 384 * (colour ^ view) + 64 * kind + (square ^ (56 * view))
