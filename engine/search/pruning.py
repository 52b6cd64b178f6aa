"""Pruning of nodes and moves whose full search would hardly give another result.

The kernels that prune a node return its score, or NO_SCORE. They are for null windows only, not in
check, and read the static evaluation in the frame of `ply`.
"""

from __future__ import annotations

from engine.board.checks import gives_check
from engine.board.constants import BISHOP, KNIGHT, QUEEN, ROOK
from engine.board.makemove import make_null, unmake, unmake_null
from engine.board.move import NO_MOVE, is_quiet
from engine.board.position import Position
from engine.board.see import see_at_least
from engine.native.bits import popcount
from engine.native.jit import kernel
from engine.scores import MATE_IN_RANGE, NO_SCORE
from engine.search.forward import negamax
from engine.search.node import make_and_count, prefetch_child
from engine.search.ordering import keep_only_checks, next_move, start_picking
from engine.search.quiescence import quiescence
from engine.search.reductions import base_reduction
from engine.search.state import PLY, SearchThread
from engine.search.tt import entry_depth, entry_score, prefetch_cluster

# --- Nodes -------------------------------------------------------------------------------------


@kernel
def reverse_futility(thread: SearchThread, ply: int, depth: int, beta: int, improving: bool) -> int:
    """Near the horizon, a position far better than beta will hardly fall below it.

    Not for the side that is lost: an attacker who gives a piece for a mate is still winning, but
    the loser's score rises far above beta, and that would prune the mate.
    """
    params = thread.params
    static_eval = thread.stack[ply].static_eval
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
def razoring(thread: SearchThread, ply: int, depth: int, alpha: int) -> int:
    """Near the horizon, a position far worse than alpha is lost unless captures save it."""
    params = thread.params
    static_eval = thread.stack[ply].static_eval
    if depth > params.razoring_max_depth or static_eval + params.razoring_margin * depth > alpha:
        return NO_SCORE
    score = quiescence(thread, alpha, alpha + 1, ply)
    return score if thread.stop or score <= alpha else NO_SCORE


@kernel
def null_move(thread: SearchThread, ply: int, depth: int, beta: int, cut_node: bool) -> int:
    """If even passing holds beta, a move will, except in zugzwang, which is rare with at least two
    pieces."""
    pos = thread.position
    params = thread.params
    static_eval = thread.stack[ply].static_eval
    if (
        pos.snapshots[pos.ply].move == NO_MOVE  # not twice in a row
        or depth < params.null_move_min_depth
        or static_eval < beta
        or beta <= -MATE_IN_RANGE
        or ply < thread.null_move_from
        or non_pawn_count(pos, pos.side) <= 1
    ):
        return NO_SCORE
    reduction = params.null_move_reduction + depth // params.null_move_depth_divisor
    surplus = (static_eval - beta) // params.null_move_eval_divisor
    reduction += min(surplus, params.null_move_eval_limit)
    make_null(pos)
    prefetch_cluster(thread.tt, pos.snapshots[pos.ply].key)
    score = -negamax(thread, -beta, 1 - beta, depth - reduction, ply + 1, not cut_node)
    unmake_null(pos)
    if thread.stop:
        return score
    if score < beta:
        return NO_SCORE
    score = score if score < MATE_IN_RANGE else beta
    if depth < params.null_move_verify_depth or thread.null_move_from > 0:
        return score
    # At this depth an error costs most: verify by a search without null moves in its upper part.
    thread.null_move_from = ply + 3 * (depth - reduction) // 4
    verified = negamax(thread, beta - 1, beta, depth - reduction, ply, False)
    thread.null_move_from = 0
    return score if verified >= beta or thread.stop else NO_SCORE


@kernel
def non_pawn_count(pos: Position, side: int) -> int:
    """Number of pieces of `side`, without king and pawns."""
    pieces = pos.pieces
    minors = pieces[side, KNIGHT] | pieces[side, BISHOP]
    return popcount(minors | pieces[side, ROOK] | pieces[side, QUEEN])


@kernel
def probcut_bound(
    thread: SearchThread, ply: int, depth: int, beta: int, stored: int, improving: bool
) -> int:
    """What a shallow search must reach for a deep one to reach beta, or NO_SCORE: do not try.

    `stored` is the entry of the transposition table.
    """
    params = thread.params
    bound = beta + params.probcut_margin - improving * params.probcut_improving_margin
    if depth < params.probcut_min_depth or abs(beta) >= MATE_IN_RANGE:
        return NO_SCORE
    if stored != 0 and entry_depth(stored) >= depth - 3 and entry_score(stored, ply) < bound:
        return NO_SCORE
    return bound


@kernel
def probcut(
    thread: SearchThread, ply: int, depth: int, bound: int, tt_move: int, cut_node: bool
) -> int:
    """A capture whose shallow search reaches `bound` will be above beta in a deep one.

    The score is valid for `depth` - 3.
    """
    pos = thread.position
    needed = bound - thread.stack[ply].static_eval
    start_picking(thread, ply, NO_MOVE if is_quiet(tt_move) else tt_move, False)
    while True:
        move = next_move(thread, ply, False, True)
        if move == NO_MOVE:
            return NO_SCORE
        if not see_at_least(pos, move, needed):
            continue
        prefetch_child(thread, move)
        make_and_count(thread, move)
        score = -quiescence(thread, -bound, 1 - bound, ply + 1)
        if score >= bound:
            score = -negamax(thread, -bound, 1 - bound, depth - 4, ply + 1, not cut_node)
        unmake(pos)
        if thread.stop or score >= bound:
            return score


# --- Moves -------------------------------------------------------------------------------------


@kernel
def is_skipped(thread: SearchThread, ply: int, alpha: int, static_eval: int, move: int) -> bool:
    """Is this move not worth a search?

    `static_eval` is that of the node; a singular test may have left a later one in the frame.
    Only for nodes with a move that is not mated. Once late move or futility pruning has applied,
    the picker returns only those quiet moves that give check.
    """
    pos = thread.position
    params = thread.params
    frame = thread.stack[ply]
    picker = frame.picker
    depth = frame.depth
    if not is_quiet(move):
        # Static exchange evaluation: it loses too much material.
        threshold = -params.see_noisy_margin * depth
        return depth <= params.see_max_depth and not see_at_least(pos, move, threshold)

    base = base_reduction(thread, depth, frame.move_number)
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
            keep_only_checks(thread, ply)
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
