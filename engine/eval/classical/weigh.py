"""The only access from a feature to its weight.

Every term of the classical evaluation is a sum of `weigh(...)`. So a copy of the sum with another
`weigh` in its place (tuning/variants.py) gets the features of a position from the same lines that
score it.
"""

from __future__ import annotations

from engine.eval.classical.memory import Classical
from engine.native.jit import kernel


@kernel
def weigh(evaluator: Classical, us: int, weight: int, count: int) -> int:
    """Packed score of a feature that `us` has `count` times. `weight`: its index in features.py."""
    return evaluator.weights.values[weight] * count
