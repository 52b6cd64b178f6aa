"""Singular extensions: is the move of the transposition table the only good one?

Anantharaman, Campbell and Hsu, "Singular extensions: adding selectivity to brute-force
searching", 1990; tested against the score of the transposition table, as is usual today.
"""

from __future__ import annotations

from engine.native.jit import kernel
from engine.scores import MATE_IN_RANGE
from engine.search.params import Params
from engine.search.state import Worker
from engine.search.tt import LOWER, entry_bound, entry_depth, entry_score


@kernel
def may_be_singular(worker: Worker, ply: int, depth: int, beta: int, stored: int) -> bool:
    """Is the table entry `stored` good enough to test whether its move is singular?

    Not where the game is decided: many moves win there, and the nodes are better spent on mates.
    """
    params = worker.params
    return (
        depth >= params.singular_min_depth
        and ply < params.extension_ratio * worker.root_depth
        and entry_bound(stored) & LOWER != 0
        and entry_depth(stored) >= depth - params.singular_tt_depth
        and abs(entry_score(stored, ply)) < MATE_IN_RANGE
        and abs(beta) < params.decided_score
    )


@kernel
def singular_extension(
    params: Params, score: int, singular_beta: int, is_above_beta: bool, pv_node: bool
) -> int:
    """By how many plies to extend the tt_move if the other moves reach `score`."""
    if score < singular_beta:
        far_below = score < singular_beta - params.double_extension_margin
        return 2 if far_below and not pv_node else 1
    return -1 if is_above_beta else 0  # other moves are good too
