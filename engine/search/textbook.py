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
from engine.search.state import Worker


@kernel
def leaf_score(worker: Worker, ply: int, count: int) -> int:
    """Value of a position at the horizon that has `count` legal moves."""
    pos = worker.position
    if count == 0 and pos.snapshots[pos.ply].checkers:
        return ply - MATE
    return evaluate(pos, worker.evaluator)


@entry
def minimax(worker: Worker, depth: int, ply: int) -> int:
    """The value if both sides play their best for `depth` plies."""
    pos = worker.position
    if ply > 0 and is_draw(worker, ply):
        return DRAW
    count = generate(pos, worker.lists, ply, 0, ALL)
    if depth == 0:
        return leaf_score(worker, ply, count)
    if count == 0:
        return ply - MATE if pos.snapshots[pos.ply].checkers else DRAW
    best = -INFINITE
    for i in range(count):
        make(pos, worker.lists.moves[ply, i])
        worker.nodes += 1
        best = max(best, -minimax(worker, depth - 1, ply + 1))
        unmake(pos)
    return best


@entry
def alpha_beta(worker: Worker, alpha: int, beta: int, depth: int, ply: int) -> int:
    """The same value, skipping what cannot change it; moves in the order of generation."""
    pos = worker.position
    if ply > 0 and is_draw(worker, ply):
        return DRAW
    count = generate(pos, worker.lists, ply, 0, ALL)
    if depth == 0:
        return leaf_score(worker, ply, count)
    if count == 0:
        return ply - MATE if pos.snapshots[pos.ply].checkers else DRAW
    best = -INFINITE
    for i in range(count):
        make(pos, worker.lists.moves[ply, i])
        worker.nodes += 1
        best = max(best, -alpha_beta(worker, -beta, -max(alpha, best), depth - 1, ply + 1))
        unmake(pos)
        if best >= beta:
            break
    return best
