"""Packed scores: two in one word, middlegame in the upper 32 bits, endgame in the lower.

Adding packed scores, and multiplying one by a small count, works on both halves at once.

`weigh` is the only access from a feature to its weight: every term of the classical evaluation is
a sum of `weigh(...)`. So a copy of the sum with another `weigh` in its place (tuning/variants.py)
gets the features of a position from the same lines that score it.
"""

from __future__ import annotations

from engine.eval.classical.memory import Classical
from engine.native.jit import kernel

HALF = 1 << 31
LOW_WORD = (1 << 32) - 1


@kernel
def make_score(middlegame: int, endgame: int) -> int:
    return (middlegame << 32) + endgame


@kernel
def middlegame(packed: int) -> int:
    return (packed + HALF) >> 32


@kernel
def endgame(packed: int) -> int:
    return ((packed + HALF) & LOW_WORD) - HALF


@kernel
def weigh(evaluator: Classical, us: int, weight: int, count: int) -> int:
    """Packed score of a feature that `us` has `count` times. `weight`: its index in features.py."""
    return evaluator.weights.values[weight] * count
