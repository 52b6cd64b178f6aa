"""The steps that all nodes of the search share."""

from __future__ import annotations

from engine.board.draws import insufficient_material, is_repetition
from engine.board.makemove import likely_key_after, make
from engine.board.move import NO_MOVE, is_quiet
from engine.board.movegen import ALL, generate
from engine.eval.evaluate import evaluate
from engine.native.bits import clock_ticks, popcount
from engine.native.clock import NEVER
from engine.native.jit import entry, kernel
from engine.native.settings import INTERPRETED
from engine.scores import NO_SCORE
from engine.search.corrections import learn_correction
from engine.search.state import SearchThread
from engine.search.tt import (
    LOWER,
    UPPER,
    entry_static_eval,
    prefetch_cluster,
    store,
)
from engine.tb.scoring import tablebase_score

CLOCK_NODES = 1 if INTERPRETED else 256  # nodes between two looks at the clock


@kernel
def prefetch_child(thread: SearchThread, move: int) -> None:
    """Prefetch the entry of the position after `move`: memory is slow."""
    prefetch_cluster(thread.tt, likely_key_after(thread.position, move))


@kernel
def make_and_count(thread: SearchThread, move: int) -> None:
    """Make a move and count the node. Stop at the limit of nodes, or soon after the deadline."""
    make(thread.position, move)
    thread.nodes += 1
    if thread.nodes >= thread.node_limit:
        thread.stop = 1
    if thread.nodes & (CLOCK_NODES - 1) == 0:
        read_clock(thread)


@kernel
def read_clock(thread: SearchThread) -> None:
    if thread.deadline != NEVER and clock_ticks(thread.clock) >= thread.deadline:
        thread.stop = 1


@entry
def is_draw(thread: SearchThread, ply: int) -> bool:
    """Is it a draw by the rules? Checkmate takes precedence over the fifty-move rule.

    Uses the move list of `ply`.
    """
    pos = thread.position
    now = pos.snapshots[pos.ply]
    if now.halfmove_clock >= 100:
        return now.checkers == 0 or generate(pos, thread.lists, ply, 0, ALL) > 0
    if now.reversible_plies >= 4 and is_repetition(pos, ply):
        return True
    return insufficient_material(pos)


@kernel
def probe_tablebases(thread: SearchThread, depth: int, ply: int) -> int:
    """The score of the position by the tablebases, or NO_SCORE."""
    pos = thread.position
    if popcount(pos.occupied) > thread.prober.most_men:
        return NO_SCORE
    score = tablebase_score(thread.prober, pos, thread.lists, depth, ply)
    read_clock(thread)  # a probe may wait for a disk
    if score != NO_SCORE:
        thread.tablebase_hits += 1
    return score


@kernel
def raw_evaluation(thread: SearchThread, stored: int) -> int:
    """The static evaluation, from the table entry `stored` if it has one."""
    raw_eval = entry_static_eval(stored) if stored else NO_SCORE
    if raw_eval != NO_SCORE:
        return raw_eval
    return evaluate(thread.position, thread.evaluator)


@kernel
def is_improving(thread: SearchThread, ply: int, static_eval: int) -> bool:
    """Is the side to move better off than two plies ago (four if it was in check then)?"""
    if static_eval == NO_SCORE or ply < 2:
        return False
    before = thread.stack[ply - 2].static_eval
    if before == NO_SCORE and ply >= 4:
        before = thread.stack[ply - 4].static_eval
    return before != NO_SCORE and static_eval > before


@kernel
def start_pv(thread: SearchThread, ply: int) -> None:
    """Begin a node of the principal variation, with an empty line."""
    thread.stack[ply].pv_length = 0
    thread.selective_depth = max(thread.selective_depth, ply)


@kernel
def forget_pv(thread: SearchThread, ply: int) -> None:
    """Clear the line of a child of a PV node before its search. A bound from mate distance or
    tablebases can give that child a null window, and then it keeps the line its sibling left."""
    thread.stack[ply].pv_length = 0


@kernel
def update_pv(thread: SearchThread, ply: int, move: int) -> None:
    """The principal variation from here is `move` and then that of the next ply."""
    frame = thread.stack[ply]
    rest = thread.stack[ply + 1]
    frame.pv[0] = move
    for i in range(rest.pv_length):
        frame.pv[i + 1] = rest.pv[i]
    frame.pv_length = rest.pv_length + 1


@kernel
def remember_result(thread: SearchThread, ply: int, best: int, best_move: int, bound: int) -> None:
    """The search of a node found `best`: store it, and learn the error of the static evaluation."""
    pos = thread.position
    now = pos.snapshots[pos.ply]
    frame = thread.stack[ply]
    depth = frame.depth
    raw_eval = frame.raw_eval
    store(thread.tt, now.key, ply, best_move, best, raw_eval, depth, bound, frame.was_pv != 0)
    # Captures, and bounds on the other side, do not show an error of the evaluation.
    if (
        now.checkers == 0
        and (best_move == NO_MOVE or is_quiet(best_move))
        and (bound != LOWER or best > raw_eval)
        and (bound != UPPER or best < raw_eval)
    ):
        learn_correction(thread, raw_eval, best, depth)
