"""How well people play by their rating: our accuracy beside that of lichess, and marks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean, pstdev, stdev
from typing import NamedTuple

import chess

from engine.people import BLUNDER, INACCURACY, MISTAKE, accuracy, expected_points, is_decided
from engine.play.reports import readable_score
from openings.theory import known_plies
from tuning.calibration.people import EDGES, PeopleGame, Scored, band

# lichess-org/lila, modules/analyse: points from a score, and accuracy from points lost.
LICHESS_PER_CP, LICHESS_MOST_CP = 0.00368208, 1000


@dataclass(frozen=True)
class Played:
    """A player's game."""

    rating: int
    lost: list[float]  # points for each move that counts, by the curve for the players
    accuracy: float | None
    lichess: float | None  # by lichess's formula, from the same scores


@dataclass(frozen=True)
class BandRow:
    """What the players of a band did on average; of accuracies also the standard errors."""

    least: int
    below: int
    games: int  # of players
    accuracy: tuple[float, float]
    lichess: tuple[float, float]
    counted: float  # moves a game
    marks: list[float]  # inaccuracies, mistakes, blunders; percent of these moves


def band_name(least: int, below: int) -> str:
    if below == EDGES[-1]:
        return f"{least} and more"
    return f"{least} to {below - 1}" if least else f"below {below}"


def by_band(players: Sequence[Played], bands: Sequence[tuple[int, int]]) -> list[BandRow]:
    rows = []
    for least, below in bands:
        ours = [one for one in players if least <= one.rating < below]
        lost = [points for one in ours for points in one.lost]
        edges = (INACCURACY, MISTAKE, BLUNDER, 101.0)
        rows.append(
            BandRow(
                least,
                below,
                len(ours),
                _mean([one.accuracy for one in ours if one.accuracy is not None]),
                _mean([one.lichess for one in ours if one.lichess is not None]),
                len(lost) / max(1, len(ours)),
                [
                    100 * sum(low <= points < high for points in lost) / max(1, len(lost))
                    for low, high in pairwise(edges)
                ],
            )
        )
    return rows


def _mean(values: Sequence[float]) -> tuple[float, float]:
    """With its standard error."""
    if len(values) < 2:
        return math.nan, math.nan
    return mean(values), stdev(values) / len(values) ** 0.5


def accuracy_table(rows: Sequence[BandRow], there: Counter[int], extrapolated: int) -> str:
    lines = [
        f"{sum(there.values()):,} players' games have ratings, "
        f"{sum(there[band(edge)] for edge in EDGES[:-1] if edge < extrapolated):,} of them below "
        f"{extrapolated}, where the curve is extrapolated.",
        "",
        "| Rating | Games | Accuracy | lichess's | Moves counted | ?! | ? | ?? |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        ours, theirs = (
            f"{value:.1f} ± {error:.1f}" for value, error in (row.accuracy, row.lichess)
        )
        marks = " | ".join(f"{share:.1f} %" for share in row.marks)
        lines.append(
            f"| {band_name(row.least, row.below)} | {row.games} | {ours} | {theirs} | "
            f"{row.counted:.0f} | {marks} |"
        )
    return "\n".join(lines)


class Counted(NamedTuple):
    """A move that counts, and the points that it lost."""

    ply: int
    lost: float  # by the curve for the players
    middle_lost: float  # by that for 1,800


def played(game: PeopleGame, scores: Mapping[int, Scored]) -> Iterator[Played]:
    """White's game and Black's. `scores`: of every position but the last."""
    moves = counted(game, scores)
    shares = [_lichess_points(_white_cp(scores[ply], ply)) for ply in range(len(game.moves))]
    for side in (0, 1):
        ours = [move for move in moves if move.ply % 2 == side]
        yield Played(
            game.ratings[side],
            [move.lost for move in ours],
            accuracy([move.middle_lost for move in ours]),
            lichess_accuracy(shares, side),
        )


def counted(game: PeopleGame, scores: Mapping[int, Scored]) -> list[Counted]:
    """The moves of both that count. `scores`: of every position but the last."""
    positions = [_white_cp(scores[ply], ply) for ply in range(len(game.moves))]
    rating = round(sum(game.ratings) / 2)
    own = [expected_points(position, rating) for position in positions]
    middle = [expected_points(position) for position in positions]
    best = [scores[ply].best == move for ply, move in enumerate(game.moves)]
    lost, middle_lost = (_losses(points, best) for points in (own, middle))
    counts = _counts(game, lost, middle)
    return [Counted(ply, lost[ply], middle_lost[ply]) for ply in range(len(lost)) if counts[ply]]


def _white_cp(scored: Scored, ply: int) -> int:
    return shown_cp(scored) * (1 if ply % 2 == 0 else -1)


def shown_cp(scored: Scored) -> int:
    """Centipawns for the side to move; a mate is more than any."""
    shown = readable_score(scored.score, scored.material)
    if shown.centipawns is None:
        return 10**6 if (shown.mate or 0) > 0 else -(10**6)
    return shown.centipawns


def _losses(points: Sequence[float], best: Sequence[bool]) -> list[float]:
    """Of each move but the last."""
    return [
        0.0 if best[ply] else max(0.0, (before - after) * (1 if ply % 2 == 0 else -1))
        for ply, (before, after) in enumerate(pairwise(points))
    ]


def _counts(game: PeopleGame, lost: Sequence[float], middle: Sequence[float]) -> list[bool]:
    """Which moves belong into an accuracy, as uci/analysis/judgement.py says."""
    board, has_choice = chess.Board(), []
    for text in game.moves:
        has_choice.append(board.legal_moves.count() > 1)
        board.push_uci(text)
    known = known_plies(board, lost, MISTAKE)
    return [
        ply >= known and has_choice[ply] and not is_decided(middle[ply], middle[ply + 1])
        for ply in range(len(lost))
    ]


def _lichess_points(centipawns: int) -> float:
    clamped = max(-LICHESS_MOST_CP, min(centipawns, LICHESS_MOST_CP))
    return 100 / (1 + math.exp(-LICHESS_PER_CP * clamped))


def lichess_accuracy(points: Sequence[float], side: int) -> float | None:
    """Half the mean of its moves' accuracies weighted by volatility, half their harmonic mean."""
    width = max(2, min(len(points) // 10, 8))
    windows = [points[max(0, end - width) :][:width] for end in range(2, len(points) + 1)]
    weights = [max(0.5, min(pstdev(window), 12.0)) for window in windows]
    found = [
        (_lichess_move((before - after) * (1 if side == 0 else -1)), weights[ply])
        for ply, (before, after) in enumerate(pairwise(points))
        if ply % 2 == side
    ]
    if not found:
        return None
    weighted = sum(one * weight for one, weight in found) / sum(weight for _, weight in found)
    harmonic = len(found) / sum(1 / max(one, 0.1) for one, _ in found)
    return (weighted + harmonic) / 2


def _lichess_move(lost: float) -> float:
    if lost <= 0:
        return 100.0
    return max(0.0, min(103.1668 * math.exp(-0.04354 * lost) - 3.1669 + 1, 100.0))
