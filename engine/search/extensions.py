"""Singular extensions: is the move of the transposition table the only good one?

Anantharaman, Campbell and Hsu, "Singular extensions: adding selectivity to brute-force
searching", 1990; tested against the score of the transposition table, as is usual today.
"""

from __future__ import annotations

from engine.board.move import is_quiet
from engine.native.jit import kernel
from engine.scores import MATE_IN_RANGE
from engine.search.histories import continuation, piece_to
from engine.search.ordering import is_check
from engine.search.state import Worker
from engine.search.tt import LOWER, entry_bound, entry_depth, entry_score, entry_was_pv


@kernel
def may_extend(worker: Worker, ply: int) -> bool:
    """May a move of this node be searched deeper? Not without end."""
    return ply < 2 * worker.root_depth


@kernel
def may_be_singular(
    worker: Worker, ply: int, depth: int, beta: int, stored: int, pv_node: bool
) -> bool:
    """Is the table entry `stored` good enough to test whether its move is singular?

    Not where the game is decided: many moves win there, and the nodes are better spent on mates.
    """
    params = worker.params
    least_depth = params.singular_min_depth
    if pv_node and entry_was_pv(stored):
        least_depth += params.singular_pv_depth
    return (
        depth >= least_depth
        and entry_bound(stored) & LOWER != 0
        and entry_depth(stored) >= depth - params.singular_tt_depth
        and abs(entry_score(stored, ply)) < MATE_IN_RANGE
        and abs(beta) < params.decided_score
    )


@kernel
def singular_margin(worker: Worker, ply: int, depth: int, pv_node: bool) -> int:
    """How far below the tt_move all other moves must be, in centipawns."""
    params = worker.params
    hundredths = params.singular_margin
    if worker.stack[ply].was_pv and not pv_node:
        hundredths += params.singular_was_pv_margin
    return hundredths * depth // 100


@kernel
def singular_extension(
    worker: Worker, ply: int, score: int, singular_beta: int, pv_node: bool
) -> int:
    """By how many plies to extend the tt_move if the other moves reach only `score`."""
    params = worker.params
    if pv_node or worker.stack[ply].double_extensions > params.double_extension_limit:
        return 1
    return 2 if score < singular_beta - params.double_extension_margin else 1


@kernel
def negative_extension(tt_score: int, score: int, alpha: int, beta: int) -> int:
    """The same if the other moves are good too."""
    if tt_score >= beta:
        return -2
    return -1 if tt_score <= alpha and tt_score <= score else 0


@kernel
def other_extension(worker: Worker, ply: int, move: int, tt_move: int) -> int:
    """By how many plies to extend a move that is not singular."""
    params = worker.params
    frame = worker.stack[ply]
    if (
        frame.depth >= params.check_extension_min_depth
        and abs(frame.static_eval) > params.check_extension_eval
        and is_check(worker, ply, move)
    ):
        return 1
    if (
        frame.pv_node
        and move == tt_move
        and move == frame.killers[0]
        and is_quiet(move)
        and continuation(worker, ply, piece_to(worker, move), 1) >= params.quiet_extension_history
    ):
        return 1
    return 0
