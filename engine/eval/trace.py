"""From positions to features: what the evaluation counts, for those who fit its weights.

    features = extract(positions, new_weights(), threads=2)  # NumPy array, dtype packing.POSITION

runs a copy of the evaluation in which `weigh` also notes what it weighs, so every term has one
source. A position becomes a row of sparse counts and a few numbers. With L = LINEAR_COUNT and
D = ATTACK_COUNT of features.py, its columns are

    0 ... L-1              counts of the linear features, White's minus Black's
    L ... L+D-1            counts of White's attack on the black king
    L+D ... L+2D-1         counts of Black's attack on the white king

and the evaluation follows from matrix A and weights w, (middlegame, endgame) pairs:

    linear = A[:, :L] @ w[:L]
    white, black = A[:, L:L+D] @ w[L:], A[:, L+D:] @ w[L:]
    mg = linear_mg + attack_mg(white_mg) - attack_mg(black_mg)
    eg = linear_eg + attack_eg(white_eg) - attack_eg(black_eg)
    eg_scaled = eg * (scale_white if eg > 0 else scale_black)           # scales: of FULL_SCALE
    score = (mg * FULL_SCALE * phase + eg_scaled * (24 - phase)) / (24 * FULL_SCALE)
    score = truncated(score) * fade / FULL_FADE                         # again truncated

in White's view, with attack_mg(x) = max(0, x)**2 // ATTACK_DIVISOR_MG and attack_eg(x) =
max(0, x) // ATTACK_DIVISOR_EG (king.py). All divisions of scores round towards zero. Where
`known` is 1, `score` comes from exact knowledge of an endgame, and the rest is empty.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from engine.board.constants import BLACK, WHITE
from engine.board.packing import PackedPosition, dtype_of, unpack
from engine.board.position import Position
from engine.board.tables import new_tables
from engine.eval.endgames import UNKNOWN, known_result
from engine.eval.evaluate import FULL_PHASE, evaluate
from engine.eval.features import ATTACK_COUNT, LINEAR_COUNT, WEIGHT_COUNT
from engine.eval.memory import Evaluator, Trace, Weights
from engine.eval.pawns import forget_pawns
from engine.eval.place import material, place
from engine.eval.scaling import fade, scale_factor
from engine.eval.setup import connect, fill_piece_values, new_masks
from engine.eval.weigh import weigh, weigh_and_note
from engine.native.jit import entry, kernel
from engine.native.memory import (
    Struct,
    StructArray,
    inline,
    int16,
    int32,
    int64,
    pointer_to_array,
)
from engine.native.variants import variant

evaluate_and_note = variant(evaluate, "noting", {weigh: weigh_and_note})
material_and_note = variant(material, "noting", {weigh: weigh_and_note})
place_and_note = variant(place, "noting", {weigh: weigh_and_note})

COLUMN_COUNT = WEIGHT_COUNT + ATTACK_COUNT
ROOM = 1 << 20  # entries traced at a time


class Row(Struct):
    """What is known of one position besides its counts."""

    entries = int32  # how many counts are not 0
    score = int32  # the evaluation in centipawns, White's view
    phase = int16  # 24 in the middlegame, 0 with pawns only
    scale_white = int16  # of FULL_SCALE, if White's endgame score is the better one
    scale_black = int16
    fade = int16  # of FULL_FADE
    known = int16  # 1: exact knowledge


class Entry(Struct):
    """One count that is not 0."""

    column = int16
    count = int16


class Tracer(Struct):
    """What one thread needs."""

    position = inline(Position)
    evaluator = inline(Evaluator)
    trace = inline(Trace)
    positions = pointer_to_array(PackedPosition)
    rows = pointer_to_array(Row)
    entries = pointer_to_array(Entry)
    entry_count = int64


@entry
def trace_positions(tracer: Tracer, first: int, end: int) -> int:
    """Trace positions from `first` to before `end`, while there is room for their entries.

    Entries are written from 0 on. Returns the number of the first position that is left.
    """
    tracer.entry_count = 0
    for number in range(first, end):
        if tracer.entry_count + COLUMN_COUNT > ROOM:
            return number
        unpack(tracer.position, tracer.positions[number])
        trace_position(tracer, tracer.rows[number])
    return end


@kernel
def trace_position(tracer: Tracer, row: Row) -> None:
    pos = tracer.position
    evaluator = tracer.evaluator
    forget_pawns(pos, evaluator)  # what comes from the cache is not counted
    score = evaluate_and_note(pos, evaluator)
    for us in range(2):
        material_and_note(pos, evaluator, us)
        place_and_note(pos, evaluator, us)
    row.score = score if pos.side == WHITE else -score
    row.phase = min(FULL_PHASE, pos.snapshots[pos.ply].phase)
    row.scale_white = scale_factor(pos, WHITE)
    row.scale_black = scale_factor(pos, BLACK)
    row.fade = fade(pos)
    row.known = known_result(pos, evaluator) != UNKNOWN
    before = tracer.entry_count
    counts = tracer.trace.counts
    for weight in range(LINEAR_COUNT):
        count = counts[WHITE, weight] - counts[BLACK, weight]
        if count != 0:
            add_entry(tracer, weight, count)
    for us in range(2):
        for weight in range(LINEAR_COUNT, WEIGHT_COUNT):
            if counts[us, weight] != 0:
                add_entry(tracer, weight + us * ATTACK_COUNT, counts[us, weight])
        for weight in range(WEIGHT_COUNT):
            counts[us, weight] = 0
    row.entries = tracer.entry_count - before


@kernel
def add_entry(tracer: Tracer, column: int, count: int) -> None:
    added = tracer.entries[tracer.entry_count]
    added.column = column
    added.count = count
    tracer.entry_count += 1


# --- For Python ------------------------------------------------------------------------------

ROW, ENTRY = dtype_of(Row), dtype_of(Entry)
Records = np.ndarray[Any, np.dtype[np.void]]


class Features(NamedTuple):
    """A sparse matrix, as `scipy.sparse.csr_array((counts, columns, starts))` takes it."""

    rows: Records  # dtype ROW, one a position
    starts: np.ndarray[Any, np.dtype[np.int64]]  # index of each row's first entry, and the end
    columns: np.ndarray[Any, np.dtype[np.int16]]
    counts: np.ndarray[Any, np.dtype[np.int16]]


def extract(positions: Records, weights: Weights, threads: int = 1) -> Features:
    """The features of all positions; `score` in their rows is what these weights make of them."""
    with ThreadPoolExecutor(threads) as pool:
        shares = list(pool.map(_trace_all, np.array_split(positions, threads), [weights] * threads))
    rows = np.concatenate([part for parts, _ in shares for part in parts])
    entries = np.concatenate([part for _, parts in shares for part in parts])
    starts = np.concatenate([[0], np.cumsum(rows["entries"], dtype=np.int64)])
    return Features(rows, starts, entries["column"].copy(), entries["count"].copy())


def _trace_all(positions: Records, weights: Weights) -> tuple[list[Records], list[Records]]:
    """Rows and entries in pieces."""
    tracer = new_tracer(weights)
    memory = np.ascontiguousarray(positions).view(np.uint8).reshape(-1)
    tracer.positions = StructArray(PackedPosition, len(positions), memory)
    rows, entries = np.zeros(len(positions), ROW), np.zeros(ROOM, ENTRY)
    tracer.rows = StructArray(Row, len(rows), rows.view(np.uint8))
    tracer.entries = StructArray(Entry, len(entries), entries.view(np.uint8))
    done, pieces = 0, [entries[:0]]
    while done < len(positions):
        done = int(trace_positions(tracer, done, len(positions)))
        pieces.append(entries[: int(tracer.entry_count)].copy())
    return [rows], pieces


def new_tracer(weights: Weights) -> Tracer:
    tables = new_tables()
    fill_piece_values(tables, weights)
    tracer = Tracer()
    tracer.position.tables = tables
    tracer.evaluator.trace = tracer.trace
    connect(tracer.evaluator, weights, new_masks(tables))
    return tracer
