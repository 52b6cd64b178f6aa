"""The tree search: alpha-beta in negamax form, in numbered steps.

Minimax gives the value of a position if both sides play their best; alpha-beta gives the same
value, and skips what cannot change it. Steps marked "selective" give up that guarantee for depth.
`full_width_params` switches them off, and then the value is the minimax value.
"""

from __future__ import annotations

from engine.board.constants import MAX_PLY
from engine.board.cycles import can_repeat
from engine.board.legality import is_legal
from engine.board.makemove import unmake
from engine.board.move import NO_MOVE, is_quiet
from engine.eval.evaluate import evaluate
from engine.native.bits import popcount
from engine.native.jit import entry
from engine.scores import DRAW, INFINITE, MATE, MATE_IN_RANGE, NO_SCORE
from engine.search.corrections import corrected, correction
from engine.search.extensions import may_be_singular, score_without, singular_extension
from engine.search.histories import (
    quiet_history,
    remember_tried,
    reward_cutoff,
    reward_previous_move,
    start_histories,
)
from engine.search.node import (
    forget_pv,
    is_draw,
    is_improving,
    make_and_count,
    prefetch_child,
    raw_evaluation,
    remember_result,
    start_pv,
    update_pv,
)
from engine.search.ordering import next_move, start_picking
from engine.search.pruning import is_skipped, null_move, probcut, razoring, reverse_futility
from engine.search.quiescence import horizon_score, quiescence
from engine.search.reductions import base_reduction, late_move_reduction
from engine.search.root_moves import NOT_AT_ROOT, find_root_move, record_root_move
from engine.search.state import PLY, ROOT_NUMBER, SearchThread
from engine.search.tt import (
    LOWER,
    entry_bound,
    entry_depth,
    entry_move,
    entry_score,
    entry_was_pv,
    is_decisive,
    probe,
    store,
    tablebase_bound,
)
from engine.tb.scoring import tablebase_score

TABLEBASE_DEPTH = 6  # plies: a tablebase score is stored as if searched this much deeper


