"""Quiescence: at the horizon only captures are searched, until the position is quiet."""

from __future__ import annotations

from engine.board.constants import MAX_PLY
from engine.board.cycles import can_repeat
from engine.board.draws import insufficient_material, is_repetition
from engine.board.legality import is_legal
from engine.board.makemove import likely_key_after, make, unmake
from engine.board.move import NO_MOVE, is_quiet
from engine.board.movegen import ALL, generate
from engine.board.see import move_gain
from engine.eval.evaluate import evaluate
from engine.native.jit import entry, kernel
from engine.search.corrections import corrected
from engine.search.histories import remember_last_moves
from engine.search.ordering import next_move, start_picking
from engine.search.scores import DRAW, MATE, MATE_IN_RANGE, NO_SCORE
from engine.search.state import SearchThread
from engine.search.tt import (
    EXACT,
    LOWER,
    UPPER,
    entry_bound,
    entry_move,
    entry_score,
    entry_static_eval,
    entry_was_pv,
    prefetch_cluster,
    probe,
    store,
)


@kernel
def expect_move(thread: SearchThread, move: int) -> None:
    """Fetch the hash entry after `move`: memory is slow, so long before it is asked for."""
    prefetch_cluster(thread.hash_table, likely_key_after(thread.position, move))


@kernel
def search_move(thread: SearchThread, move: int) -> None:
    """Make a move of the search and count the node."""
    make(thread.position, move)
    thread.nodes += 1
    if thread.nodes >= thread.node_limit:
        thread.stop = 1


@entry
def is_draw(thread: SearchThread, ply: int) -> bool:
    """A draw by the rules. Fifty moves do not count against a mate on the board.

    Uses the move list of `ply`.
    """
    pos = thread.position
    now = pos.snapshots[pos.ply]
    if now.halfmove_clock >= 100:
        return now.checkers == 0 or generate(pos, thread.lists, ply, 0, ALL) > 0
    if now.reversible_plies >= 4 and is_repetition(pos, ply):
        return True
    return insufficient_material(pos)


@entry
def quiescence(thread: SearchThread, alpha: int, beta: int, ply: int) -> int:
    """Score for the side to move, fail-soft. Meaningless once `thread.stop` is set."""
    # --- 1. Draws and the end of the stack
    pos = thread.position
    if thread.stop:
        return 0
    pv_node = beta - alpha > 1
    if pv_node:
        thread.stack[ply].pv_length = 0
        thread.selective_depth = max(thread.selective_depth, ply)
    if is_draw(thread, ply):
        return DRAW
    now = pos.snapshots[pos.ply]
    if alpha < DRAW and now.reversible_plies >= 3 and can_repeat(pos, ply):
        alpha = DRAW
        if alpha >= beta:
            return alpha
    in_check = now.checkers != 0
    if ply >= MAX_PLY:
        return DRAW if in_check else evaluate(pos, thread.evaluator)

    # --- 2. Transposition table: any entry is deep enough here
    stored = probe(thread.hash_table, now.key)
    hash_move = NO_MOVE
    was_pv = pv_node
    if stored:
        was_pv = pv_node or entry_was_pv(stored)
        score = entry_score(stored, ply)
        bound = entry_bound(stored)
        if not pv_node and (
            bound == EXACT
            or (bound == LOWER and score >= beta)
            or (bound == UPPER and score <= alpha)
        ):
            return score
        hash_move = entry_move(stored)

    # --- 3. Stand pat: one may also stop capturing, but not while in check
    raw_eval = NO_SCORE
    best = ply - MATE
    if not in_check:
        raw_eval = entry_static_eval(stored) if stored else NO_SCORE
        if raw_eval == NO_SCORE:
            raw_eval = evaluate(pos, thread.evaluator)
        best = corrected(thread, raw_eval)
        if best >= beta:
            if stored == 0:
                store(thread.hash_table, now.key, ply, NO_MOVE, best, raw_eval, 0, LOWER, False)
            return best
    first_alpha = alpha
    alpha = max(alpha, best)
    futility = best + thread.params.delta_margin

    # --- 4. Captures that do not lose material; every evasion of a check
    if hash_move != NO_MOVE:
        if (is_quiet(hash_move) and not in_check) or not is_legal(pos, hash_move):
            hash_move = NO_MOVE
    best_move = NO_MOVE
    if in_check:
        remember_last_moves(thread, ply)
    start_picking(thread, ply, hash_move, in_check)
    while True:
        move = next_move(thread, ply, in_check, True)
        if move == NO_MOVE:
            break
        expect_move(thread, move)
        if not in_check:
            # Delta pruning: not even the captured piece lifts the score to alpha.
            gain = move_gain(pos, move)
            if futility + gain <= alpha:
                best = max(best, futility + gain)
                continue
        elif best > -MATE_IN_RANGE and is_quiet(move):
            break  # not mated: of the evasions only captures can change much
        search_move(thread, move)
        score = -quiescence(thread, -beta, -alpha, ply + 1)
        unmake(pos)
        if thread.stop:
            return 0
        if score > best:
            best = score
            if score > alpha:
                best_move = move
                alpha = score
                if pv_node:
                    update_pv(thread, ply, move)
                if score >= beta:
                    break

    # --- 5. Remember the result
    bound = UPPER
    if best >= beta:
        bound = LOWER
    elif best > first_alpha and pv_node:
        bound = EXACT
    store(thread.hash_table, now.key, ply, best_move, best, raw_eval, 0, bound, was_pv)
    return best


@kernel
def update_pv(thread: SearchThread, ply: int, move: int) -> None:
    """The best line from here is `move` and then the best line of the next ply."""
    frame = thread.stack[ply]
    rest = thread.stack[ply + 1]
    frame.pv[0] = move
    for i in range(rest.pv_length):
        frame.pv[i + 1] = rest.pv[i]
    frame.pv_length = rest.pv_length + 1
