"""Pruning of nodes and moves whose full search would hardly give another result.

The kernels that prune a node return its score, or NO_SCORE. They are for null windows only, not in
check, and read the static evaluation in the frame of `ply`.
"""

from __future__ import annotations

from engine.board.checks import gives_check
from engine.board.move import is_quiet
from engine.board.see import see_at_least
from engine.native.jit import kernel
from engine.scores import MATE_IN_RANGE, NO_SCORE
from engine.search.ordering import keep_only_checks
from engine.search.quiescence import quiescence
from engine.search.reductions import base_reduction
from engine.search.state import PLY, Worker
from engine.search.tt import entry_depth, entry_score

# --- Nodes -------------------------------------------------------------------------------------


@kernel
def reverse_futility(worker: Worker, ply: int, depth: int, beta: int, improving: bool) -> int:
    """Near the horizon, a position far better than beta will hardly fall below it.

    Not for the side that is lost: an attacker who gives a piece for a mate is still winning, but
    the loser's score rises far above beta, and that would prune the mate.
    """
    params = worker.params
    static_eval = worker.stack[ply].static_eval
    margin = params.reverse_futility_margin * (depth - improving)
    if (
        depth > params.reverse_futility_max_depth
        or static_eval - margin < beta
        or static_eval >= MATE_IN_RANGE
        or beta <= -params.decided_score
    ):
        return NO_SCORE
    return (static_eval + beta) // 2


@kernel
def razoring(worker: Worker, ply: int, depth: int, alpha: int) -> int:
    """Near the horizon, a position far worse than alpha is lost unless captures save it."""
    params = worker.params
    static_eval = worker.stack[ply].static_eval
    if depth > params.razoring_max_depth or static_eval + params.razoring_margin * depth > alpha:
        return NO_SCORE
    score = quiescence(worker, alpha, alpha + 1, ply)
    return score if worker.stop or score <= alpha else NO_SCORE


@kernel
def probcut_bound(
    worker: Worker, ply: int, depth: int, beta: int, stored: int, improving: bool
) -> int:
    """What a shallow search must reach for a deep one to reach beta, or NO_SCORE: do not try.

    `stored` is the entry of the transposition table.
    """
    params = worker.params
    bound = beta + params.probcut_margin - improving * params.probcut_improving_margin
    if depth < params.probcut_min_depth or abs(beta) >= MATE_IN_RANGE:
        return NO_SCORE
    if stored != 0 and entry_depth(stored) >= depth - 3 and entry_score(stored, ply) < bound:
        return NO_SCORE
    return bound


# --- Moves -------------------------------------------------------------------------------------


@kernel
def is_skipped(worker: Worker, ply: int, alpha: int, static_eval: int, move: int) -> bool:
    """Is this move not worth a search?

    `static_eval` is that of the node; a singular test may have left a later one in the frame.
    Only for nodes with a move that is not mated. Once late move or futility pruning has applied,
    the picker returns only those quiet moves that give check.
    """
    pos = worker.position
    params = worker.params
    frame = worker.stack[ply]
    picker = frame.picker
    depth = frame.depth
    if not is_quiet(move):
        # Static exchange evaluation: it loses too much material.
        threshold = -params.see_noisy_margin * depth
        return depth <= params.see_max_depth and not see_at_least(pos, move, threshold)

    base = base_reduction(worker, depth, frame.move_number)
    lmr_depth = max(0, depth - base // PLY)
    # Late move pruning: enough quiet moves have failed. Futility pruning: a quiet move does not
    # gain that much. Both overlook mates, so quiet checks are exempt.
    late = depth <= params.late_move_max_depth and frame.move_number > (
        params.late_move_base + depth * depth
    ) // (2 - frame.improving)
    futile = (
        static_eval != NO_SCORE
        and lmr_depth <= params.futility_max_depth
        and static_eval + params.futility_base + params.futility_margin * lmr_depth <= alpha
    )
    if late or futile:
        if picker.only_checks == 0:
            keep_only_checks(worker, ply)
        if not gives_check(pos, picker.checks, move):
            return True
    # History pruning: it failed everywhere else.
    if (
        lmr_depth <= params.history_pruning_max_depth
        and frame.history < -params.history_pruning_margin * lmr_depth
    ):
        return True
    threshold = -params.see_quiet_margin * lmr_depth * lmr_depth
    return lmr_depth <= params.see_max_depth and not see_at_least(pos, move, threshold)
