"""Forward declarations of kernels whose module imports their callers."""

from __future__ import annotations

from engine.native.jit import forward
from engine.search.state import SearchThread


@forward("negamax")
def negamax(
    thread: SearchThread, alpha: int, beta: int, depth: int, ply: int, cut_node: bool
) -> int:
    """The tree search, for the steps that search."""
    raise NotImplementedError
