"""The tree search: alpha-beta in negamax form, in numbered steps.

Minimax gives the value of a position if both sides play their best; alpha-beta gives the same
value, and skips what cannot change it. Steps marked "selective" give up that guarantee for depth.
`full_width_params` switches them off, and then the value is the minimax value.
"""

from __future__ import annotations

from engine.board.constants import BISHOP, KNIGHT, MAX_PLY, QUEEN, ROOK
from engine.board.cycles import can_repeat
from engine.board.legality import is_legal
from engine.board.makemove import make_null, unmake, unmake_null
from engine.board.move import NO_MOVE, is_quiet
from engine.board.position import Position
from engine.board.see import see_at_least
from engine.eval.evaluate import evaluate
from engine.native.bits import popcount
from engine.native.jit import entry, kernel
from engine.scores import DRAW, INFINITE, MATE, MATE_IN_RANGE, NO_SCORE
from engine.search.corrections import corrected, correction
from engine.search.extensions import may_be_singular, singular_extension
from engine.search.histories import (
    blame_previous_move,
    forget_tried,
    quiet_history,
    remember_tried,
    reward_cutoff,
    reward_previous_move,
    start_histories,
)
from engine.search.hooks import leaf_here, leaf_of_child, no_leaf, node_searched
from engine.search.node import (
    forget_pv,
    is_draw,
    is_improving,
    make_and_count,
    prefetch_child,
    probe_tablebases,
    raw_evaluation,
    remember_result,
    start_pv,
    update_pv,
)
from engine.search.ordering import next_move, start_picking
from engine.search.pruning import is_skipped, probcut_bound, razoring, reverse_futility
from engine.search.quiescence import horizon_score, quiescence
from engine.search.reductions import late_move_reduction
from engine.search.root_moves import NOT_AT_ROOT, find_root_move, record_root_move
from engine.search.state import ROOT_NUMBER, Worker
from engine.search.tt import (
    LOWER,
    bound_of,
    entry_bound,
    entry_depth,
    entry_move,
    entry_score,
    entry_was_pv,
    is_decisive,
    prefetch_cluster,
    probe,
    store,
    table_key,
    tablebase_bound,
)

TABLEBASE_DEPTH = 6  # plies: a tablebase score is stored as if searched this much deeper


