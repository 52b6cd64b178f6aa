"""Minimax and alpha-beta as the textbooks write them, in plain Python.

No table, no ordering, no pruning but alpha-beta's own. They share the board, the rules for draws
and the evaluation with the engine, and are what its search must agree with.
"""

from __future__ import annotations

from engine.board.makemove import make, unmake
from engine.board.notation import legal_moves
from engine.eval.evaluate import evaluate
from engine.search.node import is_draw
from engine.search.state import Worker

INFINITE = 10**6
MATE = 32000


def _final_value(worker: Worker, depth: int, ply: int, moves: list[int]) -> int | None:
    """The value of a position where the tree ends, for the side to move; None where it goes on."""
    pos = worker.position
    if ply > 0 and is_draw(worker, ply):
        return 0
    if not moves and pos.snapshots[pos.ply].checkers:
        return ply - MATE
    if depth == 0:
        return int(evaluate(pos, worker.evaluator))
    return None if moves else 0


def minimax(worker: Worker, depth: int, ply: int = 0) -> int:
    """The best that the side to move can reach against the best replies."""
    moves = legal_moves(worker.position, worker.lists)
    value = _final_value(worker, depth, ply, moves)
    if value is not None:
        return value
    best = -INFINITE
    for move in moves:
        make(worker.position, move)
        best = max(best, -minimax(worker, depth - 1, ply + 1))
        unmake(worker.position)
    return best


def alpha_beta(
    worker: Worker, depth: int, alpha: int = -INFINITE, beta: int = INFINITE, ply: int = 0
) -> int:
    """The same value, without the moves that a refutation has made irrelevant."""
    moves = legal_moves(worker.position, worker.lists)
    value = _final_value(worker, depth, ply, moves)
    if value is not None:
        return value
    for move in moves:
        make(worker.position, move)
        alpha = max(alpha, -alpha_beta(worker, depth - 1, -beta, -alpha, ply + 1))
        unmake(worker.position)
        if alpha >= beta:
            break
    return alpha
