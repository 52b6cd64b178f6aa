"""The first layer: sums of weight rows, updated incrementally.

A move changes two to four inputs, so the sums of a position follow from those of the position
before it. They are computed only when an evaluation needs them: `current_accumulator` goes
back to the nearest position whose sums are known, and from there forward again. Every accumulator
carries the key of its position, so `unmake` needs no bookkeeping.

All sums are int16, and file.py refuses networks that could overflow them.
"""

from __future__ import annotations

import numpy as np

from engine.board.constants import KING, ROOK
from engine.board.move import (
    CAPTURE,
    CASTLING,
    FLAGS,
    NO_MOVE,
    PROMOTION,
    capture_square,
    castled_king,
    castled_rook,
    from_square,
    promotion_kind,
    to_square,
)
from engine.board.position import Position
from engine.eval.network.inputs import input_row
from engine.eval.network.memory import ACCUMULATORS, Accumulator, Layers, NetworkEvaluator
from engine.eval.network.shape import HIDDEN
from engine.native.bits import squares
from engine.native.jit import entry, kernel

FARTHEST = 12  # plies: beyond, adding up all pieces is as fast


@kernel
def current_accumulator(pos: Position, evaluator: NetworkEvaluator) -> Accumulator:
    """The sums of the position, brought up to date."""
    layers = evaluator.layers
    ply = pos.ply
    known = ply
    farthest = max(0, ply - FARTHEST)
    last = ACCUMULATORS - 1
    while known > farthest and evaluator.accumulators[known & last].key != pos.snapshots[known].key:
        known -= 1
    if evaluator.accumulators[known & last].key != pos.snapshots[known].key:
        refresh_accumulator(pos, layers, evaluator.accumulators[ply & last])
        return evaluator.accumulators[ply & last]
    while known < ply:
        before = evaluator.accumulators[known & last]
        known += 1
        after = evaluator.accumulators[known & last]
        us = pos.side ^ 1 ^ ((ply - known) & 1)
        snapshot = pos.snapshots[known]
        follow_move(layers, before, after, us, snapshot.move, snapshot.moved, snapshot.captured)
        after.key = snapshot.key
    return evaluator.accumulators[ply & last]


@entry
def refresh_accumulator(pos: Position, layers: Layers, accumulator: Accumulator) -> None:
    """The sums of the position from scratch."""
    for view in range(2):
        for j in range(HIDDEN):
            accumulator.sums[view, j] = layers.first_bias[j]
        for colour in range(2):
            for square in squares(pos.colours[colour]):
                row = input_row(view, colour, pos.board[square], square)
                add_row(layers, accumulator, view, row)
    accumulator.key = pos.snapshots[pos.ply].key


@kernel
def follow_move(
    layers: Layers,
    before: Accumulator,
    after: Accumulator,
    us: int,
    move: int,
    moved: int,
    captured: int,
) -> None:
    """The sums after `us` has made a move or a null move, as the snapshot records it."""
    if move == NO_MOVE:
        copy_sums(before, after)
        return
    start = from_square(move)
    to = to_square(move)
    flag = move & FLAGS
    for view in range(2):
        removed = input_row(view, us, moved, start)
        if flag == CASTLING:
            added = input_row(view, us, KING, castled_king(start, to))
            rook_removed = input_row(view, us, ROOK, to)
            rook_added = input_row(view, us, ROOK, castled_rook(start, to))
            change_four(layers, before, after, view, added, removed, rook_added, rook_removed)
            continue
        placed = promotion_kind(move) if flag & PROMOTION else moved
        added = input_row(view, us, placed, to)
        if flag & CAPTURE:
            taken = input_row(view, us ^ 1, captured, capture_square(move))
            change_three(layers, before, after, view, added, removed, taken)
        else:
            change_two(layers, before, after, view, added, removed)


# --- Rows. Numbers are narrowed at each step, so that LLVM fills vector registers with int16. ----


@kernel
def add_row(layers: Layers, accumulator: Accumulator, view: int, added: int) -> None:
    for j in range(HIDDEN):
        total = np.int16(accumulator.sums[view, j]) + np.int16(layers.first_weights[added, j])
        accumulator.sums[view, j] = np.int16(total)


@entry
def remove_row(layers: Layers, accumulator: Accumulator, view: int, removed: int) -> None:
    for j in range(HIDDEN):
        total = np.int16(accumulator.sums[view, j]) - np.int16(layers.first_weights[removed, j])
        accumulator.sums[view, j] = np.int16(total)


@kernel
def copy_sums(before: Accumulator, after: Accumulator) -> None:
    for view in range(2):
        for j in range(HIDDEN):
            after.sums[view, j] = before.sums[view, j]


@kernel
def change_two(
    layers: Layers, before: Accumulator, after: Accumulator, view: int, added: int, removed: int
) -> None:
    """A quiet move or a promotion."""
    for j in range(HIDDEN):
        total = np.int16(before.sums[view, j]) + np.int16(layers.first_weights[added, j])
        after.sums[view, j] = np.int16(total - np.int16(layers.first_weights[removed, j]))


@kernel
def change_three(
    layers: Layers,
    before: Accumulator,
    after: Accumulator,
    view: int,
    added: int,
    removed: int,
    taken: int,
) -> None:
    """A capture."""
    for j in range(HIDDEN):
        total = np.int16(before.sums[view, j]) + np.int16(layers.first_weights[added, j])
        total = np.int16(total - np.int16(layers.first_weights[removed, j]))
        after.sums[view, j] = np.int16(total - np.int16(layers.first_weights[taken, j]))


@kernel
def change_four(
    layers: Layers,
    before: Accumulator,
    after: Accumulator,
    view: int,
    added: int,
    removed: int,
    rook_added: int,
    rook_removed: int,
) -> None:
    """Castling."""
    for j in range(HIDDEN):
        total = np.int16(before.sums[view, j]) + np.int16(layers.first_weights[added, j])
        total = np.int16(total - np.int16(layers.first_weights[removed, j]))
        total = np.int16(total + np.int16(layers.first_weights[rook_added, j]))
        after.sums[view, j] = np.int16(total - np.int16(layers.first_weights[rook_removed, j]))