@entry
def negamax(worker: Worker, alpha: int, beta: int, depth: int, ply: int, cut_node: bool) -> int:
    """Score of the position for the side to move, fail-soft, `depth` plies deep.

    `cut_node`: a null window that is expected to fail high.

    Meaningless once `worker.stop` is set. At the root (ply 0) it searches only the moves from
    `root_first` on in `worker.root_moves`, and records the result of each there.
    """
    pos = worker.position
    params = worker.params
    tt = worker.tt
    now = pos.snapshots[pos.ply]
    frame = worker.stack[ply]
    in_check = now.checkers != 0
    root_node = ply == 0
    pv_node = beta - alpha > 1

    # --- 1. Check extension (selective): search evasions one ply deeper
    if in_check and ply < params.extension_ratio * worker.root_depth:
        depth += 1

    # --- 2. Horizon: quiescence resolves captures before a position is evaluated
    if depth <= 0:
        return horizon_score(worker, alpha, beta, ply)
    no_leaf(worker, ply)
    if worker.stop:
        return DRAW
    if pv_node:
        start_pv(worker, ply)

    if not root_node:
        # --- 3. Draws, and the end of the stack
        if is_draw(worker, ply):
            return DRAW
        if ply >= MAX_PLY:
            return DRAW if in_check else evaluate(pos, worker.evaluator)
        # If a move can repeat a position, the side to move has at least a draw.
        if alpha < DRAW and now.reversible_plies >= 3 and can_repeat(pos, ply):
            alpha = DRAW

        # --- 4. Mate-distance pruning: no mate from here can be shorter than one already found
        alpha = max(alpha, ply - MATE)
        beta = min(beta, MATE - ply - 1)
        if alpha >= beta:
            return alpha

    # --- 5. Transposition table: an earlier search may have been deep enough
    excluded = frame.excluded
    key = table_key(now)
    stored = probe(tt, key)  # 0 if unknown: no move, depth 0, no bound
    tt_move = entry_move(stored)
    tt_score = entry_score(stored, ply)
    was_pv = pv_node or entry_was_pv(stored)
    may_cut = not pv_node and excluded == NO_MOVE and params.table_cutoffs != 0
    deep_enough = entry_depth(stored) >= depth
    if may_cut and deep_enough and is_decisive(entry_bound(stored), tt_score, alpha, beta):
        return tt_score
    if root_node:
        tt_move = worker.root_moves[worker.root_first].move
    elif tt_move != NO_MOVE and not is_legal(pos, tt_move):
        tt_move = NO_MOVE

    # --- 6. Tablebases: after a capture or a pawn move the result may be known for certain
    floor = -INFINITE
    ceiling = INFINITE
    if not root_node and excluded == NO_MOVE:
        score = probe_tablebases(worker, depth, ply)
        if score != NO_SCORE:
            known = tablebase_bound(score)
            if is_decisive(known, score, alpha, beta):
                tb_depth = min(depth + TABLEBASE_DEPTH, 127)
                store(tt, key, ply, NO_MOVE, score, NO_SCORE, tb_depth, known, pv_node)
                return score
            # The search may still find a mate: as if there were no tablebases, whose scores are so
            # high that it would prune every quiet way to one.
            if pv_node and known == LOWER:
                floor = score
                alpha = min(alpha, DRAW) if alpha < score else alpha
            elif pv_node:
                ceiling = score
                beta = max(beta, DRAW) if beta > score else beta

    # --- 7. Internal iterative reduction (selective): without a tt_move it mattered little so far
    may_reduce = tt_move == NO_MOVE and (pv_node or cut_node)
    if may_reduce and depth >= params.internal_reduction_min_depth:
        depth -= 1

    # --- 8. Static evaluation, corrected by the correction histories
    raw_eval = NO_SCORE
    static_eval = NO_SCORE
    if not in_check:
        learnt = correction(worker)
        raw_eval = raw_evaluation(worker, stored)
        static_eval = corrected(raw_eval, learnt)
    frame.static_eval = static_eval
    improving = is_improving(worker, ply, static_eval)

    # Prune only null windows, with a static evaluation and without an excluded move.
    may_prune = not pv_node and not in_check and excluded == NO_MOVE
    if may_prune:
        # --- 9. Reverse futility (selective): far above beta near the horizon, it will hold
        score = reverse_futility(worker, ply, depth, beta, improving)
        if score != NO_SCORE:
            leaf_here(worker, ply, depth, abs(score - alpha))
            return score

        # --- 10. Razoring (selective): far below alpha near the horizon, only captures can help
        score = razoring(worker, ply, depth, alpha)
        if score != NO_SCORE:
            return score

        # --- 11. Null move (selective): if even passing is good enough, a move will be
        score = null_move(worker, ply, depth, beta, cut_node)
        if score != NO_SCORE:
            leaf_of_child(worker, ply)
            node_searched(worker, ply, depth, abs(score - alpha))
            return score

        # --- 12. ProbCut (selective): what is far above beta at low depth is above it at high depth
        bound = probcut_bound(worker, ply, depth, beta, stored, improving)
        if bound != NO_SCORE:
            score = probcut(worker, ply, depth, bound, tt_move, cut_node)
            if score != NO_SCORE:
                leaf_of_child(worker, ply)
                node_searched(worker, ply, depth, abs(score - alpha))
                if not worker.stop:
                    store(tt, key, ply, NO_MOVE, score, raw_eval, depth - 3, LOWER, was_pv)
                return score

    # --- 13. Singular extension (selective): if all others fail low, everything depends on tt_move
    start_histories(worker, ply)
    extension = 0
    may_extend = tt_move != NO_MOVE and not root_node and excluded == NO_MOVE
    if may_extend and may_be_singular(worker, ply, depth, beta, stored):
        singular_beta = tt_score - params.singular_margin * depth
        score = score_without(worker, ply, depth, tt_move, singular_beta, cut_node)
        if worker.stop:
            return DRAW
        if score >= singular_beta >= beta:
            return singular_beta  # multi-cut: another move fails high as well
        extension = singular_extension(params, score, singular_beta, tt_score >= beta, pv_node)

    # --- 14. Moves, the most promising first. Steps 11 and 13 may search this node a second time:
    #         only now can the frame say what the next steps need to know about it.
    frame.depth = depth
    frame.improving = improving
    frame.pv_node = pv_node
    frame.cut_node = cut_node
    frame.was_pv = was_pv
    frame.raw_eval = raw_eval
    frame.move_number = 0
    first_alpha = alpha
    best = -INFINITE
    best_move = NO_MOVE
    forget_tried(worker, ply)
    start_picking(worker, ply, tt_move, in_check)
    while True:
        move = next_move(worker, ply, in_check, False)
        if move == NO_MOVE:
            break
        if move == excluded or (root_node and find_root_move(worker, move) == NOT_AT_ROOT):
            continue
        prefetch_child(worker, move)
        frame.move_number += 1
        frame.history = quiet_history(worker, ply, move) if is_quiet(move) else 0
        if root_node:
            worker.root_progress = move + ROOT_NUMBER * (worker.root_first + frame.move_number)

        # --- 15. Pruning of moves (selective): skip those that can hardly be better
        may_skip = not root_node and best > -MATE_IN_RANGE
        if may_skip and is_skipped(worker, ply, alpha, static_eval, move):
            continue

        nodes_before = worker.nodes
        make_and_count(worker, move)
        if pv_node:
            forget_pv(worker, ply + 1)

        # --- 16. Late move reductions (selective): late moves are rarely the best
        reduction = 0
        if depth >= params.reduction_min_depth and frame.move_number > 1 + pv_node:
            reduction = late_move_reduction(worker, ply, move)

        # --- 17. Principal variation search: a null window proves that the other moves are not
        #         better than the first; search those again that might be
        new_depth = depth - 1
        if frame.move_number == 1:
            new_depth += extension  # it is the tt_move
            expected = not pv_node and not cut_node  # the answer to a cut node is an all node
            score = -negamax(worker, -beta, -alpha, new_depth, ply + 1, expected)
        else:
            score = -negamax(worker, -alpha - 1, -alpha, new_depth - reduction, ply + 1, True)
            if score > alpha and reduction > 0:
                # The score decides the depth of the second search.
                reduced = new_depth - reduction
                new_depth += score > best + params.deeper_margin
                new_depth -= score < best + params.shallower_margin
                if new_depth > reduced:
                    score = -negamax(worker, -alpha - 1, -alpha, new_depth, ply + 1, not cut_node)
            if score > alpha and pv_node:
                score = -negamax(worker, -beta, -alpha, new_depth, ply + 1, False)
        unmake(pos)
        if worker.stop:
            return DRAW

        # --- 18. Is it the best so far?
        if root_node:
            record_root_move(worker, move, nodes_before, score, alpha)
        if score > best:
            best = score
            leaf_of_child(worker, ply)
            if score > alpha:
                alpha = score
                best_move = move
                if pv_node:
                    update_pv(worker, ply, move)
                if score >= beta:
                    reward_cutoff(worker, ply, move, depth)
                    if not root_node:
                        blame_previous_move(worker, ply, depth)
                    break
        remember_tried(worker, ply, move)

    # --- 19. No legal move: mate or stalemate
    if excluded != NO_MOVE:
        return best if frame.move_number > 0 else alpha
    if frame.move_number == 0:
        return ply - MATE if in_check else DRAW

    # --- 20. Store the result. If no move reached alpha, the previous move was good.
    if best <= first_alpha and not root_node:
        reward_previous_move(worker, ply, depth)
    best = min(max(best, floor), ceiling)
    node_searched(worker, ply, depth, abs(best - first_alpha))
    if not root_node or worker.root_first == 0:
        remember_result(worker, ply, best, best_move, bound_of(best, first_alpha, beta))
    return best


