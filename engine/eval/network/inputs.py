"""The inputs of the network: which row of the first layer a piece on a square is."""

from __future__ import annotations

from engine.native.jit import entry


@entry
def input_row(view: int, colour: int, kind: int, square: int) -> int:
    """0 to 767. Each side sees its own pieces first and the board from its own first rank, so that
    a position and the same one with colours exchanged have the same rows."""
    return 384 * (colour ^ view) + 64 * kind + (square ^ (56 * view))
