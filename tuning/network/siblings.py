"""How well a network orders siblings: the positions after each legal move of a position.

A search compares moves. An error that all siblings share costs it nothing, and the mean squared
error of a network does not tell it from one that puts a worse move first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import chess
import numpy as np

from tuning.fitting.model import Array
from tuning.fitting.targets import expected
from tuning.network.labels import TEACHER_K

FEWEST = 4  # siblings that have an order worth the name
LEVEL = 300  # centipawns: the best sibling of a decided position says little
NEW_CLOCKS = "0 1"  # both engines shrink scores by the fifty-move rule
SCALES = (0.05, 20.0)  # of a network's logits, between which the one that fits best is sought


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
