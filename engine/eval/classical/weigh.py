"""The one way from a feature to its weight.

Every term of the classical evaluation is a sum of `weigh(...)`: so the tracing copy of the sum
(trace.py), in which `weigh` is replaced by `weigh_and_record`, learns which features a position has
from the very lines that score it, and the search pays nothing for it.
"""

from __future__ import annotations

from engine.eval.classical.memory import Classical
from engine.native.jit import kernel


@kernel
def weigh(evaluator: Classical, us: int, weight: int, count: int) -> int:
    """Packed score of a feature that `us` has `count` times. `weight`: index, see features.py."""
    return evaluator.weights.values[weight] * count


@kernel
def weigh_and_record(evaluator: Classical, us: int, weight: int, count: int) -> int:
    """The same, and counts the feature."""
    evaluator.trace.counts[us, weight] += count
    return evaluator.weights.values[weight] * count
