"""Late move reductions: the later a move comes, the less deep its search.

All terms are in 1/1024 plies (`PLY`). After Stockfish 15.
"""

from __future__ import annotations

import math

from engine.board.move import from_square
from engine.native.bits import bit
from engine.native.jit import kernel
from engine.search.histories import butterfly, near_continuations
from engine.search.params import Params
from engine.search.state import PLY, REDUCTION_SIZE, ReductionTable, Worker

DEEP, VERY_DEEP = 8, 19  # plies between which histories count less
POINTS = 1024  # of history, for which the constants are given


def fill_reductions(tables: ReductionTable, params: Params) -> None:
    """The base reduction grows with the logarithms of depth and move number."""
    scale = int(params.reduction_scale) / 100
    tables.reductions[1:] = [int(scale * math.log(number)) for number in range(1, REDUCTION_SIZE)]


@kernel
def base_reduction(worker: Worker, ply: int, width: int) -> int:
    """The reduction by depth, move number and the `width` of the window, compared with that of the
    root."""
    params = worker.params
    frame = worker.stack[ply]
    factors = worker.reduction_table.reductions
    product = factors[min(frame.depth, REDUCTION_SIZE - 1)]
    product *= factors[min(frame.move_number, REDUCTION_SIZE - 1)]
    reduction = product + params.reduction_base
    reduction -= min(width, worker.root_delta) * params.reduction_window // worker.root_delta
    if frame.improving == 0 and product > params.reduction_improving_limit:
        reduction += params.reduction_not_improving
    return reduction


@kernel
def late_move_reduction(
    worker: Worker,
    ply: int,
    move: int,
    width: int,
    noisy_tt_move: bool,
    is_singular: bool,
    may_fail_low: bool,
) -> int:
    """The reduction in plies for the first search of a late move. It may be negative.

    Args:
        width: of the window.
        is_singular: the quiet tt_move was extended.
        may_fail_low: an earlier search of this PV node failed low.
    """
    params = worker.params
    frame = worker.stack[ply]
    reduction = base_reduction(worker, ply, width)
    if frame.was_pv and not may_fail_low:
        reduction -= params.reduction_was_pv
    if ply > 0 and worker.stack[ply - 1].move_number > params.reduction_late_number:
        reduction -= params.reduction_after_late_move
    reduction += frame.cut_node * params.reduction_cut_node  # an earlier move should do
    reduction += noisy_tt_move * params.reduction_noisy_tt_move
    if frame.pv_node:
        reduction -= params.reduction_pv_node + params.reduction_shallow_pv // (3 + frame.depth)
    reduction -= is_singular * params.reduction_singular
    if frame.depth > 9 and frame.picker.threatened & bit(from_square(move)):
        reduction -= params.reduction_threatened
    if worker.stack[ply + 1].cutoffs > 3:
        reduction += params.reduction_cutoffs
    history = 2 * butterfly(worker, move) + near_continuations(worker, ply, move)
    frame.history = history - params.history_offset
    weight = params.reduction_history
    if DEEP <= frame.depth < VERY_DEEP:
        weight -= params.reduction_history_deep
    return (reduction - frame.history * weight // POINTS) // PLY
