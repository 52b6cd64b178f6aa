"""Counting the leaves of the game tree: the test of everything in this package."""

from __future__ import annotations

from engine.board.makemove import make, unmake
from engine.board.movegen import ALL, generate
from engine.board.position import MoveLists, Position
from engine.native.jit import entry


@entry
def perft(pos: Position, lists: MoveLists, depth: int, ply: int) -> int:
    """Leaves `depth` plies below; the last moves are counted, not made (bulk counting)."""
    if depth <= 0:
        return 1
    count = generate(pos, lists, ply, 0, ALL)
    if depth == 1:
        return count
    leaves = 0
    for i in range(count):
        make(pos, lists.moves[ply, i])
        leaves += perft(pos, lists, depth - 1, ply + 1)
        unmake(pos)
    return leaves
