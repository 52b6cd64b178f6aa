"""The first layer: sums of weight rows, updated incrementally.

A move changes two to four inputs of a view, so the sums of a position follow from those of the
position before it. They are computed only when an evaluation needs them: for each view,
`current_accumulator` goes back to the nearest position whose sums are known, and from there forward
again. Every accumulator carries the key of its position, so `unmake` needs no bookkeeping.

When the own king turns the board round or goes to another set of weights (inputs.py), all rows of
its view change. Then the sums start from those of the last position that had its king there, and
only the pieces that differ are exchanged: the refresh cache of Luecx (Koivisto), known as Finny
tables. From there the moves since the king's are taken back, as Stockfish does: other moves follow
in those positions, and begin with their sums.

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
    Changes,
    Layers,
    NetworkEvaluator,
    Rows,
)
from engine.eval.network.shape import HIDDEN
from engine.native.bits import add_rows, lsb, squares
from engine.native.jit import entry, kernel

FARTHEST = 12  # plies: beyond, adding up the pieces is as fast


@kernel
def current_accumulator(pos: Position, evaluator: NetworkEvaluator, view: int) -> Accumulator:
    """The sums of the position in a view, brought up to date."""
    layers, changes = evaluator.layers, evaluator.changes
    added, removed = changes.added, changes.removed
    oriented = orientation(view, lsb(pos.pieces[view, KING]))
    latest = kept_accumulator(evaluator, pos.ply, view)
    known = pos.ply
    farthest = max(0, pos.ply - FARTHEST)
    while kept_accumulator(evaluator, known, view).key != pos.snapshots[known].key:
        if known == farthest or turned(pos, known, view):
            exchange_pieces(pos, evaluator, view, oriented, latest)
            for ply in range(pos.ply, known, -1):
                list_changes(changes, view, oriented, mover(pos, ply), pos.snapshots[ply])
                before = kept_accumulator(evaluator, ply - 1, view)
                change_sums(layers, kept_accumulator(evaluator, ply, view), removed, added, before)
                before.key = pos.snapshots[ply - 1].key
            return latest
        known -= 1
    for ply in range(known + 1, pos.ply + 1):
        list_changes(changes, view, oriented, mover(pos, ply), pos.snapshots[ply])
        after = kept_accumulator(evaluator, ply, view)
        change_sums(layers, kept_accumulator(evaluator, ply - 1, view), added, removed, after)
        after.key = pos.snapshots[ply].key
    return latest


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
    added.count = removed.count = 0
    for colour in range(2):
        for kind in range(6):
            before = last.pieces[colour, kind]
            now = pos.pieces[colour, kind]
            last.pieces[colour, kind] = now
            for square in squares(now & ~before):
                append(added, input_row(oriented, view, colour, kind, square))
            for square in squares(before & ~now):
                append(removed, input_row(oriented, view, colour, kind, square))
    change_sums(layers, last.accumulator, added, removed, last.accumulator)
    copy_sums(last.accumulator, accumulator)
    accumulator.key = pos.snapshots[pos.ply].key


@kernel
def list_changes(changes: Changes, view: int, oriented: int, us: int, snapshot: Snapshot) -> None:
    """The rows that a move or a null move of `us` changes, as the snapshot after it records it."""
    added, removed = changes.added, changes.removed
    added.count = removed.count = 0
    move = snapshot.move
    if move == NO_MOVE:
        return
    start = from_square(move)
    to = to_square(move)
    flag = move & FLAGS
    append(removed, input_row(oriented, view, us, snapshot.moved, start))
    if flag == CASTLING:
        append(added, input_row(oriented, view, us, KING, castled_king(start, to)))
        append(removed, input_row(oriented, view, us, ROOK, to))
        append(added, input_row(oriented, view, us, ROOK, castled_rook(start, to)))
        return
    placed = promotion_kind(move) if flag & PROMOTION else snapshot.moved
    append(added, input_row(oriented, view, us, placed, to))
    if flag & CAPTURE:
        taken = capture_square(move)
        append(removed, input_row(oriented, view, us ^ 1, snapshot.captured, taken))


@kernel
def append(rows: Rows, number: int) -> None:
    rows.numbers[rows.count] = number
    rows.count += 1


@kernel
def change_sums(
    layers: Layers, before: Accumulator, added: Rows, removed: Rows, after: Accumulator
) -> None:
    """The sums of `before`, with rows added and removed, into `after`, which may be the same."""
    add_rows(
        before.sums, layers.first_weights,
        added.numbers, added.count, removed.numbers, removed.count, after.sums,
    )  # fmt: skip


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
