"""Late move reductions: the later a move comes, the less deep its search.

All terms are in 1/1024 plies (`PLY`).
"""

from __future__ import annotations

import math

from engine.board.move import is_quiet
from engine.native.jit import kernel
from engine.search.ordering import BAD_NOISY
from engine.search.params import Params
from engine.search.state import PLY, REDUCTION_SIZE, ReductionTable, Worker


def fill_reductions(tables: ReductionTable, params: Params) -> None:
    """The base reduction grows with the logarithms of depth and move number."""
    base, divisor = int(params.reduction_base) / 100, int(params.reduction_divisor) / 100
    for depth in range(1, REDUCTION_SIZE):
        tables.reductions[depth, 1:] = [
            round(PLY * (base + math.log(depth) * math.log(number) / divisor))
            for number in range(1, REDUCTION_SIZE)
        ]


@kernel
def base_reduction(worker: Worker, depth: int, move_number: int) -> int:
    """The reduction by depth and move number alone, in 1/1024 plies."""
    row = min(depth, REDUCTION_SIZE - 1)
    return worker.reduction_table.reductions[row, min(move_number, REDUCTION_SIZE - 1)]


@kernel
def late_move_reduction(worker: Worker, ply: int, move: int) -> int:
    """The reduction in plies for the first search of a late move, just made: 0 to depth - 2."""
    params = worker.params
    pos = worker.position
    frame = worker.stack[ply]
    base = base_reduction(worker, frame.depth, frame.move_number)
    reduction = 0
    if is_quiet(move):
        reduction = base
        reduction += frame.cut_node * params.reduction_cut_node  # an earlier move should do
        reduction += (not frame.improving) * params.reduction_not_improving
        reduction -= frame.pv_node * params.reduction_pv_node
        reduction -= frame.was_pv * params.reduction_was_pv
        reduction -= frame.history * params.reduction_history // 1024
        if pos.snapshots[pos.ply].checkers:
            reduction -= params.reduction_check
        if move == frame.killers[0] or move == frame.killers[1]:
            reduction -= params.reduction_killer
    elif not frame.pv_node and frame.picker.stage == BAD_NOISY:
        reduction = base * params.reduction_noisy // 1024
    return max(0, min(reduction // PLY, frame.depth - 2))
