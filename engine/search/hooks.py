"""Where the search says whose evaluation a score is. These kernels do nothing, and so cost nothing.

A tool that wants to know compiles a copy of the search in which others take their place
(tuning/variants.py), for example to write down the leaves that decide.
"""

from __future__ import annotations

from engine.native.jit import kernel
from engine.search.state import Worker


@kernel
def no_leaf(worker: Worker, ply: int) -> None:
    """A node begins. Until the others say more, its score is nobody's evaluation."""


@kernel
def leaf_here(worker: Worker, ply: int, depth: int, distance: int) -> None:
    """The score of the node is its own evaluation, `distance` from alpha. Depth 0: quiescence."""


@kernel
def leaf_of_child(worker: Worker, ply: int) -> None:
    """The score of the node is that of the child searched last."""


@kernel
def node_searched(worker: Worker, ply: int, depth: int, distance: int) -> None:
    """The score of the node is known, after a search of its moves. `distance`: from alpha."""
