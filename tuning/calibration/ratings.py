"""Ratings from games: maximum likelihood, with error bars; their table in docs/levels.md."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.files import write_text

SCALE = 400 / math.log(10)  # points of Elo for a factor e in the odds
SURELY = 1.96  # standard deviations in half of a 95 % interval
PRIOR_POINTS = 1500.0  # standard deviation: only so that who has won every game has a rating


@dataclass(frozen=True)
class Result:
    """A game: half points of White, 0 to 2."""

    white: str
    black: str
    points: int


@dataclass(frozen=True)
class Rating:
    value: float
    error: float  # half of the 95 % interval
    games: int
    points: float


def ratings(results: Iterable[Result], known: Mapping[str, float]) -> dict[str, Rating]:
    """The ratings under which the results are likeliest; a draw counts as half a win.

    Those in `known` that have played keep the mean of their given ratings; without any, the mean
    of all is 0. White's advantage is fitted with them. Errors are relative to that mean.
    """
    from scipy.optimize import minimize  # here, so that help needs no SciPy

    games = list(results)
    names = sorted({name for game in games for name in (game.white, game.black)})
    if not names:
        return {}
    at = {name: index for index, name in enumerate(names)}
    white = np.array([at[game.white] for game in games])
    black = np.array([at[game.black] for game in games])
    points = np.array([game.points / 2 for game in games])
    count = len(names)

    def loss(values: np.ndarray) -> tuple[float, np.ndarray]:
        difference = values[white] - values[black] + values[count]
        expected = 1 / (1 + np.exp(-difference))
        log_win, log_loss = -np.logaddexp(0, -difference), -np.logaddexp(0, difference)
        total = -float(np.sum(points * log_win + (1 - points) * log_loss))
        gradient = np.zeros(count + 1)
        np.add.at(gradient, white, expected - points)
        np.add.at(gradient, black, points - expected)
        gradient[count] = np.sum(expected - points)
        prior = (SCALE / PRIOR_POINTS) ** 2
        return total + float(np.sum(values**2)) * prior / 2, gradient + prior * values

    fitted = minimize(loss, np.zeros(count + 1), jac=True, method="L-BFGS-B").x
    difference = fitted[white] - fitted[black] + fitted[count]
    weight = 1 / (2 + np.exp(difference) + np.exp(-difference))
    information = np.eye(count + 1) * (SCALE / PRIOR_POINTS) ** 2
    signs = np.zeros((len(games), count + 1))
    rows = np.arange(len(games))
    signs[rows, white] += 1
    signs[rows, black] -= 1
    signs[:, count] = 1
    information += signs.T @ (signs * weight[:, None])
    covariance = np.linalg.inv(information)

    given = [name for name in names if name in known]
    fixed = [at[name] for name in given] or list(range(count))
    # Relative to the mean of the anchors: subtract it, in values and in covariance.
    centre = np.eye(count + 1)
    centre[:count, fixed] -= 1 / len(fixed)
    covariance = centre @ covariance @ centre.T
    offset = float(np.mean([known[name] for name in given])) if given else 0.0
    values = offset + SCALE * (fitted[:count] - fitted[fixed].mean())
    errors = SURELY * SCALE * np.sqrt(np.diag(covariance)[:count])
    found = {}
    for name, index in at.items():
        scored = points[white == index].sum() + (1 - points[black == index]).sum()
        played = int((white == index).sum() + (black == index).sum())
        found[name] = Rating(float(values[index]), float(errors[index]), played, float(scored))
    return found


def rating_table(levels: Mapping[str, int], found: Mapping[str, Rating], games: int) -> str:
    """Levels and anchors with their ratings by games, best last."""
    rows = [
        f"{games:,} games.",
        "",
        "| Player | `UCI_Elo` | In games | Games | Score |",
        "|---|---|---|---|---|",
    ]
    for name, rating in sorted(found.items(), key=lambda item: item[1].value):
        if name in levels or not name.startswith("level "):  # no earlier row
            label = f"Wadjet | {levels[name]}" if name in levels else f"{name} | "
            share = rating.points / max(1, rating.games)
            rows.append(
                f"| {label} | {rating.value:.0f} ± {rating.error:.0f} | {rating.games} | "
                f"{share:.0%} |"
            )
    return "\n".join(rows)


def replace_table(page: Path, name: str, table: str) -> None:
    """Put the table between its marks in the page. ValueError if it has no such marks."""
    text = page.read_text(encoding="utf-8")
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    if not pattern.search(text):
        raise ValueError(f"{page}: there is no {begin} ... {end}")
    write_text(page, pattern.sub(lambda _: f"{begin}\n{table}\n{end}", text))
