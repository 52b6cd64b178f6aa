"""Ranks and distances on the board."""

from __future__ import annotations

from engine.native.jit import kernel


@kernel
def relative_rank(colour: int, square: int) -> int:
    """0 to 7, seen by `colour`."""
    return (square >> 3) ^ (7 * colour)


@kernel
def distance(first: int, second: int) -> int:
    """King moves between two squares."""
    files = abs((first & 7) - (second & 7))
    ranks = abs((first >> 3) - (second >> 3))
    return max(files, ranks)
