"""Plain Python: from positions to the features of the weighted sum, to fit its weights.

    features = extract(positions, new_weights(), threads=2)  # NumPy array, dtype packed.POSITION

runs a copy of the weighted sum in which `weigh` also records what it weighs, so every term has one
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
    score = truncated(score) * fifty_move_scale / FULL_FIFTY_MOVE_SCALE  # again truncated

in White's view, with attack_mg(x) = max(0, x)**2 // ATTACK_DIVISOR_MG and attack_eg(x) =
max(0, x) // ATTACK_DIVISOR_EG (king.py). All divisions of scores round towards zero. Where
`known` is 1, `score` is that of a known ending, and the rest is empty.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from engine.board.attack_tables import new_attack_tables
from engine.eval.classical.loading import connect_classical, new_masks
from engine.eval.classical.memory import Weights
from engine.eval.kpk import new_bitbase
from engine.native.structs import StructArray
from tuning.data.packed import PackedPosition, dtype_of
from tuning.fitting.recording import ROOM, FeatureCount, Row, Tracer, trace_positions

ROW, ENTRY = dtype_of(Row), dtype_of(FeatureCount)
Records = np.ndarray[Any, np.dtype[np.void]]


class Features(NamedTuple):
    """A sparse matrix, as `scipy.sparse.csr_array((counts, columns, starts))` takes it."""

    rows: Records  # dtype ROW, one a position
    starts: np.ndarray[Any, np.dtype[np.int64]]  # index of each row's first entry, and the end
    columns: np.ndarray[Any, np.dtype[np.int16]]
    counts: np.ndarray[Any, np.dtype[np.int16]]


def extract(positions: Records, weights: Weights, threads: int = 1) -> Features:
    """The features of all positions; `score` in their rows is the evaluation with these weights."""
    with ThreadPoolExecutor(threads) as pool:
        shares = list(pool.map(_trace_all, np.array_split(positions, threads), [weights] * threads))
    rows = np.concatenate([part for parts, _ in shares for part in parts])
    starts = np.concatenate([[0], np.cumsum(rows["entries"], dtype=np.int64)])
    columns, counts = np.empty(starts[-1], np.int16), np.empty(starts[-1], np.int16)
    end = 0
    for _, parts in shares:
        for index, part in enumerate(parts):
            first, end = end, end + len(part)
            columns[first:end], counts[first:end] = part["column"], part["count"]
            parts[index] = part[:0].copy()  # its memory is wanted back
            del part
    return Features(rows, starts, columns, counts)


def _trace_all(positions: Records, weights: Weights) -> tuple[list[Records], list[Records]]:
    """Rows and entries in pieces."""
    tracer = new_tracer(weights)
    memory = np.ascontiguousarray(positions).view(np.uint8).reshape(-1)
    tracer.positions = StructArray(PackedPosition, len(positions), memory)
    rows, entries = np.zeros(len(positions), ROW), np.zeros(ROOM, ENTRY)
    tracer.rows = StructArray(Row, len(rows), rows.view(np.uint8))
    tracer.entries = StructArray(FeatureCount, len(entries), entries.view(np.uint8))
    done, pieces = 0, [entries[:0]]
    while done < len(positions):
        done = int(trace_positions(tracer, done, len(positions)))
        pieces.append(entries[: int(tracer.entry_count)].copy())
    return [rows], pieces


def new_tracer(weights: Weights) -> Tracer:
    tables = new_attack_tables()
    tracer = Tracer()
    tracer.position.tables = tables
    tracer.kpk = new_bitbase(tables)
    connect_classical(tracer.evaluator, weights, new_masks())
    return tracer
