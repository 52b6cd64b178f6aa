"""Pruning of nodes and moves whose full search would hardly give another result.

The kernels that prune a node return its score, or NO_SCORE. After Stockfish 15.
"""

from __future__ import annotations

from engine.board.move import is_quiet
from engine.board.see import move_gain, see_at_least
from engine.native.jit import kernel
from engine.scores import MATE_IN_RANGE, NO_SCORE, TABLEBASE_WIN_IN_RANGE
from engine.search.histories import butterfly, capture_history, near_continuations
from engine.search.ordering import is_check
from engine.search.quiescence import quiescence
from engine.search.reductions import base_reduction
from engine.search.state import PLY, Worker
from engine.search.tt import LOWER, entry_bound, entry_depth, entry_score

HISTORY_UNIT = 20000  # points of history for which the margins are given

# --- Nodes -------------------------------------------------------------------------------------


@kernel
def razoring(worker: Worker, ply: int, depth: int, alpha: int, known_eval: int) -> int:
    """A position far worse than alpha is lost unless captures save it. Once a mate is found, alpha
    is so high that all would be, and no quiet move could find a shorter one."""
    params = worker.params
    margin = params.razoring_base + params.razoring_margin * depth * depth
    if known_eval >= alpha - margin or alpha >= MATE_IN_RANGE:
        return NO_SCORE
    score = quiescence(worker, alpha - 1, alpha, ply, 0)
    return score if worker.stop or score < alpha else NO_SCORE


@kernel
def reverse_futility(
    worker: Worker, ply: int, depth: int, beta: int, known_eval: int, improving: bool
) -> int:
    """Near the horizon, a position far better than beta will hardly fall below it.

    Not for the side that is lost: an attacker who gives a piece for a mate is still winning, but
    the loser's score rises far above beta, and that would prune the mate.
    """
    params = worker.params
    margin = params.reverse_futility_margin * (depth - improving)
    margin += worker.stack[ply - 1].history * params.reverse_futility_history // HISTORY_UNIT
    if (
        worker.stack[ply].was_pv
        or depth > params.reverse_futility_max_depth
        or known_eval - margin < beta
        or known_eval < beta
        or known_eval >= TABLEBASE_WIN_IN_RANGE
        or beta <= -params.decided_score
    ):
        return NO_SCORE
    return known_eval


@kernel
def probcut_bound(
    worker: Worker, ply: int, depth: int, beta: int, stored: int, improving: bool
) -> int:
    """What a shallow search must reach for a deep one to reach beta, or NO_SCORE: do not try.

    `stored` is the entry of the transposition table.
    """
    params = worker.params
    bound = beta + params.probcut_margin - improving * params.probcut_improving_margin
    if depth < params.probcut_min_depth or abs(beta) >= TABLEBASE_WIN_IN_RANGE:
        return NO_SCORE
    if entry_depth(stored) >= depth - 3 and entry_score(stored, ply) < bound:
        return NO_SCORE
    return bound


@kernel
def probcut_in_check(
    worker: Worker, ply: int, depth: int, beta: int, stored: int, noisy_tt_move: bool
) -> int:
    """In check, a capture that an earlier search found far above beta will do."""
    bound = beta + worker.params.probcut_check_margin
    if (
        depth >= 2
        and noisy_tt_move
        and entry_bound(stored) & LOWER
        and entry_depth(stored) >= depth - 3
        and bound <= entry_score(stored, ply) < TABLEBASE_WIN_IN_RANGE
        and abs(beta) < TABLEBASE_WIN_IN_RANGE
    ):
        return bound
    return NO_SCORE


# --- Moves -------------------------------------------------------------------------------------


@kernel
def is_skipped(worker: Worker, ply: int, alpha: int, width: int, move: int) -> bool:
    """Is this move not worth a search?

    Only for nodes with a move that is not mated. After enough moves the picker returns no quiet
    ones any more.
    """
    pos = worker.position
    params = worker.params
    frame = worker.stack[ply]
    depth = frame.depth
    enough = (params.late_move_base + depth * depth) // (2 - frame.improving)
    frame.picker.skip_quiets = frame.move_number >= enough
    lmr_depth = max(depth - 1 - base_reduction(worker, ply, width) // PLY, 0)
    checks = is_check(worker, ply, move)
    if checks or not is_quiet(move):
        if (
            not checks
            and frame.pv_node == 0
            and frame.in_check == 0
            and lmr_depth <= params.capture_futility_max_depth
        ):
            # Futility pruning: what it wins is not enough.
            hope = params.capture_futility_base + params.capture_futility_margin * lmr_depth
            hope += move_gain(pos, move) * params.piece_worth // 100
            learnt = capture_history(worker, move)
            hope += learnt * params.capture_futility_history // HISTORY_UNIT
            if frame.static_eval + hope < alpha:
                return True
        # Static exchange evaluation: it loses too much material.
        margin = params.see_noisy_margin * depth
        return params.exchange_pruning != 0 and not see_at_least(pos, move, -margin)

    # History pruning: it failed everywhere else.
    history = near_continuations(worker, ply, move)
    if (
        lmr_depth <= params.history_pruning_max_depth
        and history < -params.history_pruning_margin * (depth - 1)
    ):
        return True
    # Futility pruning: a quiet move does not gain that much.
    history += 2 * butterfly(worker, move)
    if frame.in_check == 0 and lmr_depth <= params.futility_max_depth:
        hope = params.futility_base + params.futility_margin * lmr_depth
        hope += history * params.futility_history // HISTORY_UNIT
        if frame.static_eval + hope <= alpha:
            return True
    margin = (params.see_quiet_margin * lmr_depth + params.see_quiet_depth_margin) * lmr_depth
    return params.exchange_pruning != 0 and not see_at_least(pos, move, -margin)
