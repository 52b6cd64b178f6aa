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
from engine.scores import DRAW, INFINITE, MATE, MATE_IN_RANGE, NO_SCORE, TABLEBASE_WIN_IN_RANGE
from engine.search.corrections import corrected, correction
from engine.search.extensions import (
    may_be_singular,
    may_extend,
    negative_extension,
    other_extension,
    singular_extension,
    singular_margin,
)
from engine.search.histories import (
    add_continuations,
    add_to_previous_move,
    bonus_of,
    forget_tried,
    learn_from_evaluation,
    learn_from_table,
    piece_to,
    remember_row,
    remember_tried,
    reward_best,
)
from engine.search.hooks import leaf_here, leaf_of_child, no_leaf, node_searched
from engine.search.node import (
    better_known,
    forget_pv,
    improvement_of,
    is_draw,
    make_and_count,
    prefetch_child,
    probe_tablebases,
    raw_evaluation,
    remember_result,
    start_node,
    start_pv,
    update_pv,
)
from engine.search.ordering import next_move, start_picking, start_picking_noisy
from engine.search.pruning import (
    is_skipped,
    probcut_bound,
    probcut_in_check,
    razoring,
    reverse_futility,
)
from engine.search.quiescence import horizon_score, quiescence
from engine.search.reductions import late_move_reduction
from engine.search.root_moves import NOT_AT_ROOT, find_root_move, record_root_move
from engine.search.state import ROOT_NUMBER, Worker
from engine.search.tt import (
    CAPTURES_DEPTH,
    EXACT,
    LOWER,
    STATIC_DEPTH,
    UPPER,
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

    # --- 1. Horizon: quiescence resolves captures before a position is evaluated
    if depth <= 0:
        return horizon_score(worker, alpha, beta, ply)
    no_leaf(worker, ply)
    if worker.stop:
        return DRAW
    if pv_node:
        start_pv(worker, ply)

    if not root_node:
        # --- 2. Draws, and the end of the stack
        if is_draw(worker, ply):
            return DRAW
        if ply >= MAX_PLY:
            return DRAW if in_check else evaluate(pos, worker.evaluator)
        # If a move can repeat a position, the side to move has at least a draw.
        if alpha < DRAW and now.reversible_plies >= 3 and can_repeat(pos, ply):
            alpha = DRAW

        # --- 3. Mate-distance pruning: no mate from here can be shorter than one already found
        alpha = max(alpha, ply - MATE)
        beta = min(beta, MATE - ply - 1)
        if alpha >= beta:
            return alpha
    else:
        worker.root_delta = beta - alpha
    start_node(worker, ply, in_check)

    # --- 4. Transposition table: an earlier search may have been deep enough. It was of all moves.
    excluded = frame.excluded
    key = table_key(now)
    entry_here = probe(tt, key)  # 0 if unknown: no move, least depth, no bound
    stored = entry_here if excluded == NO_MOVE else 0
    tt_move = entry_move(stored)
    tt_score = entry_score(stored, ply)
    tt_bound = entry_bound(stored)
    if excluded == NO_MOVE:
        frame.was_pv = pv_node or entry_was_pv(stored)
    if root_node:
        tt_move = worker.root_moves[worker.root_first].move
    elif tt_move != NO_MOVE and not is_legal(pos, tt_move):
        tt_move = NO_MOVE
    deep_enough = entry_depth(stored) > depth - (tt_bound == EXACT)
    if (
        not pv_node
        and deep_enough
        and is_decisive(tt_bound, tt_score, alpha, beta)
        and params.table_cutoffs
    ):
        if tt_move != NO_MOVE:
            learn_from_table(worker, ply, tt_move, depth, tt_score >= beta)
        return tt_score

    # --- 5. Tablebases: after a capture or a pawn move the result may be known for certain
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

    # --- 6. Static evaluation, corrected by the correction histories
    raw_eval = NO_SCORE
    static_eval = NO_SCORE
    improvement = 0
    if in_check:
        frame.static_eval = NO_SCORE
    else:
        learnt = correction(worker)
        raw_eval = raw_evaluation(worker, entry_here)
        static_eval = corrected(raw_eval, learnt)
        frame.static_eval = static_eval
        improvement = improvement_of(worker, ply)
        if entry_here == 0:
            store(tt, key, ply, NO_MOVE, 0, raw_eval, STATIC_DEPTH, 0, frame.was_pv != 0)
        learn_from_evaluation(worker, ply)
    improving = improvement > 0

    if not in_check and not root_node:
        known_eval = better_known(static_eval, stored, ply)
        # --- 7. Razoring (selective): far below alpha, only captures can help
        score = razoring(worker, ply, depth, alpha, known_eval)
        if score != NO_SCORE:
            return min(max(score, floor), ceiling)

        # --- 8. Reverse futility (selective): far above beta near the horizon, it will hold
        score = reverse_futility(worker, ply, depth, beta, known_eval, improving)
        if score != NO_SCORE:
            if known_eval == static_eval:
                leaf_here(worker, ply, depth, abs(score - alpha))
            return score

        if not pv_node:
            # --- 9. Null move (selective): if even passing is good enough, a move will be
            if excluded == NO_MOVE:
                score = null_move(worker, ply, depth, beta, known_eval, improvement, cut_node)
                if score != NO_SCORE:
                    leaf_of_child(worker, ply)
                    node_searched(worker, ply, depth, abs(score - alpha))
                    return score

            # --- 10. ProbCut (selective): what is far above beta at low depth is above it at high
            bound = probcut_bound(worker, ply, depth, beta, stored, improving)
            if bound != NO_SCORE:
                score = probcut(worker, ply, depth, bound, tt_move, raw_eval, cut_node)
                if score != NO_SCORE:
                    leaf_of_child(worker, ply)
                    node_searched(worker, ply, depth, abs(score - alpha))
                    return score

        # --- 11. Internal reduction (selective): without a tt_move it mattered little so far
        if tt_move == NO_MOVE:
            if pv_node:
                depth -= params.internal_reduction_pv_node
            elif cut_node and depth >= params.internal_reduction_min_depth:
                depth -= params.internal_reduction_cut_node
            if depth <= 0:
                return min(max(horizon_score(worker, alpha, beta, ply), floor), ceiling)

    noisy_tt_move = tt_move != NO_MOVE and not is_quiet(tt_move)
    if in_check and not pv_node:
        # --- 12. ProbCut in check (selective): an earlier search found a capture far above beta
        score = probcut_in_check(worker, ply, depth, beta, stored, noisy_tt_move)
        if score != NO_SCORE:
            return score

    # --- 13. Singular extension (selective): if all others fail low, everything depends on tt_move
    extends = may_extend(worker, ply)
    is_tested = (
        extends
        and tt_move != NO_MOVE
        and not root_node
        and excluded == NO_MOVE
        and may_be_singular(worker, ply, depth, beta, stored, pv_node)
    )
    tt_extension = 0
    if is_tested:
        singular_beta = tt_score - singular_margin(worker, ply, depth, pv_node)
        score = score_without(worker, ply, depth, tt_move, singular_beta, cut_node)
        if worker.stop:
            return DRAW
        if score < singular_beta:
            tt_extension = singular_extension(worker, ply, score, singular_beta, pv_node)
        elif singular_beta >= beta:
            return singular_beta  # multi-cut: another move fails high as well
        else:
            tt_extension = negative_extension(tt_score, score, alpha, beta)
    quiet_is_singular = tt_extension > 0 and not noisy_tt_move

    # --- 14. Moves, the most promising first. Steps 9 and 13 may search this node a second time:
    #         only now can the frame say what the next steps need to know about it.
    may_fail_low = (
        pv_node and tt_move != NO_MOVE and tt_bound & UPPER != 0 and entry_depth(stored) >= depth
    )
    may_skip = not root_node and non_pawn_count(pos, pos.side) > 0
    deepest = depth if root_node else depth + 1
    doubled = frame.double_extensions
    frame.known = stored != 0
    frame.depth = depth
    frame.improving = improving
    frame.pv_node = pv_node
    frame.cut_node = cut_node
    frame.raw_eval = raw_eval
    frame.static_eval = static_eval
    frame.move_number = 0
    first_alpha = alpha
    best = -INFINITE
    best_move = NO_MOVE
    forget_tried(worker, ply)
    start_picking(worker, ply, tt_move, in_check)
    while True:
        move = next_move(worker, ply, in_check)
        if move == NO_MOVE:
            break
        if move == excluded or (root_node and find_root_move(worker, move) == NOT_AT_ROOT):
            continue
        frame.move_number += 1
        if root_node:
            worker.root_progress = move + ROOT_NUMBER * (worker.root_first + frame.move_number)
        width = beta - alpha

        # --- 15. Pruning of moves (selective): skip those that can hardly be better
        if may_skip and best > -MATE_IN_RANGE and is_skipped(worker, ply, alpha, width, move):
            continue

        prefetch_child(worker, move)

        # --- 16. Extensions (selective): search some moves deeper
        extension = 0
        if is_tested and move == tt_move:
            extension = tt_extension
        elif extends:
            extension = other_extension(worker, ply, move, tt_move)
        new_depth = frame.depth - 1 + extension
        frame.double_extensions = doubled + (extension == 2)

        frame.move = move
        remember_row(worker, ply, move)
        side = pos.side
        column = piece_to(worker, move)
        nodes_before = worker.nodes
        if pv_node:
            forget_pv(worker, ply + 1)

        # --- 17. Late move reductions (selective): late moves are rarely the best
        is_late = (
            frame.depth >= params.reduction_min_depth
            and frame.move_number > 1 + (pv_node and ply <= 1)
            and (
                frame.was_pv == 0
                or is_quiet(move)
                or (cut_node and worker.stack[ply - 1].move_number > 1)
            )
        )
        reduced = new_depth
        if is_late:
            reduction = late_move_reduction(
                worker, ply, move, width, noisy_tt_move, quiet_is_singular, may_fail_low
            )
            reduced = max(1, min(new_depth - reduction, new_depth + 1))
        make_and_count(worker, move)

        # --- 18. Principal variation search: a null window proves that the other moves are not
        #         better than the first; search those again that might be
        score = -INFINITE
        if is_late:
            score = -negamax(worker, -alpha - 1, -alpha, reduced, ply + 1, True)
            if score > alpha and reduced < new_depth:
                # The score decides the depth of the second search.
                deeper = params.deeper_margin + params.deeper_depth_margin * (new_depth - reduced)
                shallower = params.shallower_margin * new_depth // 100
                new_depth += score > alpha + deeper
                new_depth -= score < best + shallower
                if new_depth > reduced:
                    score = -negamax(worker, -alpha - 1, -alpha, new_depth, ply + 1, not cut_node)
                bonus = bonus_of(worker, new_depth)
                bonus = bonus if score > alpha else -bonus
                if not is_quiet(move):
                    bonus = bonus // 6
                if worker.stop == 0:
                    add_continuations(worker, ply, side, column, bonus)
        elif not pv_node or frame.move_number > 1:
            score = -negamax(worker, -alpha - 1, -alpha, new_depth, ply + 1, not cut_node)
        is_open = score > alpha and (root_node or score < beta)
        if pv_node and (frame.move_number == 1 or is_open):
            score = -negamax(worker, -beta, -alpha, min(new_depth, deepest), ply + 1, False)
        unmake(pos)
        if worker.stop:
            return DRAW

        # --- 19. Is it the best so far?
        if root_node:
            record_root_move(worker, move, nodes_before, score, alpha)
        if score > best:
            best = score
            leaf_of_child(worker, ply)
            if score > alpha:
                best_move = move
                if pv_node:
                    update_pv(worker, ply, move)
                if score >= beta:
                    frame.cutoffs += 1
                    break
                alpha = score
                # The other moves have to be better than a good one: less depth will do.
                if 1 < frame.depth <= params.alpha_raised_max_depth:
                    frame.depth -= 1
        if move != best_move:
            remember_tried(worker, ply, move)

    # --- 20. No legal move: mate or stalemate
    if frame.move_number == 0:
        if excluded != NO_MOVE:
            return first_alpha
        return ply - MATE if in_check else DRAW

    # --- 21. What was good here, or before. If no move reached alpha, the previous move was good.
    depth = frame.depth
    if best_move != NO_MOVE:
        reward_best(worker, ply, best_move, depth, best, beta)
    elif (depth >= 5 or pv_node) and not root_node:
        is_clear = pv_node or cut_node or best < alpha - params.failed_low_margin * depth
        add_to_previous_move(worker, ply, bonus_of(worker, depth) * (1 + is_clear))
    if best <= first_alpha and not root_node and depth > 3 and worker.stack[ply - 1].was_pv:
        frame.was_pv = 1
    if excluded != NO_MOVE:
        return best

    # --- 22. Store the result
    best = min(max(best, floor), ceiling)
    node_searched(worker, ply, depth, abs(best - first_alpha))
    if not root_node or worker.root_first == 0:
        remember_result(worker, ply, best, best_move, bound_of(best, first_alpha, beta))
    return best


# --- The steps that search -----------------------------------------------------------------------


@kernel
def null_move(
    worker: Worker,
    ply: int,
    depth: int,
    beta: int,
    known_eval: int,
    improvement: int,
    cut_node: bool,
) -> int:
    """If even passing holds beta, a move will, except in zugzwang, which is rare with at least two
    pieces. The score of the node, or NO_SCORE.

    Donninger, "Null move and deep search", 1993.
    """
    pos = worker.position
    params = worker.params
    static_eval = worker.stack[ply].static_eval
    margin = params.null_move_base - params.null_move_margin * depth
    margin -= improvement // params.null_move_improvement
    if (
        pos.snapshots[pos.ply].move == NO_MOVE  # not twice in a row
        or worker.stack[ply - 1].history >= params.null_move_history_limit
        or known_eval < beta
        or known_eval < static_eval
        or static_eval < beta + margin
        or beta <= -MATE_IN_RANGE
        or ply < worker.null_move_from
        or non_pawn_count(pos, pos.side) <= 1
    ):
        return NO_SCORE
    reduction = params.null_move_reduction + depth // params.null_move_depth_divisor
    surplus = (known_eval - beta) // params.null_move_eval_divisor
    reduction += min(surplus, params.null_move_eval_limit)
    worker.stack[ply].move = NO_MOVE
    remember_row(worker, ply, NO_MOVE)
    make_null(pos)
    prefetch_cluster(worker.tt, table_key(pos.snapshots[pos.ply]))
    score = -negamax(worker, -beta, 1 - beta, depth - reduction, ply + 1, not cut_node)
    unmake_null(pos)
    if worker.stop:
        return score
    if score < beta:
        return NO_SCORE
    score = score if score < TABLEBASE_WIN_IN_RANGE else beta
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
def probcut(
    worker: Worker,
    ply: int,
    depth: int,
    bound: int,
    tt_move: int,
    raw_eval: int,
    cut_node: bool,
) -> int:
    """A capture whose shallow search reaches `bound` will be above beta in a deep one. The score of
    the node, valid for `depth` - 3, or NO_SCORE.

    Buro, "ProbCut: an effective selective extension of the alpha-beta algorithm", 1995.
    """
    pos = worker.position
    frame = worker.stack[ply]
    needed = (bound - frame.static_eval) * 100 // worker.params.piece_worth
    first = NO_MOVE if is_quiet(tt_move) else tt_move
    start_picking_noisy(worker, ply, first, False, CAPTURES_DEPTH)
    while True:
        move = next_move(worker, ply, False)
        if move == NO_MOVE:
            return NO_SCORE
        if move == frame.excluded or not see_at_least(pos, move, needed):
            continue
        prefetch_child(worker, move)
        frame.move = move
        remember_row(worker, ply, move)
        make_and_count(worker, move)
        score = -quiescence(worker, -bound, 1 - bound, ply + 1, 0)
        if score >= bound:
            score = -negamax(worker, -bound, 1 - bound, depth - 4, ply + 1, not cut_node)
        unmake(pos)
        if worker.stop:
            return score
        if score >= bound:
            if frame.excluded != NO_MOVE:
                return score  # of other moves than the table's
            key = table_key(pos.snapshots[pos.ply])
            was_pv = frame.was_pv != 0
            store(worker.tt, key, ply, move, score, raw_eval, depth - 3, LOWER, was_pv)
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