# --- The steps that search -----------------------------------------------------------------------


@kernel
def null_move(worker: Worker, ply: int, depth: int, beta: int, cut_node: bool) -> int:
    """If even passing holds beta, a move will, except in zugzwang, which is rare with at least two
    pieces. The score of the node, or NO_SCORE.

    Donninger, "Null move and deep search", 1993.
    """
    pos = worker.position
    params = worker.params
    static_eval = worker.stack[ply].static_eval
    if (
        pos.snapshots[pos.ply].move == NO_MOVE  # not twice in a row
        or depth < params.null_move_min_depth
        or static_eval < beta
        or beta <= -MATE_IN_RANGE
        or ply < worker.null_move_from
        or non_pawn_count(pos, pos.side) <= 1
    ):
        return NO_SCORE
    reduction = params.null_move_reduction + depth // params.null_move_depth_divisor
    surplus = (static_eval - beta) // params.null_move_eval_divisor
    reduction += min(surplus, params.null_move_eval_limit)
    make_null(pos)
    prefetch_cluster(worker.tt, table_key(pos.snapshots[pos.ply]))
    score = -negamax(worker, -beta, 1 - beta, depth - reduction, ply + 1, not cut_node)
    unmake_null(pos)
    if worker.stop:
        return score
    if score < beta:
        return NO_SCORE
    score = score if score < MATE_IN_RANGE else beta
    if depth < params.null_move_verify_depth or worker.null_move_from > 0:
        return score
    # At this depth an error costs most: verify by a search without null moves in its upper part.
    worker.null_move_from = ply + 3 * (depth - reduction) // 4
    verified = negamax(worker, beta - 1, beta, depth - reduction, ply, False)
    worker.null_move_from = 0
    return score if verified >= beta or worker.stop else NO_SCORE


