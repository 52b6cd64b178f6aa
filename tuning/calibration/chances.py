"""Wins, draws and losses by score and material: the fit, and how well it predicts other games."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine import chances
from engine.board.attack_tables import new_attack_tables, new_position
from engine.board.fen import set_fen
from engine.board.game import push
from engine.scores import TABLEBASE_WIN_IN_RANGE
from tuning.calibration.calibration import FOLDS, Array, calibration, write_picture
from tuning.data.games import GameRecord, read_games
from tuning.page import new_figure

Fit = tuple[Array, Array]  # HALF and SPREAD of engine/chances.py
BINS = 20  # of predicted chances
WIN, DRAW, LOSS = 0, 1, 2
NAMES = ("win", "draw", "loss")
DRAWN_MATERIALS = (78, 50, 24)
DRAWN_SCORES = np.arange(-600, 601, 10)


@dataclass(frozen=True)
class Sample:
    """Positions of games: arrays of one length. Scores and results are the side to move's."""

    scores: Array  # internal centipawns
    material: Array  # by the count of engine/chances.py
    results: Array  # WIN, DRAW or LOSS
    games: Array  # number of the game

    def __len__(self) -> int:
        return len(self.scores)

    def where(self, mask: Array) -> Sample:
        return Sample(self.scores[mask], self.material[mask], self.results[mask], self.games[mask])


def read_sample(paths: Iterable[Path]) -> Sample:
    """Every position whose score is not certain of the games in these files, each game once."""
    pos = new_position(new_attack_tables())
    rows: list[tuple[int, int, int, int]] = []
    number = 0
    seen: set[int] = set()  # a game that comes twice is no new evidence
    for path in paths:
        for game in read_games(path):
            name = hash((game.fen, tuple(game.moves)))
            if name in seen:
                continue
            seen.add(name)
            rows += _rows_of(game, number, pos)
            number += 1
    if number < FOLDS:
        raise ValueError(f"there are {number} games: a fit needs some thousands")
    table = np.array(rows, np.int64)
    return Sample(*(table[:, column] for column in range(4)))


def _rows_of(game: GameRecord, number: int, pos: Any) -> Iterable[tuple[int, int, int, int]]:
    set_fen(pos, game.fen, chess960=True)
    for move, score in zip(game.moves, game.scores, strict=True):
        side = int(pos.side)
        if abs(score) < TABLEBASE_WIN_IN_RANGE:
            own_score = score if side == 0 else -score
            half_points = game.result if side == 0 else 2 - game.result
            yield own_score, chances.material_of(pos), 2 - half_points, number
        push(pos, move)


def fit(sample: Sample) -> Fit:
    """The likeliest constants."""
    from scipy.optimize import minimize  # here, so that help needs no SciPy

    powers = len(chances.HALF)
    features = _features(sample, powers)

    def loss(values: Array) -> tuple[float, Array]:
        half, spread = np.exp(features @ values[:powers]), np.exp(features @ values[powers:])
        shares = _shares(half, spread, sample.scores)
        wins, draws, losses = shares.T
        total = -np.log(shares[np.arange(len(sample)), sample.results]).mean()
        # By the arguments of the two logistic curves, then by what these consist of.
        slope = [np.zeros(len(sample)), np.zeros(len(sample))]
        for curve, (share, outcome) in enumerate(((wins, WIN), (losses, LOSS))):
            came = sample.results == outcome
            drawn = sample.results == DRAW
            slope[curve][came] = share[came] - 1
            slope[curve][drawn] = (share * (1 - share) / draws)[drawn]
        arguments = ((sample.scores - half) / spread, (-sample.scores - half) / spread)
        by_half = -(slope[0] + slope[1]) * half / spread
        by_spread = -(slope[0] * arguments[0] + slope[1] * arguments[1])
        gradient = np.concatenate([features.T @ by_half, features.T @ by_spread])
        return float(total), gradient / len(sample)

    start = np.zeros(2 * powers)
    start[0], start[powers] = np.log(150.0), np.log(100.0)
    found = minimize(loss, start, jac=True, method="L-BFGS-B").x
    return found[:powers], found[powers:]


def predict(fitted: Fit, sample: Sample) -> Array:
    """Chances of win, draw and loss: float[positions, 3]."""
    half, spread = fitted
    features = _features(sample, len(half))
    return _shares(np.exp(features @ half), np.exp(features @ spread), sample.scores)


def _features(sample: Sample, powers: int) -> Array:
    clipped = np.clip(sample.material, chances.LEAST_MATERIAL, chances.MOST_MATERIAL)
    at = (clipped - chances.MIDDLE_MATERIAL) / chances.MATERIAL_UNIT
    return at[:, None] ** np.arange(powers)


def _shares(half: Array, spread: Array, scores: Array) -> Array:
    """Chances of win, draw and loss: float[positions, 3], none of them 0."""
    win = 1 / (1 + np.exp(np.clip((half - scores) / spread, -30, 30)))
    loss = 1 / (1 + np.exp(np.clip((half + scores) / spread, -30, 30)))
    return np.clip(np.stack([win, 1 - win - loss, loss], axis=1), 1e-9, 1.0)


def tables_of(predicted: Array, results: Array) -> list[Array]:
    """Calibrations of a win, draw and loss."""
    weights = np.ones(len(results))
    return [
        calibration(predicted[:, outcome], results == outcome, weights, BINS)
        for outcome in range(len(NAMES))
    ]


def draw(tables: Sequence[Array], fitted: Fit, error: float, path: Path) -> None:
    """What was predicted against what came, and the chances by score and material."""
    figure = new_figure(12, 4.6)
    left, right = figure.subplots(1, 2)
    left.plot((0, 1), (0, 1), linestyle="--", color="gray")
    for table, name in zip(tables, NAMES, strict=True):
        left.plot(table[:, 1], table[:, 2], marker="o", markersize=4, linewidth=1, label=name)
    left.set_title(f"games held back: mean calibration error {100 * error:.1f} %", fontsize=10)
    left.set_xlabel("predicted chance")
    left.set_ylabel("share of the positions")
    left.legend()
    left.grid(alpha=0.3)
    nothing = np.zeros_like(DRAWN_SCORES)
    for material, style in zip(DRAWN_MATERIALS, ("-", "--", ":"), strict=True):
        at = Sample(DRAWN_SCORES, np.full_like(DRAWN_SCORES, material), nothing, nothing)
        shares = predict(fitted, at)
        for outcome, colour in enumerate(("C0", "C1", "C2")):
            label = f"{NAMES[outcome]}, material {material}"
            right.plot(DRAWN_SCORES, shares[:, outcome], style, color=colour, label=label)
    right.set_title("the model", fontsize=10)
    right.set_xlabel("internal score in centipawns, side to move")
    right.set_ylabel("chance")
    right.legend(fontsize=8)
    right.grid(alpha=0.3)
    write_picture(figure, path)
