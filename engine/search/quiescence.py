"""Quiescence: beyond the horizon, search only captures until the position is quiet."""

from __future__ import annotations

from engine.board.constants import MAX_PLY, NO_SQUARE
from engine.board.cycles import can_repeat
from engine.board.legality import is_legal
from engine.board.makemove import unmake
from engine.board.move import NO_MOVE, PROMOTION, is_quiet, to_square
from engine.board.see import move_gain, see_at_least
from engine.eval.evaluate import evaluate
from engine.native.jit import entry, kernel
from engine.scores import DRAW, MATE, MATE_IN_RANGE, NO_SCORE
from engine.search.corrections import corrected, correction
from engine.search.histories import remember_last_moves
from engine.search.hooks import leaf_here, leaf_of_child, no_leaf
from engine.search.node import (
    forget_pv,
    is_draw,
    make_and_count,
    prefetch_child,
    raw_evaluation,
    start_pv,
    update_pv,
)
from engine.search.ordering import next_move, start_picking
from engine.search.state import Worker
from engine.search.tt import (
    LOWER,
    bound_of,
    entry_bound,
    entry_move,
    entry_score,
    entry_was_pv,
    is_decisive,
    probe,
    store,
    table_key,
)


@entry
def quiescence(worker: Worker, alpha: int, beta: int, ply: int) -> int:
    """Score for the side to move, fail-soft. Meaningless once `worker.stop` is set."""
    # --- 1. Draws and the end of the stack
    pos = worker.position
    no_leaf(worker, ply)
    if worker.stop:
        return 0
    pv_node = beta - alpha > 1
    if pv_node:
        start_pv(worker, ply)
    if is_draw(worker, ply):
        return DRAW
    now = pos.snapshots[pos.ply]
    if alpha < DRAW and now.reversible_plies >= 3 and can_repeat(pos, ply):
        alpha = DRAW
        if alpha >= beta:
            return alpha
    in_check = now.checkers != 0
    if ply >= MAX_PLY:
        return DRAW if in_check else evaluate(pos, worker.evaluator)

    # --- 2. Transposition table: any entry is deep enough here
    key = table_key(now)
    stored = probe(worker.tt, key)
    tt_move = NO_MOVE
    was_pv = pv_node
    if stored:
        was_pv = pv_node or entry_was_pv(stored)
        score = entry_score(stored, ply)
        if not pv_node and is_decisive(entry_bound(stored), score, alpha, beta):
            return score
        tt_move = entry_move(stored)

    # --- 3. Stand pat: the side to move need not capture, unless in check
    raw_eval = NO_SCORE
    best = ply - MATE
    if not in_check:
        learnt = correction(worker)
        raw_eval = raw_evaluation(worker, stored)
        best = better_known(corrected(raw_eval, learnt), stored, ply)
        leaf_here(worker, ply, 0, abs(best - alpha))
        if best >= beta:
            if stored == 0:
                store(worker.tt, key, ply, NO_MOVE, best, raw_eval, 0, LOWER, False)
            return best
    first_alpha = alpha
    alpha = max(alpha, best)
    params = worker.params
    futility = best + params.delta_margin
    captures = 0
    last_to = to_square(now.move) if now.move != NO_MOVE else NO_SQUARE

    # --- 4. Captures that do not lose material; every evasion of a check
    if tt_move != NO_MOVE:
        if (is_quiet(tt_move) and not in_check) or not is_legal(pos, tt_move):
            tt_move = NO_MOVE
    best_move = NO_MOVE
    if in_check:
        remember_last_moves(worker, ply)
    start_picking(worker, ply, tt_move, in_check)
    while True:
        move = next_move(worker, ply, in_check, True)
        if move == NO_MOVE:
            break
        prefetch_child(worker, move)
        if not in_check:
            # The first captures are the most promising ones; of the others only recaptures count.
            captures += 1
            is_late = captures > params.quiescence_captures and to_square(move) != last_to
            if is_late and move & PROMOTION == 0:
                continue
            # Delta pruning: the captured piece, or what is left of it after the exchange, does not
            # raise the score to alpha.
            if futility <= alpha and not see_at_least(pos, move, 1):
                best = max(best, futility)
                continue
            gain = move_gain(pos, move)
            if futility + gain <= alpha:
                best = max(best, futility + gain)
                continue
        elif best > -MATE_IN_RANGE and is_quiet(move):
            break  # not mated: only captures among the evasions can change much
        make_and_count(worker, move)
        if pv_node:
            forget_pv(worker, ply + 1)
        score = -quiescence(worker, -beta, -alpha, ply + 1)
        unmake(pos)
        if worker.stop:
            return 0
        if score > best:
            best = score
            leaf_of_child(worker, ply)
            if score > alpha:
                best_move = move
                alpha = score
                if pv_node:
                    update_pv(worker, ply, move)
                if score >= beta:
                    break

    # --- 5. Store the result
    bound = bound_of(best, first_alpha, beta)
    store(worker.tt, key, ply, best_move, best, raw_eval, 0, bound, was_pv)
    return best


@kernel
def better_known(static_eval: int, stored: int, ply: int) -> int:
    """The score of the table's entry `stored` where it shows that the static evaluation is too low
    or too high; else that."""
    score = entry_score(stored, ply)
    if stored == 0 or abs(score) >= MATE_IN_RANGE:
        return static_eval
    is_better = is_decisive(entry_bound(stored), score, static_eval, static_eval)
    return score if is_better else static_eval


@kernel
def horizon_score(worker: Worker, alpha: int, beta: int, ply: int) -> int:
    """The quiescence score, or in a full-width search the evaluation, as in `textbook.py`."""
    if worker.params.quiesce:
        return quiescence(worker, alpha, beta, ply)
    pos = worker.position
    worker.stack[ply].pv_length = 0
    if is_draw(worker, ply):
        return DRAW
    if pos.snapshots[pos.ply].checkers != 0:
        start_picking(worker, ply, NO_MOVE, True)
        if next_move(worker, ply, True, False) == NO_MOVE:
            return ply - MATE
    return evaluate(pos, worker.evaluator)
