"""Minimax and plain alpha-beta as in textbooks, to compare the real search with.

Both evaluate leaves with the same evaluation, and count a node for each move made.
"""

from __future__ import annotations

from engine.board.makemove import make, unmake
from engine.board.movegen import ALL, generate
from engine.eval.evaluate import evaluate
from engine.native.jit import entry, kernel
from engine.scores import DRAW, INFINITE, MATE
from engine.search.node import is_draw
from engine.search.state import SearchThread


@kernel
def leaf_score(thread: SearchThread, ply: int, count: int) -> int:
    """Value of a position at the horizon that has `count` legal moves."""
    pos = thread.position
    if count == 0 and pos.snapshots[pos.ply].checkers:
        return ply - MATE
    return evaluate(pos, thread.evaluator)


@entry
def minimax(thread: SearchThread, depth: int, ply: int) -> int:
    """The value if both sides play their best for `depth` plies."""
    pos = thread.position
    if ply > 0 and is_draw(thread, ply):
        return DRAW
    count = generate(pos, thread.lists, ply, 0, ALL)
    if depth == 0:
        return leaf_score(thread, ply, count)
    if count == 0:
        return ply - MATE if pos.snapshots[pos.ply].checkers else DRAW
    best = -INFINITE
    for i in range(count):
        make(pos, thread.lists.moves[ply, i])
        thread.nodes += 1
        best = max(best, -minimax(thread, depth - 1, ply + 1))
        unmake(pos)
    return best


@entry
def alpha_beta(thread: SearchThread, alpha: int, beta: int, depth: int, ply: int) -> int:
    """The same value, skipping what cannot change it; moves in the order of generation."""
    pos = thread.position
    if ply > 0 and is_draw(thread, ply):
        return DRAW
    count = generate(pos, thread.lists, ply, 0, ALL)
    if depth == 0:
        return leaf_score(thread, ply, count)
    if count == 0:
        return ply - MATE if pos.snapshots[pos.ply].checkers else DRAW
    best = -INFINITE
    for i in range(count):
        make(pos, thread.lists.moves[ply, i])
        thread.nodes += 1
        best = max(best, -alpha_beta(thread, -beta, -max(alpha, best), depth - 1, ply + 1))
        unmake(pos)
        if best >= beta:
            break
    return best