@entry
def negamax(
    thread: SearchThread, alpha: int, beta: int, depth: int, ply: int, cut_node: bool
) -> int:
    """Score of the position for the side to move, fail-soft, `depth` plies deep.

    `cut_node`: a null window that is expected to fail high.

    Meaningless once `thread.stop` is set. At the root (ply 0) it searches only the moves from
    `root_first` on in `thread.root_moves`, and records the result of each there.
    """
    pos = thread.position
    params = thread.params
    now = pos.snapshots[pos.ply]
    frame = thread.stack[ply]
    in_check = now.checkers != 0
    root_node = ply == 0
    pv_node = beta - alpha > 1

    # --- 1. Check extension (selective): search evasions one ply deeper
    if in_check and ply < params.extension_ratio * thread.root_depth:
        depth += 1

    # --- 2. Horizon: quiescence resolves captures before a position is evaluated
    if depth <= 0:
        if params.quiesce:
            return quiescence(thread, alpha, beta, ply)
        return horizon_score(thread, ply)
    if thread.stop:
        return DRAW
    if pv_node:
        start_pv(thread, ply)

    if not root_node:
        # --- 3. Draws, and the end of the stack
        if is_draw(thread, ply):
            return DRAW
        if ply >= MAX_PLY:
            return DRAW if in_check else evaluate(pos, thread.evaluator)
        # If a move can repeat a position, the side to move has at least a draw.
        if alpha < DRAW and now.reversible_plies >= 3 and can_repeat(pos, ply):
            alpha = DRAW
            if alpha >= beta:
                return alpha

        # --- 4. Mate-distance pruning: no mate from here can be shorter than one already found
        alpha = max(alpha, ply - MATE)
        beta = min(beta, MATE - ply - 1)
        if alpha >= beta:
            return alpha

    # --- 5. Transposition table: an earlier search may have been deep enough
    excluded = frame.excluded
    stored = probe(thread.tt, now.key)  # 0 if unknown: no move, depth 0, no bound
    tt_move = entry_move(stored)
    tt_score = entry_score(stored, ply)
    was_pv = pv_node or entry_was_pv(stored)
    if (
        not pv_node
        and excluded == NO_MOVE
        and entry_depth(stored) >= depth
        and now.halfmove_clock < params.tt_clock_limit
        and is_decisive(entry_bound(stored), tt_score, alpha, beta)
    ):
        return tt_score
    if root_node:
        tt_move = thread.root_moves[thread.root_first].move
    elif tt_move != NO_MOVE and not is_legal(pos, tt_move):
        tt_move = NO_MOVE

    # --- 6. Tablebases: after a capture or a pawn move the result may be known for certain
    floor = -INFINITE
    ceiling = INFINITE
    if popcount(pos.occupied) <= thread.prober.most_men and not root_node and excluded == NO_MOVE:
        score = tablebase_score(thread.prober, pos, thread.lists, depth, ply)
        if score != NO_SCORE:
            thread.tablebase_hits += 1
            known = tablebase_bound(score)
            if is_decisive(known, score, alpha, beta):
                stored_depth = min(depth + TABLEBASE_DEPTH, 127)
                table = thread.tt
                store(table, now.key, ply, NO_MOVE, score, NO_SCORE, stored_depth, known, pv_node)
                return score
            if pv_node:  # the search may still find a mate
                if known == LOWER:
                    floor = score
                    alpha = max(alpha, score)
                else:
                    ceiling = score

    # --- 7. Internal iterative reduction (selective): without a tt_move the search will be slow,
    #        and earlier searches did not find the node important
    if (
        tt_move == NO_MOVE
        and depth >= params.internal_reduction_min_depth
        and (pv_node or cut_node)
    ):
        depth -= 1

    # --- 8. Static evaluation, corrected by the correction histories
    raw_eval = NO_SCORE
    static_eval = NO_SCORE
    if not in_check:
        learnt = correction(thread)
        raw_eval = raw_evaluation(thread, stored)
        static_eval = corrected(raw_eval, learnt)
    frame.static_eval = static_eval
    improving = is_improving(thread, ply, static_eval)

    # Prune only null windows, with a static evaluation and without an excluded move.
    may_prune = not pv_node and not in_check and excluded == NO_MOVE
    if may_prune:
        # --- 9. Reverse futility (selective): far above beta near the horizon, it will hold
        score = reverse_futility(thread, ply, depth, beta, improving)
        if score != NO_SCORE:
            return score

        # --- 10. Razoring (selective): far below alpha near the horizon, only captures can help
        score = razoring(thread, ply, depth, alpha)
        if score != NO_SCORE:
            return score

        # --- 11. Null move (selective): if even passing is good enough, a move will be
        score = null_move(thread, ply, depth, beta, cut_node)
        if score != NO_SCORE:
            return score

        # --- 12. ProbCut (selective): a capture that is far above beta in a shallow search will be
        #         above beta in a deep one
        score = probcut(thread, ply, depth, beta, stored, tt_move, improving, cut_node)
        if score != NO_SCORE:
            if not thread.stop:
                table = thread.tt
                store(table, now.key, ply, NO_MOVE, score, raw_eval, depth - 3, LOWER, was_pv)
            return score

    # --- 13. Moves, the most promising first
    best = floor
    best_move = NO_MOVE
    first_alpha = alpha
    move_number = 0
    start_histories(thread, ply)
    start_picking(thread, ply, tt_move, in_check)
    while True:
        move = next_move(thread, ply, in_check, False)
        if move == NO_MOVE:
            break
        if move == excluded:
            continue
        prefetch_child(thread, move)
        root_index = NOT_AT_ROOT
        if root_node:
            root_index = find_root_move(thread, move)
            if root_index == NOT_AT_ROOT:
                continue
            thread.root_progress = move + ROOT_NUMBER * (thread.root_first + move_number + 1)
        move_number += 1
        history = quiet_history(thread, ply, move) if is_quiet(move) else 0
        base = base_reduction(thread, depth, move_number)
        lmr_depth = max(0, depth - base // PLY)

        # --- 14. Pruning of moves (selective): once a move is not mated, skip those that can hardly
        #         be better
        if (not root_node and best > -MATE_IN_RANGE) and is_skipped(
            thread, ply, depth, alpha, move, move_number, history, lmr_depth, static_eval, improving
        ):
            continue

        # --- 15. Singular extension (selective): if all other moves fail low against a bound a
        #         little below tt_score, everything depends on tt_move
        extension = 0
        if (
            move == tt_move
            and not root_node
            and excluded == NO_MOVE
            and may_be_singular(thread, ply, depth, stored)
        ):
            singular_beta = tt_score - params.singular_margin * depth
            score = score_without(thread, ply, depth, move, singular_beta, cut_node)
            if thread.stop:
                return DRAW
            if score >= singular_beta >= beta:
                return singular_beta  # multi-cut: another move fails high as well
            extension = singular_extension(params, score, singular_beta, tt_score >= beta, pv_node)

        nodes_before = thread.nodes
        make_and_count(thread, move)
        if pv_node:
            forget_pv(thread, ply + 1)

        # --- 16. Late move reductions (selective): late moves are rarely the best
        reduction = 0
        if depth >= params.reduction_min_depth and move_number > 1 + pv_node:
            reduction = late_move_reduction(
                thread, ply, depth, move, history, base, improving, pv_node, cut_node, was_pv
            )

        # --- 17. Principal variation search: a null window proves that the other moves are not
        #         better than the first; search those again that might be
        new_depth = depth - 1 + extension
        if move_number == 1:
            expected = not pv_node and not cut_node  # the answer to a cut node is an all node
            score = -negamax(thread, -beta, -alpha, new_depth, ply + 1, expected)
        else:
            score = -negamax(thread, -alpha - 1, -alpha, new_depth - reduction, ply + 1, True)
            if score > alpha and reduction > 0:
                # The score decides the depth of the second search.
                reduced = new_depth - reduction
                new_depth += score > best + params.deeper_margin
                new_depth -= score < best + params.shallower_margin
                if new_depth > reduced:
                    score = -negamax(thread, -alpha - 1, -alpha, new_depth, ply + 1, not cut_node)
            if score > alpha and pv_node:
                score = -negamax(thread, -beta, -alpha, new_depth, ply + 1, False)
        unmake(pos)
        if thread.stop:
            return DRAW

        # --- 18. Is it the best so far?
        if root_node:
            is_first = move_number == 1
            record_root_move(thread, root_index, nodes_before, score, alpha, is_first)
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                best_move = move
                if pv_node:
                    update_pv(thread, ply, move)
                if score >= beta:
                    reward_cutoff(thread, ply, move, depth)
                    break
        remember_tried(thread, ply, move)

    # --- 19. No legal move: mate or stalemate
    if excluded != NO_MOVE:
        return best if move_number > 0 else alpha
    if move_number == 0:
        return ply - MATE if in_check else DRAW

    # --- 20. Store the result. If no move reached alpha, the previous move was good.
    if best <= first_alpha and not root_node:
        reward_previous_move(thread, ply, depth)
    best = min(best, ceiling)
    if not root_node or thread.root_first == 0:
        remember_result(thread, ply, depth, first_alpha, beta, best, best_move, raw_eval, was_pv)
    return best
