"""Two scores in one word: middlegame in the upper 32 bits, endgame in the lower.

Adding packed scores, and multiplying one by a small count, works on both halves at once.
"""

from __future__ import annotations

from engine.native.jit import kernel

HALF = 1 << 31
LOW_WORD = (1 << 32) - 1


@kernel
def pack(middlegame: int, endgame: int) -> int:
    return (middlegame << 32) + endgame


@kernel
def middlegame(packed: int) -> int:
    return (packed + HALF) >> 32


@kernel
def endgame(packed: int) -> int:
    return ((packed + HALF) & LOW_WORD) - HALF
