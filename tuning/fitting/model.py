"""The evaluation as a function of its weights, for all positions of a set at once.

    scores = f(features, weights)      gradient = d loss / d weights

Each position is three sparse rows over the same weights: the linear features, White's attack on
the king, Black's attack. Their sums (middlegame, endgame) are the only input of the non-linear
parts of the evaluation: the attack grows with the square of its sum; endgame scores are scaled,
and all scores by the fifty-move clock. trace.py defines the features; `check`
proves before a fit that this model is the evaluation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.eval.classical.features import ATTACK_COUNT, LINEAR_COUNT, WEIGHT_COUNT
from engine.eval.classical.king import ATTACK_DIVISOR_EG, ATTACK_DIVISOR_MG
from engine.eval.classical.loading import pack_weights
from engine.eval.classical.memory import Weights
from engine.eval.classical.scale_factor import FULL_SCALE
from engine.eval.scaling import FULL_FIFTY_MOVE_SCALE, FULL_PHASE
from tuning.data.dataset import Records
from tuning.data.packed import POSITION
from tuning.data.writers import fens
from tuning.fitting.trace import Features, extract

Array = np.ndarray[Any, np.dtype[Any]]

PART = 1 << 16  # positions a chunk, where all at once would need too much memory
ENTRIES = 1 << 22  # of the matrix a chunk, for the same reason


@dataclass
class Pass:
    """What the gradient needs of a forward pass."""

    matrix: Any  # csr_array, three rows a position
    sums: Array  # [position, row of the three, middlegame or endgame]
    early: Array  # what a centipawn of the middlegame score adds to the score
    late: Array
    scores: Array  # centipawns, White's view


class Model:
    """The features of a set. Weights are float64[WEIGHT_COUNT, 2], in centipawns."""

    def __init__(self, features: Features, positions: Records):
        self.positions = positions  # whose features these are
        rows = features.rows
        phase = rows["phase"].astype(np.float64) / FULL_PHASE
        clock = rows["fifty_move_scale"].astype(np.float64) / FULL_FIFTY_MOVE_SCALE
        self.rows = rows
        self.early = phase * clock
        self.late = np.stack(
            [
                (1 - phase) * clock * rows[name] / FULL_SCALE
                for name in ("scale_white", "scale_black")
            ]
        )
        self.columns, self.counts = features.columns, features.counts
        self.starts = _three_rows(features.columns, features.starts)
        # Both attacks have the same weights.
        for first in range(0, len(self.columns), ENTRIES):
            part = self.columns[first : first + ENTRIES]
            part[part >= WEIGHT_COUNT] -= ATTACK_COUNT

    def __len__(self) -> int:
        return len(self.rows)

    def fen(self, number: int) -> str:
        """A position for messages: after shuffling, its number would mean nothing. No castling."""
        return next(fens(self.positions[number : number + 1]))

    def matrix(self, first: int, end: int, dtype: type = np.float64) -> Any:
        """Three rows for each position from `first` to before `end`."""
        from scipy.sparse import csr_array  # here, so that help needs no SciPy

        starts = self.starts[3 * first : 3 * end + 1]
        low, high = int(starts[0]), int(starts[-1])
        counts: Array = self.counts[low:high].astype(dtype)
        columns = self.columns[low:high].astype(np.int32)
        shape = (3 * (end - first), WEIGHT_COUNT)
        return csr_array((counts, columns, (starts - low).astype(np.int32)), shape=shape)

    def forward(self, first: int, end: int, weights: Array) -> Pass:
        matrix = self.matrix(first, end)
        sums = (matrix @ weights).reshape(end - first, 3, 2)
        attack = np.maximum(sums[:, 1:], 0)
        middlegame = sums[:, 0, 0] + (attack[:, 0, 0] ** 2 - attack[:, 1, 0] ** 2) / (
            ATTACK_DIVISOR_MG
        )
        endgame = sums[:, 0, 1] + (attack[:, 0, 1] - attack[:, 1, 1]) / ATTACK_DIVISOR_EG
        early = self.early[first:end]
        late = np.where(endgame > 0, self.late[0, first:end], self.late[1, first:end])
        return Pass(matrix, sums, early, late, middlegame * early + endgame * late)

    @staticmethod
    def gradient(run: Pass, by_score: Array) -> Array:
        """From the derivative by each score to that by each weight."""
        attack = np.maximum(run.sums[:, 1:], 0)
        by_sum = np.empty_like(run.sums)
        by_sum[:, 0, 0] = by_score * run.early
        by_sum[:, 0, 1] = by_score * run.late
        slopes_mg = 2 * attack[:, :, 0] / ATTACK_DIVISOR_MG
        slopes_eg = (run.sums[:, 1:, 1] > 0) / ATTACK_DIVISOR_EG
        by_sum[:, 1, 0] = by_sum[:, 0, 0] * slopes_mg[:, 0]
        by_sum[:, 2, 0] = -by_sum[:, 0, 0] * slopes_mg[:, 1]
        by_sum[:, 1, 1] = by_sum[:, 0, 1] * slopes_eg[:, 0]
        by_sum[:, 2, 1] = -by_sum[:, 0, 1] * slopes_eg[:, 1]
        return np.asarray(run.matrix.T @ by_sum.reshape(-1, 2))

    def scores(self, weights: Array) -> Array:
        parts = [
            self.forward(first, min(first + PART, len(self)), weights).scores
            for first in range(0, len(self), PART)
        ]
        return np.concatenate(parts) if parts else np.zeros(0)

    def exact(self, first: int, end: int, values: Array) -> Array:
        """The scores in integers, rounded wherever the evaluation rounds."""
        rows = {n: self.rows[n][first:end].astype(np.int64) for n in self.rows.dtype.names or ()}
        sums = (self.matrix(first, end, np.int64) @ values).reshape(end - first, 3, 2)
        attack = np.maximum(sums[:, 1:], 0)
        squares = attack[:, :, 0] ** 2 // ATTACK_DIVISOR_MG
        linear = attack[:, :, 1] // ATTACK_DIVISOR_EG
        middlegame = sums[:, 0, 0] + squares[:, 0] - squares[:, 1]
        endgame = sums[:, 0, 1] + linear[:, 0] - linear[:, 1]
        endgame *= np.where(endgame > 0, rows["scale_white"], rows["scale_black"])
        total = middlegame * FULL_SCALE * rows["phase"]
        total += endgame * (FULL_PHASE - rows["phase"])
        return _truncated(
            _truncated(total, FULL_PHASE * FULL_SCALE) * rows["fifty_move_scale"],
            FULL_FIFTY_MOVE_SCALE,
        )

    def check(self, values: Array) -> None:
        """ValueError if matrix times weights differs from `evaluate` for any position."""
        for first in range(0, len(self), PART):
            end = min(first + PART, len(self))
            expected = self.rows["score"][first:end]
            wrong = np.flatnonzero(self.exact(first, end, values) != expected)
            if len(wrong):
                raise ValueError(
                    f"{self.fen(first + int(wrong[0]))}: the features give another score than "
                    f"evaluate, {expected[wrong[0]]}: features and evaluation differ"
                )


def _three_rows(columns: Array, starts: Array) -> Array:
    """Where the linear features, White's and Black's attack of each position begin, and the end."""
    result = np.empty(3 * (len(starts) - 1) + 1, np.int64)
    for first in range(0, len(starts) - 1, PART):
        bounds = starts[first : first + PART + 1]
        part = columns[bounds[0] : bounds[-1]]
        count = len(bounds) - 1
        # Columns of a position ascend: count those before each border.
        for number, border in ((1, LINEAR_COUNT), (2, WEIGHT_COUNT)):
            before = np.concatenate([[0], np.cumsum(part < border)])
            inside = before[bounds[1:] - bounds[0]] - before[bounds[:-1] - bounds[0]]
            result[3 * first + number : 3 * (first + count) : 3] = bounds[:-1] + inside
        result[3 * first : 3 * (first + count) : 3] = bounds[:-1]
    result[-1] = starts[-1]
    return result


def _truncated(numbers: Array, divisor: int) -> Array:
    return np.asarray(np.sign(numbers) * (np.abs(numbers) // divisor))


def model_of(positions: Records, values: Array, threads: int = 2) -> tuple[Model, Array]:
    """The model of the positions without exact knowledge, and the mask that selects them."""
    weights = Weights()
    pack_weights(weights, values)
    rows, starts, columns, counts = extract(positions.view(POSITION), weights, threads)
    known = rows["known"] == 1
    if known.any():
        kept = np.repeat(~known, rows["entries"])
        columns, counts = _closed_up(columns, kept), _closed_up(counts, kept)
        rows = rows[~known]
        starts = np.concatenate([[0], np.cumsum(rows["entries"], dtype=np.int64)])
    return Model(Features(rows, starts, columns, counts), positions[~known]), ~known


def _closed_up(array: Array, kept: Array) -> Array:
    """`array[kept]` in the same memory: a copy of this array would be too large."""
    end = 0
    for first in range(0, len(array), PART):
        part = array[first : first + PART][kept[first : first + PART]]
        array[end : end + len(part)] = part
        end += len(part)
    return array[:end]