@kernel
def non_pawn_count(pos: Position, side: int) -> int:
    """Number of pieces of `side`, without king and pawns."""
    pieces = pos.pieces
    minors = pieces[side, KNIGHT] | pieces[side, BISHOP]
    return popcount(minors | pieces[side, ROOK] | pieces[side, QUEEN])


@kernel
def probcut(worker: Worker, ply: int, depth: int, bound: int, tt_move: int, cut_node: bool) -> int:
    """A capture whose shallow search reaches `bound` will be above beta in a deep one. The score of
    the node, valid for `depth` - 3, or NO_SCORE.

    Buro, "ProbCut: an effective selective extension of the alpha-beta algorithm", 1995.
    """
    pos = worker.position
    needed = bound - worker.stack[ply].static_eval
    start_picking(worker, ply, NO_MOVE if is_quiet(tt_move) else tt_move, False)
    while True:
        move = next_move(worker, ply, False, True)
        if move == NO_MOVE:
            return NO_SCORE
        if not see_at_least(pos, move, needed):
            continue
        prefetch_child(worker, move)
        make_and_count(worker, move)
        score = -quiescence(worker, -bound, 1 - bound, ply + 1)
        if score >= bound:
            score = -negamax(worker, -bound, 1 - bound, depth - 4, ply + 1, not cut_node)
        unmake(pos)
        if worker.stop or score >= bound:
            return score


@kernel
def score_without(
    worker: Worker, ply: int, depth: int, move: int, beta: int, cut_node: bool
) -> int:
    """The score of the moves other than `move`, by a null window below `beta` at half the depth."""
    frame = worker.stack[ply]
    frame.excluded = move
    score = negamax(worker, beta - 1, beta, (depth - 1) // 2, ply, cut_node)
    frame.excluded = NO_MOVE
    return score
