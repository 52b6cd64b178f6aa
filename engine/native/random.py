"""Random numbers for kernels."""

from __future__ import annotations

from engine.native.bits import shl, shr
from engine.native.jit import kernel
from engine.native.structs import Struct, int64


class Random(Struct):
    state = int64  # the seed; never 0


@kernel
def random_below(random: Random, bound: int) -> int:
    """A number from 0 up to `bound`, which is at most 2^32. (Marsaglia, "Xorshift RNGs", 2003)"""
    state = random.state
    state ^= shl(state, 13)
    state ^= shr(state, 7)
    state ^= shl(state, 17)
    random.state = state
    return shr(shr(state, 32) * bound, 32)
