"""Quiescence: beyond the horizon only captures, and at first checks, until all is quiet.

After Stockfish 15.
"""

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
from engine.search.histories import continuation, piece_to, remember_row
from engine.search.hooks import leaf_here, leaf_of_child, no_leaf
from engine.search.node import (
    better_known,
    forget_pv,
    is_draw,
    make_and_count,
    prefetch_child,
    raw_evaluation,
    start_pv,
    update_pv,
)
from engine.search.ordering import is_check, next_move, start_picking, start_picking_noisy
from engine.search.state import Worker
from engine.search.tt import (
    CAPTURES_DEPTH,
    LOWER,
    STATIC_DEPTH,
    bound_of,
    entry_bound,
    entry_depth,
    entry_move,
    entry_score,
    entry_was_pv,
    is_decisive,
    probe,
    store,
    table_key,
)


@entry
def quiescence(worker: Worker, alpha: int, beta: int, ply: int, depth: int) -> int:
    """Score for the side to move, fail-soft. Meaningless once `worker.stop` is set.

    `depth` is 0 at the horizon and falls from there: only at 0 it tries quiet checks.
    """
    # --- 1. Draws and the end of the stack
    pos = worker.position
    frame = worker.stack[ply]
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
    frame.in_check = in_check
    if ply >= MAX_PLY:
        return DRAW if in_check else evaluate(pos, worker.evaluator)

    # --- 2. Transposition table: an entry with checks, where they matter, is deep enough
    key = table_key(now)
    stored = probe(worker.tt, key)
    tt_depth = 0 if in_check or depth >= 0 else CAPTURES_DEPTH
    tt_move = entry_move(stored)
    if not pv_node and entry_depth(stored) >= tt_depth:
        score = entry_score(stored, ply)
        if is_decisive(entry_bound(stored), score, alpha, beta):
            return score

    # --- 3. Stand pat: the side to move need not capture, unless in check
    raw_eval = NO_SCORE
    best = ply - MATE
    if not in_check:
        learnt = correction(worker)
        raw_eval = raw_evaluation(worker, stored)
        static_eval = corrected(raw_eval, learnt)
        best = better_known(static_eval, stored, ply)
        if best == static_eval:
            leaf_here(worker, ply, 0, abs(best - alpha))
        if best >= beta:
            if stored == 0:
                store(worker.tt, key, ply, NO_MOVE, best, raw_eval, STATIC_DEPTH, LOWER, False)
            return best
    first_alpha = alpha
    alpha = max(alpha, best)
    params = worker.params
    futility = best + params.delta_margin
    last_to = to_square(now.move) if now.move != NO_MOVE else NO_SQUARE

    # --- 4. Captures and checks that do not lose material; in check evasions, all of them until one
    #        avoids mate
    if tt_move != NO_MOVE and not is_legal(pos, tt_move):
        tt_move = NO_MOVE
    best_move = NO_MOVE
    moves = 0
    quiet_evasions = 0
    start_picking_noisy(worker, ply, tt_move, in_check, depth)
    while True:
        move = next_move(worker, ply, in_check)
        if move == NO_MOVE:
            break
        moves += 1
        if best > -MATE_IN_RANGE:
            is_forcing = in_check or to_square(move) == last_to or move & PROMOTION != 0
            if not is_forcing:
                # The first moves are the most promising ones. Delta pruning: the captured piece, or
                # what is left of it after the exchange, does not raise the score to alpha.
                is_early = moves <= params.quiescence_moves
                hope = futility + move_gain(pos, move) * params.piece_worth // 100
                if is_early and futility <= alpha < hope and not see_at_least(pos, move, 1):
                    hope = futility
                if (not is_early or hope <= alpha) and not is_check(worker, ply, move):
                    if is_early:
                        best = max(best, hope)
                    continue
            if not see_at_least(pos, move, 0):
                continue
            if is_quiet(move):
                # Few quiet moves, and only those that have a good history after an earlier one.
                column = piece_to(worker, move)
                if (
                    continuation(worker, ply, column, 1) < 0
                    and continuation(worker, ply, column, 2) < 0
                ):
                    continue
                if quiet_evasions > 1:
                    break
        if in_check and is_quiet(move):
            quiet_evasions += 1
        prefetch_child(worker, move)
        remember_row(worker, ply, move)
        make_and_count(worker, move)
        if pv_node:
            forget_pv(worker, ply + 1)
        score = -quiescence(worker, -beta, -alpha, ply + 1, depth - 1)
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
    was_pv = entry_was_pv(stored)
    store(worker.tt, key, ply, best_move, best, raw_eval, tt_depth, bound, was_pv)
    return best


@kernel
def horizon_score(worker: Worker, alpha: int, beta: int, ply: int) -> int:
    """The quiescence score, or in a full-width search the evaluation, as in `textbook.py`."""
    if worker.params.quiesce:
        return quiescence(worker, alpha, beta, ply, 0)
    pos = worker.position
    worker.stack[ply].pv_length = 0
    if is_draw(worker, ply):
        return DRAW
    if pos.snapshots[pos.ply].checkers != 0:
        start_picking(worker, ply, NO_MOVE, True)
        if next_move(worker, ply, True) == NO_MOVE:
            return ply - MATE
    return evaluate(pos, worker.evaluator)
