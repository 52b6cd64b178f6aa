"""The points that people score from a position, by score and rating: the fit, and how well it
predicts games that were held back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.people import LEAST_RATING, MIDDLE_RATING, RATING_UNIT
from engine.play.reports import readable_score
from tuning.calibration.accuracy import BandRow
from tuning.calibration.calibration import FOLDS, Array, calibration, write_picture
from tuning.calibration.people import EDGES, FIRST_PLY, PeopleGame, Scored
from tuning.page import new_figure

BINS = 8  # of predicted points
ENOUGH = 300  # players' games, for a band of its own
DRAWN = ((1200, 1600), (1600, 2000), (2200, 2400), (2600, 2800))
DRAWN_DOTS = 10
CERTAIN_CP = 15_000  # tablebase wins; mates are certain, too


@dataclass(frozen=True)
class Sample:
    """Positions of games: arrays of one length, in White's view."""

    scores: Array  # centipawns as users see them
    ratings: Array  # the mean of both players
    leads: Array  # White's rating less Black's
    results: Array  # points of 1
    games: Array  # number of the game
    weights: Array  # so that no game counts for more than another with as many positions

    def where(self, mask: Array) -> Sample:
        return Sample(*(values[mask] for values in vars(self).values()))


def sample_of(scored: Iterable[tuple[PeopleGame, Mapping[int, Scored]]], most: int) -> Sample:
    """Positions whose score is not certain; of a game with more than `most` each counts less."""
    rows = []
    for game, scores in scored:
        white, black = game.ratings
        plies = [ply for ply in scores if ply >= FIRST_PLY]
        for ply in plies:
            shown = readable_score(scores[ply].score, scores[ply].material)
            if shown.centipawns is None or abs(shown.centipawns) >= CERTAIN_CP:
                continue
            white_cp = shown.centipawns * (1 if ply % 2 == 0 else -1)
            weight = min(1.0, most / len(plies))
            rows.append((white_cp, (white + black) / 2, white - black, game.half_points / 2,
                         game.number, weight))  # fmt: skip
    if len({row[4] for row in rows}) < FOLDS:
        raise ValueError("there are too few games with ratings: a fit needs some thousands")
    table = np.array(rows, float)
    return Sample(*(table[:, column] for column in range(table.shape[1])))


def fit(sample: Sample) -> tuple[float, float, float]:
    """The likeliest SPREAD of engine/people.py, and what a lead in rating is worth besides: its
    part in the exponent for each RATING_UNIT."""
    from scipy.optimize import minimize  # here, so that help needs no SciPy

    def loss(values: Array) -> float:
        points = np.clip(predict(values, sample), 1e-6, 1 - 1e-6)
        likelihood = sample.results * np.log(points) + (1 - sample.results) * np.log(1 - points)
        return float(-np.average(likelihood, weights=sample.weights))

    start = np.array([np.log(200.0), 0.0, 1.0])
    first, second, lead = minimize(loss, start, method="Nelder-Mead", options={"xatol": 1e-5}).x
    return float(first), float(second), float(lead)


def predict(values: Sequence[float] | Array, sample: Sample) -> Array:
    """White's points of 1 by the fit."""
    at = (np.maximum(sample.ratings, LEAST_RATING) - MIDDLE_RATING) / RATING_UNIT
    argument = sample.scores / np.exp(values[0] + values[1] * at)
    argument += values[2] * sample.leads / RATING_UNIT
    return np.asarray(1 / (1 + np.exp(-np.clip(argument, -50, 50))))


def calibration_of(predicted: Array, sample: Sample) -> Array:
    return calibration(predicted, sample.results, sample.weights, BINS)


def bands_with(there: Counter[int]) -> list[tuple[int, int]]:
    """Edges of bands of ratings with ENOUGH players' games each: smaller ones are joined to the
    next above, the last to the one below."""
    bands: list[tuple[int, int]] = []
    least, count = 0, 0
    for index in range(len(EDGES) - 1):
        count += there[index]
        if count >= ENOUGH:
            bands.append((EDGES[least], EDGES[index + 1]))
            least, count = index + 1, 0
    last = bands.pop()[0] if count and bands else EDGES[least]
    return [*bands, (last, EDGES[-1])] if count or not bands else bands


def first_with_enough(there: Counter[int]) -> int:
    """The rating below which the curve is extrapolated."""
    return next(
        (EDGES[index] for index in range(len(EDGES) - 1) if there[index] >= ENOUGH), EDGES[-1]
    )


def draw(sample: Sample, values: Sequence[float], rows: Sequence[BandRow], path: Path) -> None:
    """What people scored and what the curve says, for some ratings; and accuracies by rating."""
    figure = new_figure(12, 4.6)
    left, right = figure.subplots(1, 2)
    scores = np.arange(-600, 601, 10)
    nothing = np.zeros(len(scores))
    for number, (least, below) in enumerate(DRAWN):
        colour = f"C{number}"
        inside = (sample.ratings >= least) & (sample.ratings < below)
        ours = sample.where(inside)
        if not len(ours.scores):
            continue
        middle = np.average(ours.ratings, weights=ours.weights)
        at = Sample(scores, np.full(len(scores), middle), nothing, nothing, nothing, nothing)
        left.plot(scores / 100, 100 * predict(values, at), color=colour,
                  label=f"{least} to {below - 1}")  # fmt: skip
        order = np.argsort(ours.scores, kind="stable")
        points = [
            (np.average(ours.scores[part], weights=ours.weights[part]) / 100,
             100 * np.average(ours.results[part], weights=ours.weights[part]))
            for part in np.array_split(order, DRAWN_DOTS)
        ]  # fmt: skip
        left.plot(*zip(*points, strict=True), "o", markersize=4, color=colour)
    left.set_title("points of White by score, and what players scored", fontsize=10)
    left.set_xlabel("score")
    left.set_ylabel("points of 100")
    middles = [max(row.least, 1000) / 2 + min(row.below, 2800) / 2 for row in rows]
    for name, marker in (("accuracy", "o"), ("lichess", "s")):
        means, errors = zip(*(getattr(row, name) for row in rows), strict=True)
        label = "ours" if name == "accuracy" else "lichess's formula"
        right.errorbar(middles, means, yerr=2 * np.array(errors), marker=marker, label=label)
    right.set_title("accuracy by rating, two standard errors", fontsize=10)
    right.set_xlabel("rating")
    right.set_ylabel("percent")
    for axis in (left, right):
        axis.legend()
        axis.grid(alpha=0.3)
    write_picture(figure, path)
