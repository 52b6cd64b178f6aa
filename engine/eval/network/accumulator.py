"""The first layer: sums of weight rows, updated incrementally.

A move changes two to four inputs of a view, so the sums of a position follow from those of the
position before it. They are computed only when an evaluation needs them: for each view,
`current_accumulator` goes back to the nearest position whose sums are known, and from there forward
again. Every accumulator carries the key of its position, so `unmake` needs no bookkeeping.

When the own king turns the board round or goes to another set of weights (inputs.py), all rows of
its view change. Then the sums start from those of the last position that had its king there, and
only the pieces that differ are exchanged: the refresh cache of Luecx (Koivisto), known as Finny
tables.

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
from engine.board.position import Position, Snapshot
from engine.eval.network.inputs import input_row, orientation
from engine.eval.network.memory import (
    ACCUMULATORS,
    ORIENTATIONS,
    Accumulator,
    Layers,
    NetworkEvaluator,
)
from engine.eval.network.shape import HIDDEN
from engine.native.bits import add_rows, lsb, squares
from engine.native.jit import entry, kernel

FARTHEST = 12  # plies: beyond, adding up the pieces is as fast


@kernel
def current_accumulator(pos: Position, evaluator: NetworkEvaluator, view: int) -> Accumulator:
    """The sums of the position in a view, brought up to date."""
    layers = evaluator.layers
    oriented = orientation(view, lsb(pos.pieces[view, KING]))
    ply = pos.ply
    known = ply
    farthest = max(0, ply - FARTHEST)
    while kept_accumulator(evaluator, known, view).key != pos.snapshots[known].key:
        if known == farthest or turned(pos, known, view):
            latest = kept_accumulator(evaluator, ply, view)
            exchange_pieces(pos, evaluator, view, oriented, latest)
            return latest
        known -= 1
    while known < ply:
        before = kept_accumulator(evaluator, known, view)
        known += 1
        after = kept_accumulator(evaluator, known, view)
        follow_move(layers, before, after, view, oriented, mover(pos, known), pos.snapshots[known])
    return kept_accumulator(evaluator, ply, view)


@kernel
def kept_accumulator(evaluator: NetworkEvaluator, ply: int, view: int) -> Accumulator:
    return evaluator.accumulators[2 * (ply & (ACCUMULATORS - 1)) + view]


@kernel
def mover(pos: Position, ply: int) -> int:
    """The side whose move led to the position at `ply`."""
    return pos.side ^ 1 ^ ((pos.ply - ply) & 1)


@kernel
def turned(pos: Position, ply: int, view: int) -> bool:
    """Has the move that led to `ply` changed the orientation of the view?"""
    snapshot = pos.snapshots[ply]
    move = snapshot.move
    if move == NO_MOVE or snapshot.moved != KING or mover(pos, ply) != view:
        return False
    start = from_square(move)
    to = to_square(move)
    if move & FLAGS == CASTLING:
        to = castled_king(start, to)
    return orientation(view, start) != orientation(view, to)


@entry
def refresh_accumulator(pos: Position, layers: Layers, view: int, accumulator: Accumulator) -> None:
    """The sums of the position in a view, from scratch."""
    oriented = orientation(view, lsb(pos.pieces[view, KING]))
    fill_with_bias(layers, accumulator)
    for colour in range(2):
        for square in squares(pos.colours[colour]):
            row = input_row(oriented, view, colour, pos.board[square], square)
            add_row(layers, accumulator, row)
    accumulator.key = pos.snapshots[pos.ply].key


@kernel
def exchange_pieces(
    pos: Position,
    evaluator: NetworkEvaluator,
    view: int,
    oriented: int,
    accumulator: Accumulator,
) -> None:
    """The sums of the position, from those of the last one with the king in this orientation."""
    layers = evaluator.layers
    mirrored = oriented & 1
    last = evaluator.remembered[ORIENTATIONS * view + 2 * (oriented >> 6) + mirrored]
    if not last.filled:
        fill_with_bias(layers, last.accumulator)
        last.filled = 1
    added, removed = evaluator.changes.added, evaluator.changes.removed
    added_count = removed_count = 0
    for colour in range(2):
        for kind in range(6):
            before = last.pieces[colour, kind]
            now = pos.pieces[colour, kind]
            last.pieces[colour, kind] = now
            for square in squares(now & ~before):
                added[added_count] = input_row(oriented, view, colour, kind, square)
                added_count += 1
            for square in squares(before & ~now):
                removed[removed_count] = input_row(oriented, view, colour, kind, square)
                removed_count += 1
    sums = last.accumulator.sums
    add_rows(sums, layers.first_weights, added, added_count, removed, removed_count, sums)
    copy_sums(last.accumulator, accumulator)
    accumulator.key = pos.snapshots[pos.ply].key


@kernel
def follow_move(
    layers: Layers,
    before: Accumulator,
    after: Accumulator,
    view: int,
    oriented: int,
    us: int,
    snapshot: Snapshot,
) -> None:
    """The sums after `us` has made a move or a null move, as the snapshot records it."""
    after.key = snapshot.key
    move = snapshot.move
    if move == NO_MOVE:
        copy_sums(before, after)
        return
    start = from_square(move)
    to = to_square(move)
    flag = move & FLAGS
    removed = input_row(oriented, view, us, snapshot.moved, start)
    if flag == CASTLING:
        added = input_row(oriented, view, us, KING, castled_king(start, to))
        rook_removed = input_row(oriented, view, us, ROOK, to)
        rook_added = input_row(oriented, view, us, ROOK, castled_rook(start, to))
        change_four(layers, before, after, added, removed, rook_added, rook_removed)
        return
    placed = promotion_kind(move) if flag & PROMOTION else snapshot.moved
    added = input_row(oriented, view, us, placed, to)
    if flag & CAPTURE:
        taken = input_row(oriented, view, us ^ 1, snapshot.captured, capture_square(move))
        change_three(layers, before, after, added, removed, taken)
    else:
        change_two(layers, before, after, added, removed)


# --- Rows. Numbers are narrowed at each step, so that LLVM fills vector registers with int16. ----


@kernel
def fill_with_bias(layers: Layers, accumulator: Accumulator) -> None:
    for j in range(HIDDEN):
        accumulator.sums[j] = layers.first_bias[j]


@kernel
def add_row(layers: Layers, accumulator: Accumulator, added: int) -> None:
    for j in range(HIDDEN):
        total = np.int16(accumulator.sums[j]) + np.int16(layers.first_weights[added, j])
        accumulator.sums[j] = np.int16(total)


@kernel
def copy_sums(before: Accumulator, after: Accumulator) -> None:
    for j in range(HIDDEN):
        after.sums[j] = before.sums[j]


@kernel
def change_two(
    layers: Layers, before: Accumulator, after: Accumulator, added: int, removed: int
) -> None:
    """A quiet move or a promotion."""
    for j in range(HIDDEN):
        total = np.int16(before.sums[j]) + np.int16(layers.first_weights[added, j])
        after.sums[j] = np.int16(total - np.int16(layers.first_weights[removed, j]))


@kernel
def change_three(
    layers: Layers, before: Accumulator, after: Accumulator, added: int, removed: int, taken: int
) -> None:
    """A capture."""
    for j in range(HIDDEN):
        total = np.int16(before.sums[j]) + np.int16(layers.first_weights[added, j])
        total = np.int16(total - np.int16(layers.first_weights[removed, j]))
        after.sums[j] = np.int16(total - np.int16(layers.first_weights[taken, j]))


@kernel
def change_four(
    layers: Layers,
    before: Accumulator,
    after: Accumulator,
    added: int,
    removed: int,
    rook_added: int,
    rook_removed: int,
) -> None:
    """Castling."""
    for j in range(HIDDEN):
        total = np.int16(before.sums[j]) + np.int16(layers.first_weights[added, j])
        total = np.int16(total - np.int16(layers.first_weights[removed, j]))
        total = np.int16(total + np.int16(layers.first_weights[rook_added, j]))
        after.sums[j] = np.int16(total - np.int16(layers.first_weights[rook_removed, j]))
