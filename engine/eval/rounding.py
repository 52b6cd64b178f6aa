"""Division of scores."""

from __future__ import annotations

from engine.native.jit import entry


@entry
def truncated(number: int, divisor: int) -> int:
    """Towards zero, so that a mirrored position has exactly the opposite score."""
    return number // divisor if number >= 0 else -(-number // divisor)
