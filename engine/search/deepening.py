"""Iterative deepening as kernels: one iteration for those who report, all of them for those who
do not.

An iteration searches with a narrow aspiration window around the score of the last one, and widens
the window until the score fits.
"""

from __future__ import annotations

from engine.native.jit import entry, kernel
from engine.scores import INFINITE, MATE_IN_RANGE
from engine.search.negamax import negamax
from engine.search.root_moves import NO_FAIL_HIGH, bring_best_to_front, bring_to_front
from engine.search.state import Worker

MAX_DEPTH = 127
FULL_WINDOW = 2000  # beyond this aspiration margin the window is full


@entry
def open_window(worker: Worker, depth: int, expected: int) -> None:
    """Begin an iteration whose score is probably near `expected`."""
    params = worker.params
    window = worker.window
    window.margin = params.aspiration_margin
    window.alpha = -INFINITE
    window.beta = INFINITE
    window.failed_high = NO_FAIL_HIGH
    window.fail_highs = 0
    if depth >= params.aspiration_min_depth and abs(expected) < MATE_IN_RANGE:
        window.alpha = max(expected - window.margin, -INFINITE)
        window.beta = min(expected + window.margin, INFINITE)


@entry
def search_window(worker: Worker, depth: int) -> bool:
    """Search the root moves. If their score is outside the window, widen it on that side.

    Returns whether the score, `worker.window.score`, is exact. After a stop it is meaningless, and
    `worker.root_best` is the index of the best move found, or -1.
    """
    window = worker.window
    worker.root_best = -1
    # Selective: after it failed high, a search less deep confirms it.
    depth = max(1, depth - window.fail_highs * worker.params.fail_high_reduction)
    score = negamax(worker, window.alpha, window.beta, depth, 0, False)
    window.score = score
    if worker.stop:
        if worker.root_best < 0:
            worker.root_best = window.failed_high
        return False
    if window.alpha < score < window.beta:
        return True
    widen(worker, score)
    return False


@kernel
def widen(worker: Worker, score: int) -> None:
    window = worker.window
    bring_best_to_front(worker)
    window.margin += window.margin // 4 + 1
    if window.margin > FULL_WINDOW:
        window.margin = INFINITE
    if score <= window.alpha:
        window.failed_high = NO_FAIL_HIGH
        window.fail_highs = 0
        window.beta = (window.alpha + window.beta) // 2
        window.alpha = max(score - window.margin, -INFINITE)
    else:
        window.failed_high = worker.root_first
        window.fail_highs += 1
        window.beta = min(score + window.margin, INFINITE)
    worker.root_best = window.failed_high  # it may be stopped before the next window


@entry
def deepen(worker: Worker, deepest: int, soft_nodes: int) -> int:
    """Search depth 1, 2, 3 ... up to `deepest`, and begin no iteration after `soft_nodes`.

    Returns the score of the best move, which is then the first of the root moves. A search that was
    stopped counts as far as it came.
    """
    worker.root_first = 0
    best_score = 0
    for depth in range(1, deepest + 1):
        worker.root_depth = depth
        worker.selective_depth = 0
        open_window(worker, depth, best_score)
        while not search_window(worker, depth):
            if worker.stop:
                if worker.root_best >= 0:
                    best_score = worker.root_moves[worker.root_best].score
                    bring_to_front(worker, worker.root_best)
                return best_score
        bring_best_to_front(worker)
        best_score = worker.window.score
        if worker.nodes >= soft_nodes:
            break
    return best_score
