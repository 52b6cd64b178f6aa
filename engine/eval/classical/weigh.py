"""The only access from a feature to its weight.

Every term of the classical evaluation is a sum of `weigh(...)`. So the tracing copy of the sum
(trace.py), which replaces `weigh` by `weigh_and_record`, gets the features of a position from the
same lines that score it, at no cost for the search.
"""

from __future__ import annotations

from engine.eval.classical.memory import Classical
from engine.native.jit import kernel


@kernel
def weigh(evaluator: Classical, us: int, weight: int, count: int) -> int:
    """Packed score of a feature that `us` has `count` times. `weight`: its index in features.py."""
    return evaluator.weights.values[weight] * count


@kernel
def weigh_and_record(evaluator: Classical, us: int, weight: int, count: int) -> int:
    """The same, and counts the feature."""
    evaluator.trace.counts[us, weight] += count
    return evaluator.weights.values[weight] * count
