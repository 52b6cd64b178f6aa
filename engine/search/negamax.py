"""The tree search: alpha-beta in negamax form, in numbered steps.

Minimax gives the value of a position if both sides play their best; alpha-beta gives the same
value, and skips what cannot change it. Steps marked "selective" give that guarantee up for
depth. With `full_width_params` they are off, and the value is the minimax value.
"""

from __future__ import annotations

from engine.board.checks import gives_check
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
from engine.search.corrections import corrected
from engine.search.endgames import table_bound, table_score
from engine.search.histories import (
    quiet_history,
    remember_last_moves,
    reward_cutoff,
    reward_previous_move,
)
from engine.search.node import (
    is_draw,
    is_improving,
    make_and_count,
    prefetch_child,
    raw_evaluation,
    remember_result,
    start_pv,
    update_pv,
)
from engine.search.ordering import BAD_NOISY, keep_only_checks, next_move, start_picking
from engine.search.quiescence import horizon_score, quiescence
from engine.search.root_moves import NOT_AT_ROOT, find_root_move, note_root_line, note_root_move
from engine.search.scores import DRAW, INFINITE, MATE, MATE_IN_RANGE, NO_SCORE
from engine.search.state import MAX_TRIED, PLY, REDUCTION_SIZE, ROOT_NUMBER, SearchThread
from engine.search.tt import (
    LOWER,
    entry_bound,
    entry_depth,
    entry_move,
    entry_score,
    entry_was_pv,
    is_decisive,
    prefetch_cluster,
    probe,
    store,
)

TABLE_DEPTH = 6  # plies: how much more than a search what tables know is worth keeping


