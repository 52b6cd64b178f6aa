"""The squared errors of networks on labelled positions, by what kind of position it is.

A loss on all positions hides what decides games. `sample` writes down positions near the window of
a search, where an error changes the move; there errors are largest with 22 to 28 men and at scores
around a pawn. What neighbours in a file share, mostly positions of one search, costs that search
nothing: it compares them. So do the siblings, the positions after each legal move of a position:
the mean squared error does not tell what they share from what puts a worse move first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import chess
import numpy as np

from tuning.data.dataset import NO_SCORE, PositionsFile, Records
from tuning.fitting.model import Array
from tuning.fitting.targets import k_of_each
from tuning.network.examples import scales_of, targets_of
from tuning.network.gradients import NEIGHBOURS
from tuning.network.labelling import TEACHER_K
from tuning.network.model import Model, expected

MEN = ((2, 7), (8, 15), (16, 21), (22, 28), (29, 32))
NEAR_A_PAWN = 50, 150  # centipawns, of either side
FEWEST = 4  # siblings that have an order worth the name
LEVEL = 300  # centipawns: the best sibling of a decided position says little
NEW_CLOCKS = "0 1"  # both engines shrink scores by the fifty-move rule
SCALES = (0.05, 20.0)  # of a network's logits, between which the one that fits best is sought


def errors_of(models: Sequence[Model], file: PositionsFile) -> list[tuple[str, int, list[float]]]:
    """Rows of (kind of position, how many there are, mean squared error of each model).

    ValueError if no position has a label.
    """
    records = np.asarray(file.records)
    k = k_of_each(scales_of([file], TEACHER_K), file.sources, records)
    targets = targets_of(records, k, 0.0)
    known = ~np.isnan(targets)
    if not known.any():
        raise ValueError(f"{file.path}: no position has a label")
    records, targets = records[known], targets[known]
    rows = np.ascontiguousarray(records).view(np.int64).reshape(-1, 4)
    errors = [expected(model.logits(rows)) - targets for model in models]
    found = [
        (kind, int(chosen.sum()), [float(np.mean(error[chosen] ** 2)) for error in errors])
        for kind, chosen in _kinds(records)
        if chosen.any()
    ]
    own = [_own(error, records) for error in errors]
    if len(own[0]):
        kind = f"among {NEIGHBOURS} neighbours"
        found.append((kind, len(own[0]), [float(np.mean(error**2)) for error in own]))
    return found


def _kinds(records: Records) -> list[tuple[str, Array]]:
    """Names and masks."""
    occupied = np.ascontiguousarray(records["occupied"]).view(np.uint8).reshape(-1, 8)
    men = np.unpackbits(occupied, axis=1).sum(axis=1)
    scores = np.abs(records["score"].astype(np.int64))
    low, high = NEAR_A_PAWN
    near = (records["score"] != NO_SCORE) & (scores >= low) & (scores <= high)
    by_men = [(f"{least} to {most} men", (men >= least) & (men <= most)) for least, most in MEN]
    return [
        ("all", np.ones(len(records), np.bool_)),
        *by_men,
        (f"scores of {low} to {high}", near),
    ]


def _own(error: Array, records: Records) -> Array:
    """The part of the errors, as White sees them, that neighbours do not share."""
    white = np.where(records["side"] == 1, -error, error)
    groups = white[: len(white) - len(white) % NEIGHBOURS].reshape(-1, NEIGHBOURS)
    return np.asarray((groups - groups.mean(axis=1, keepdims=True)).ravel())


@dataclass(frozen=True)
class Families:
    """Siblings next to each other, without those in check, which a search does not evaluate."""

    fens: list[str]  # the mover is the opponent of who chose the move
    starts: list[int]  # where each family begins; then the number of all siblings

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def slices(self) -> Iterable[slice]:
        return (slice(*ends) for ends in pairwise(self.starts))


@dataclass(frozen=True)
class Order:
    """What a network makes of siblings; expected scores from 0 to 1, the teacher's are right."""

    squared_error: float
    within: float  # the part of it that siblings do not share
    rank_correlation: float  # Spearman's, the mean over families
    lost: float  # by the moves that the network prefers, on average


def families_of(fens: Iterable[str]) -> Families:
    """The siblings after each of these positions that has enough of them. ValueError for other
    text."""
    all_siblings: list[str] = []
    starts = [0]
    for fen in fens:
        board = chess.Board(fen, chess960=True)  # reads other castling too
        siblings = []
        for move in board.legal_moves:
            board.push(move)
            if not board.is_check():
                siblings.append(f"{board.epd()} {NEW_CLOCKS}")
            board.pop()
        if len(siblings) >= FEWEST:
            all_siblings += siblings
            starts.append(len(all_siblings))
    return Families(all_siblings, starts)


def level_families(families: Families, scores: Array) -> tuple[Families, Array]:
    """Those families whose best move leaves the game open, and the scores of their siblings.

    Args:
        scores: the teacher's centipawns, from the view of the siblings' movers.
    """
    fens, starts, kept = [], [0], []
    for family in families.slices:
        if abs(int(scores[family].min())) <= LEVEL:
            fens += families.fens[family]
            starts.append(len(fens))
            kept.append(scores[family])
    return Families(fens, starts), np.concatenate([*kept, np.zeros(0, scores.dtype)])


def order_of(families: Families, scores: Array, logits: Array) -> Order:
    """Compare a network's logits with the teacher's centipawns, both from the view of the siblings'
    movers. The network has the scale that makes its squared error smallest."""
    from scipy.optimize import minimize_scalar  # here, so that help needs no SciPy

    right = expected(TEACHER_K * scores.astype(np.float64))
    found = minimize_scalar(
        lambda scale: float(np.mean((expected(scale * logits) - right) ** 2)),
        bounds=SCALES,
        method="bounded",
    )
    predicted = expected(found.x * logits.astype(np.float64))
    error = predicted - right
    own = np.concatenate([error[family] - error[family].mean() for family in families.slices])
    return Order(
        squared_error=float(np.mean(error**2)),
        within=float((own**2).sum() / (len(error) - len(families))),
        rank_correlation=float(
            np.mean([_rank_correlation(predicted[f], right[f]) for f in families.slices])
        ),
        # The best move leaves the opponent least.
        lost=float(
            np.mean([right[f][predicted[f].argmin()] - right[f].min() for f in families.slices])
        ),
    )


def _rank_correlation(one: Array, other: Array) -> float:
    """0 where all numbers of a side are equal."""
    from scipy.stats import rankdata

    first, second = rankdata(one) - (len(one) + 1) / 2, rankdata(other) - (len(other) + 1) / 2
    size = np.sqrt((first**2).sum() * (second**2).sum())
    return float((first * second).sum() / size) if size else 0.0
