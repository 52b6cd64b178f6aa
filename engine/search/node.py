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
from engine.scores import MATE_IN_RANGE, NO_SCORE
from engine.search.corrections import learn_correction
from engine.search.state import Worker
from engine.search.tt import (
    LOWER,
    UPPER,
    entry_bound,
    entry_score,
    entry_static_eval,
    is_decisive,
    prefetch_cluster,
    store,
    table_key,
)
from engine.tb.scoring import tablebase_score

UNKNOWN_IMPROVEMENT = 35  # centipawns, above 0
CLOCK_NODES = 1 if INTERPRETED else 256  # nodes between two looks at the clock


@kernel
def prefetch_child(worker: Worker, move: int) -> None:
    """Prefetch the entry of the position after `move`: memory is slow."""
    prefetch_cluster(worker.tt, likely_key_after(worker.position, move))


@kernel
def make_and_count(worker: Worker, move: int) -> None:
    """Make a move and count the node. Stop at the limit of nodes, or soon after the deadline."""
    make(worker.position, move)
    worker.nodes += 1
    if worker.nodes >= worker.node_limit:
        worker.stop = 1
    if worker.nodes & (CLOCK_NODES - 1) == 0:
        read_clock(worker)


@kernel
def read_clock(worker: Worker) -> None:
    if worker.deadline != NEVER and clock_ticks(worker.clock) >= worker.deadline:
        worker.stop = 1


@entry
def is_draw(worker: Worker, ply: int) -> bool:
    """Is it a draw by the rules? Checkmate takes precedence over the fifty-move rule.

    Uses the move list of `ply`.
    """
    pos = worker.position
    now = pos.snapshots[pos.ply]
    if now.halfmove_clock >= 100:
        return now.checkers == 0 or generate(pos, worker.lists, ply, 0, ALL) > 0
    if now.reversible_plies >= 4 and is_repetition(pos, ply):
        return True
    return insufficient_material(pos)


@kernel
def probe_tablebases(worker: Worker, depth: int, ply: int) -> int:
    """The score of the position by the tablebases, or NO_SCORE."""
    pos = worker.position
    if popcount(pos.occupied) > worker.prober.most_men:
        return NO_SCORE
    score = tablebase_score(worker.prober, pos, worker.lists, depth, ply)
    read_clock(worker)  # a probe may wait for a disk
    if score != NO_SCORE:
        worker.tablebase_hits += 1
    return score


@kernel
def raw_evaluation(worker: Worker, stored: int) -> int:
    """The static evaluation, from the table entry `stored` if it has one."""
    raw_eval = entry_static_eval(stored) if stored else NO_SCORE
    if raw_eval != NO_SCORE:
        return raw_eval
    return evaluate(worker.position, worker.evaluator)


@kernel
def improvement_of(worker: Worker, ply: int) -> int:
    """By how much the side to move is better off than two plies ago (four if it was in check then).
    Where that is not known, something above 0."""
    static_eval = worker.stack[ply].static_eval
    before = NO_SCORE
    if ply >= 2:
        before = worker.stack[ply - 2].static_eval
    if before == NO_SCORE and ply >= 4:
        before = worker.stack[ply - 4].static_eval
    return static_eval - before if before != NO_SCORE else UNKNOWN_IMPROVEMENT


@kernel
def better_known(static_eval: int, stored: int, ply: int) -> int:
    """The score of the table's entry `stored` where it shows that the static evaluation is too low
    or too high; else that."""
    score = entry_score(stored, ply)
    if entry_bound(stored) == 0 or abs(score) >= MATE_IN_RANGE:
        return static_eval
    is_better = is_decisive(entry_bound(stored), score, static_eval, static_eval)
    return score if is_better else static_eval


@kernel
def start_node(worker: Worker, ply: int, in_check: bool) -> None:
    """Begin a node of the search: what its children and theirs will add up starts anew."""
    frame = worker.stack[ply]
    frame.in_check = in_check
    frame.move_number = 0
    frame.double_extensions = worker.stack[ply - 1].double_extensions if ply > 0 else 0
    grandchild = worker.stack[ply + 2]
    grandchild.killers[0] = NO_MOVE
    grandchild.killers[1] = NO_MOVE
    grandchild.cutoffs = 0
    if ply > 0:
        grandchild.history = 0
    else:
        worker.stack[ply + 1].cutoffs = 0


@kernel
def start_pv(worker: Worker, ply: int) -> None:
    """Begin a node of the principal variation, with an empty line."""
    worker.stack[ply].pv_length = 0
    worker.selective_depth = max(worker.selective_depth, ply)


@kernel
def forget_pv(worker: Worker, ply: int) -> None:
    """Clear the line of a child of a PV node before its search. A bound from mate distance or
    tablebases can give that child a null window, and then it keeps the line its sibling left."""
    worker.stack[ply].pv_length = 0


@kernel
def update_pv(worker: Worker, ply: int, move: int) -> None:
    """The principal variation from here is `move` and then that of the next ply."""
    frame = worker.stack[ply]
    rest = worker.stack[ply + 1]
    frame.pv[0] = move
    for i in range(rest.pv_length):
        frame.pv[i + 1] = rest.pv[i]
    frame.pv_length = rest.pv_length + 1


@kernel
def remember_result(worker: Worker, ply: int, best: int, best_move: int, bound: int) -> None:
    """The search of a node found `best`: store it, and learn the error of the static evaluation."""
    pos = worker.position
    now = pos.snapshots[pos.ply]
    frame = worker.stack[ply]
    depth = frame.depth
    raw_eval = frame.raw_eval
    key = table_key(now)
    store(worker.tt, key, ply, best_move, best, raw_eval, depth, bound, frame.was_pv != 0)
    # Captures, and bounds on the other side, do not show an error of the evaluation.
    if (
        now.checkers == 0
        and (best_move == NO_MOVE or is_quiet(best_move))
        and (bound != LOWER or best > raw_eval)
        and (bound != UPPER or best < raw_eval)
    ):
        learn_correction(worker, raw_eval, best, depth)