@entry
def negamax(
    thread: SearchThread, alpha: int, beta: int, depth: int, ply: int, cut_node: bool
) -> int:
    """Score of the position for the side to move, fail-soft, `depth` plies deep.

    `cut_node`: a null window that is expected to fail high.

    Meaningless once `thread.stop` is set. At the root (ply 0) only the moves from `root_first`
    on in `thread.root_moves` are searched, and what is found out about each is noted there.
    """
    pos = thread.position
    params = thread.params
    now = pos.snapshots[pos.ply]
    frame = thread.stack[ply]
    in_check = now.checkers != 0
    root_node = ply == 0
    pv_node = beta - alpha > 1

    # --- 1. Check extension: a check at the horizon is answered before anything is judged
    if in_check and ply < params.extension_ratio * thread.root_depth:
        depth += 1

    # --- 2. Horizon
    if depth <= 0:
        if params.quiesce:
            return quiescence(thread, alpha, beta, ply)
        return horizon_score(thread, ply)
    if thread.stop:
        return 0
    if pv_node:
        start_pv(thread, ply)

    if not root_node:
        # --- 3. Draws, and the end of the stack
        if is_draw(thread, ply):
            return DRAW
        if ply >= MAX_PLY:
            return DRAW if in_check else evaluate(pos, thread.evaluator)

        # A draw is also what a move can repeat: whoever is worse off has at least that.
        if alpha < DRAW and now.reversible_plies >= 3 and can_repeat(pos, ply):
            alpha = DRAW
            if alpha >= beta:
                return alpha

        # --- 4. Mate-distance pruning: a shorter mate than the one at hand is out of reach
        alpha = max(alpha, ply - MATE)
        beta = min(beta, MATE - ply - 1)
        if alpha >= beta:
            return alpha

    # --- 5. Transposition table: perhaps this was searched before, deep enough
    excluded = frame.excluded
    stored = probe(thread.hash_table, now.key)
    hash_move = NO_MOVE
    stored_score = DRAW
    bound = 0
    was_pv = pv_node
    if stored:
        was_pv = pv_node or entry_was_pv(stored)
        hash_move = entry_move(stored)
        stored_score = entry_score(stored, ply)
        bound = entry_bound(stored)
        if (
            not pv_node
            and excluded == NO_MOVE
            and entry_depth(stored) >= depth
            and now.halfmove_clock < params.tt_clock_limit
            and is_decisive(bound, stored_score, alpha, beta)
        ):
            return stored_score
    if root_node:
        hash_move = thread.root_moves[thread.root_first].move
    elif hash_move != NO_MOVE and not is_legal(pos, hash_move):
        hash_move = NO_MOVE

    # --- 6. Endgame tables: what a capture or a pawn move led to may be known for certain
    floor = -INFINITE
    ceiling = INFINITE
    if popcount(pos.occupied) <= thread.prober.most_men and not root_node and excluded == NO_MOVE:
        score = table_score(thread, depth, ply)
        if score != NO_SCORE:
            known = table_bound(score)
            if is_decisive(known, score, alpha, beta):
                stored_depth = min(depth + TABLE_DEPTH, 127)
                table = thread.hash_table
                store(table, now.key, ply, NO_MOVE, score, NO_SCORE, stored_depth, known, pv_node)
                return score
            if pv_node:  # a search may still find a mate
                if known == LOWER:
                    floor = score
                    alpha = max(alpha, score)
                else:
                    ceiling = score

    # --- 7. Internal iterative reduction (selective): without a move from an earlier search, this
    #        one will be slow, and was not thought important before
    if (
        hash_move == NO_MOVE
        and depth >= params.internal_reduction_min_depth
        and (pv_node or cut_node)
    ):
        depth -= 1

    # --- 8. Static evaluation
    raw_eval = NO_SCORE
    static_eval = NO_SCORE
    if not in_check:
        raw_eval = raw_evaluation(thread, stored)
        static_eval = corrected(thread, raw_eval)
    frame.static_eval = static_eval

    improving = is_improving(thread, ply, static_eval)

    # A node may be given up unless its value is needed, the static evaluation says nothing, or a
    # move is left out on purpose.
    may_prune = not pv_node and not in_check and excluded == NO_MOVE

    # --- 9. Reverse futility and razoring (selective): near the horizon, a position far better
    #        than beta, or far worse than alpha, will hardly come back
    if may_prune:
        margin = params.reverse_futility_margin * (depth - improving)
        if (
            depth <= params.reverse_futility_max_depth
            and static_eval - margin >= beta
            and static_eval < MATE_IN_RANGE
        ):
            return (static_eval + beta) // 2 if beta > -MATE_IN_RANGE else static_eval
        if (
            depth <= params.razoring_max_depth
            and static_eval + params.razoring_margin * depth <= alpha
        ):
            score = quiescence(thread, alpha, alpha + 1, ply)
            if score <= alpha:
                return score

    # --- 10. Null move (selective): if even passing is good enough, a move will be, save in
    #        zugzwang, which is rare while there are at least two pieces
    if (
        may_prune
        and now.move != NO_MOVE  # not twice in a row
        and depth >= params.null_move_min_depth
        and static_eval >= beta
        and beta > -MATE_IN_RANGE
        and ply >= thread.null_move_from
        and officer_count(pos, pos.side) > 1
    ):
        surplus = (static_eval - beta) // params.null_move_eval_divisor
        reduction = params.null_move_reduction + depth // params.null_move_depth_divisor
        reduction += min(surplus, params.null_move_eval_limit)
        make_null(pos)
        prefetch_cluster(thread.hash_table, pos.snapshots[pos.ply].key)
        score = -negamax(thread, -beta, 1 - beta, depth - reduction, ply + 1, not cut_node)
        unmake_null(pos)
        if thread.stop:
            return 0
        if score >= beta:
            score = score if score < MATE_IN_RANGE else beta
            if depth < params.null_move_verify_depth or thread.null_move_from > 0:
                return score
            # Much hangs on it here: verify by a search without null moves in its upper part.
            thread.null_move_from = ply + 3 * (depth - reduction) // 4
            verified = negamax(thread, beta - 1, beta, depth - reduction, ply, False)
            thread.null_move_from = 0
            if thread.stop:
                return 0
            if verified >= beta:
                return score

    # --- 11. ProbCut (selective): a capture whose shallow search is far above beta will be above
    #         beta in a deep one
    probcut_beta = beta + params.probcut_margin - improving * params.probcut_improving_margin
    if (
        may_prune
        and depth >= params.probcut_min_depth
        and abs(beta) < MATE_IN_RANGE
        and (stored == 0 or entry_depth(stored) < depth - 3 or stored_score >= probcut_beta)
    ):
        score = probcut(thread, probcut_beta, depth, ply, hash_move, cut_node)
        if thread.stop:
            return 0
        if score >= probcut_beta:
            store(
                thread.hash_table, now.key, ply, NO_MOVE, score, raw_eval, depth - 3, LOWER, was_pv
            )
            return score

    # --- 12. Moves, the most promising first
    thread.stack[ply + 1].killers[0] = NO_MOVE
    thread.stack[ply + 1].killers[1] = NO_MOVE
    best = floor
    best_move = NO_MOVE
    first_alpha = alpha
    move_number = 0
    tried_quiets = 0
    tried_noisies = 0
    remember_last_moves(thread, ply)
    picker = frame.picker
    start_picking(thread, ply, hash_move, in_check)
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
        quiet = is_quiet(move)
        history = quiet_history(thread, ply, move) if quiet else 0
        usual_reduction = thread.tables.reductions[
            min(depth, REDUCTION_SIZE - 1), min(move_number, REDUCTION_SIZE - 1)
        ]

        # --- 13. Pruning at low depth (selective): once there is a move that is not mated, skip
        #         those that hardly can be better
        if not root_node and best > -MATE_IN_RANGE:
            left = max(0, depth - usual_reduction // PLY)
            if quiet:
                # Late move pruning: enough quiet moves have failed. Futility pruning: a quiet move
                # does not win that much. Both overlook mates, so quiet checks are left.
                if (
                    depth <= params.late_move_max_depth
                    and move_number > (params.late_move_base + depth * depth) // (2 - improving)
                ) or (
                    not in_check
                    and left <= params.futility_max_depth
                    and static_eval + params.futility_base + params.futility_margin * left <= alpha
                ):
                    if picker.only_checks == 0:
                        keep_only_checks(thread, ply)
                    if not gives_check(pos, picker.checks, move):
                        continue
                # History pruning: it failed everywhere else.
                if (
                    left <= params.history_pruning_max_depth
                    and history < -params.history_pruning_margin * left
                ):
                    continue
                if left <= params.exchange_max_depth and not see_at_least(
                    pos, move, -params.exchange_quiet_margin * left
                ):
                    continue
            elif depth <= params.exchange_max_depth and not see_at_least(
                pos, move, -params.exchange_noisy_margin * depth
            ):
                continue
        nodes_before = thread.nodes

        # --- 14. Singular extension (selective): if all other moves fail low against a bound a
        #         little below the hash move's score, everything hangs on that move
        extension = 0
        if (
            move == hash_move
            and not root_node
            and excluded == NO_MOVE
            and depth >= params.singular_min_depth
            and ply < params.extension_ratio * thread.root_depth
            and bound & LOWER
            and entry_depth(stored) >= depth - params.singular_hash_depth
            and abs(stored_score) < MATE_IN_RANGE
        ):
            singular_beta = stored_score - params.singular_margin * depth
            # The test uses this ply's memory: what it overwrites is set up again below.
            frame.excluded = move
            score = negamax(
                thread, singular_beta - 1, singular_beta, (depth - 1) // 2, ply, cut_node
            )
            frame.excluded = NO_MOVE
            if thread.stop:
                return 0
            start_picking(thread, ply, hash_move, in_check)
            next_move(thread, ply, in_check, False)
            if score < singular_beta:
                extension = 1
                if not pv_node and score < singular_beta - params.double_extension_margin:
                    extension = 2
            elif singular_beta >= beta:
                return singular_beta  # multi-cut: another move fails high as well
            elif stored_score >= beta:
                extension = -1  # not the only good one, so less may do

        # --- 15. Late move reductions (selective): moves that come late are rarely the best
        make_and_count(thread, move)
        reduction = 0
        if depth >= params.reduction_min_depth and move_number > 1 + pv_node:
            if quiet:
                reduction = usual_reduction
                reduction += cut_node * params.reduction_cut_node  # an earlier move should do
                reduction += (not improving) * params.reduction_not_improving
                reduction -= pv_node * params.reduction_pv_node
                reduction -= was_pv * params.reduction_was_pv
                reduction -= history * params.reduction_history // 1024
                if pos.snapshots[pos.ply].checkers:
                    reduction -= params.reduction_check
                if move == frame.killers[0] or move == frame.killers[1]:
                    reduction -= params.reduction_killer
            elif not pv_node and picker.stage == BAD_NOISY:
                reduction = usual_reduction * params.reduction_noisy // 1024
            reduction = max(0, min(reduction // PLY, depth - 2))

        # --- 16. Principal variation search: prove with a null window that the other moves are
        #         not better than the first, and search again those that might be
        new_depth = depth - 1 + extension
        if move_number == 1:
            expected = not pv_node and not cut_node  # the answer to a cut node is an all node
            score = -negamax(thread, -beta, -alpha, new_depth, ply + 1, expected)
        else:
            score = -negamax(thread, -alpha - 1, -alpha, new_depth - reduction, ply + 1, True)
            if score > alpha and reduction > 0:
                # How convincing it was says how deep to look again.
                reduced = new_depth - reduction
                new_depth += score > best + params.deeper_margin
                new_depth -= score < best + params.shallower_margin
                if new_depth > reduced:
                    score = -negamax(thread, -alpha - 1, -alpha, new_depth, ply + 1, not cut_node)
            if score > alpha and pv_node:
                score = -negamax(thread, -beta, -alpha, new_depth, ply + 1, False)
        unmake(pos)
        if thread.stop:
            return 0

        # --- 17. Is it the best so far?
        if root_node:
            note_root_move(thread, root_index, nodes_before)
            if move_number == 1 or score > alpha:
                note_root_line(thread, root_index, score)
            if score > alpha:
                thread.root_best = root_index
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                best_move = move
                if pv_node:
                    update_pv(thread, ply, move)
                if score >= beta:
                    reward_cutoff(thread, ply, move, quiet, depth, tried_quiets, tried_noisies)
                    break
        if quiet:
            if tried_quiets < MAX_TRIED:
                frame.tried_quiets[tried_quiets] = move
                tried_quiets += 1
        elif tried_noisies < MAX_TRIED:
            frame.tried_noisies[tried_noisies] = move
            tried_noisies += 1

    # --- 18. No legal move: mate or stalemate
    if excluded != NO_MOVE:
        return best if move_number > 0 else alpha
    if move_number == 0:
        return ply - MATE if in_check else DRAW

    # --- 19. Remember the result. If nothing reached alpha, the move before was good.
    if best <= first_alpha and not root_node:
        reward_previous_move(thread, ply, depth)
    best = min(best, ceiling)
    if not root_node or thread.root_first == 0:
        remember_result(thread, ply, depth, first_alpha, beta, best, best_move, raw_eval, was_pv)
    return best


@kernel
def probcut(
    thread: SearchThread, bound: int, depth: int, ply: int, hash_move: int, cut_node: bool
) -> int:
    """The score of a capture that a shallow search finds at `bound` or more; else less."""
    pos = thread.position
    needed = bound - thread.stack[ply].static_eval
    start_picking(thread, ply, hash_move if not is_quiet(hash_move) else NO_MOVE, False)
    while True:
        move = next_move(thread, ply, False, True)
        if move == NO_MOVE:
            return bound - 1
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


@kernel
def officer_count(pos: Position, side: int) -> int:
    """How many pieces `side` has, king and pawns not counted."""
    pieces = pos.pieces
    minors = pieces[side, KNIGHT] | pieces[side, BISHOP]
    return popcount(minors | pieces[side, ROOK] | pieces[side, QUEEN])
