"""What a match proves: Elo, its error, and the sequential test.

The unit is a pair of games from one opening with colours swapped. `pairs` counts pairs by their
half points, 0 to 4 (pentanomial statistics). The two games of a pair share the opening, so they
are not independent; pairs are. The methods are those of Fishtest, OpenBench and fastchess:

- Elo: the logistic difference of the mean score; normalised Elo: the mean over the deviation of a
  game, in units that agree with Elo for games without draws.
- LLR: the generalised log likelihood ratio, of the data under the likeliest distribution of each
  of the two strengths. Van den Bergh, "A practical introduction to the
  GSPRT" and "Normalized Elo" (2019, 2020).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from engine.command_line import UsageError

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)  # of a pair, per game
PER_UNIT = 800 / math.log(10)  # normalised Elo for a mean one deviation of a game above 1/2
SURELY = 1.959964  # deviations, 95 % of a normal distribution
LEAST_COUNT = 1e-3  # for results that never occurred, so that likelihoods stay finite
LARGEST_BOUND = 200  # Elo; a normalised strength of 300 has no distribution of pairs near it


@dataclass(frozen=True)
class Estimate:
    """A value and half of its 95 % interval. Either may be infinite or not a number."""

    value: float
    error: float

    def __str__(self) -> str:
        return f"{self.value:.2f} +/- {self.error:.2f}"


@dataclass(frozen=True)
class Moments:
    """Of the score of a pair, per game."""

    count: int
    mean: float
    deviation: float

    @property
    def error(self) -> float:
        return self.deviation / math.sqrt(self.count) if self.count else math.nan


def moments(pairs: Sequence[int]) -> Moments:
    """ValueError if there are not five counts."""
    if len(pairs) != 5 or min(pairs) < 0:
        raise ValueError("pairs are counted for 0, 1/2, 1, 1 1/2 and 2 points")
    count = sum(pairs)
    if count == 0:
        return Moments(0, math.nan, math.nan)
    mean = sum(n * s for n, s in zip(pairs, SCORES, strict=True)) / count
    variance = sum(n * (s - mean) ** 2 for n, s in zip(pairs, SCORES, strict=True)) / count
    return Moments(count, mean, math.sqrt(variance))


def elo_of(score: float) -> float:
    """The rating difference at which `score` is the expected score."""
    if score <= 0 or score >= 1:
        return math.copysign(math.inf, score - 0.5)
    return -400 * math.log10(1 / score - 1)


def elo(pairs: Sequence[int]) -> Estimate:
    found = moments(pairs)
    if not found.count or found.mean in (0, 1):
        return Estimate(elo_of(found.mean) if found.count else math.nan, math.nan)
    low = elo_of(found.mean - SURELY * found.error)
    high = elo_of(found.mean + SURELY * found.error)
    return Estimate(elo_of(found.mean), (high - low) / 2)


def normalised_elo(pairs: Sequence[int]) -> Estimate:
    """The deviation of a game is that of a pair's mean score times the root of 2."""
    found = moments(pairs)
    if not found.count or found.deviation == 0:
        return Estimate(math.nan, math.nan)
    per_game = found.deviation * math.sqrt(2)
    error = SURELY * found.error / per_game
    return Estimate((found.mean - 0.5) / per_game * PER_UNIT, error * PER_UNIT)


def likelihood_of_superiority(pairs: Sequence[int]) -> float:
    """How likely the first player is the stronger one, as a normal approximation."""
    found = moments(pairs)
    if not found.count:
        return 0.5
    if found.error == 0:
        return 0.5 if found.mean == 0.5 else float(found.mean > 0.5)
    return NormalDist().cdf((found.mean - 0.5) / found.error)


# --- The sequential test -------------------------------------------------------------------------


@dataclass(frozen=True)
class Sprt:
    """A test between two strengths in normalised Elo, chosen before the match."""

    elo0: float
    elo1: float
    alpha: float = 0.05  # the chance to accept elo1 if elo0 is true
    beta: float = 0.05  # the chance to accept elo0 if elo1 is true

    def __post_init__(self) -> None:
        if not (self.elo0 < self.elo1 and 0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise UsageError("an SPRT needs elo0 < elo1, and errors between 0 and 0.5")
        if max(abs(self.elo0), abs(self.elo1)) > LARGEST_BOUND:
            raise UsageError(f"an SPRT needs bounds of at most {LARGEST_BOUND} Elo")

    @property
    def lower(self) -> float:
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, pairs: Sequence[int]) -> float:
        if moments(pairs).deviation == 0 or not sum(pairs):
            return 0.0
        counts = [max(count, LEAST_COUNT) for count in pairs]
        first, second = _likeliest(counts, self.elo0), _likeliest(counts, self.elo1)
        return sum(n * math.log(q / p) for n, p, q in zip(counts, first, second, strict=True))

    def verdict(self, pairs: Sequence[int]) -> str:
        """ "H1", "H0", or empty while the test goes on."""
        llr = self.llr(pairs)
        return "H1" if llr >= self.upper else "H0" if llr <= self.lower else ""


def _likeliest(counts: Sequence[float], elo: float) -> list[float]:
    """The likeliest distribution of pairs at a strength. Its deviation depends on the answer:
    iterate."""
    # SCORES are means of two games: their deviation is smaller by the root of 2.
    wanted = elo / PER_UNIT * math.sqrt(2)
    fitted = [1 / len(SCORES)] * len(SCORES)
    for _ in range(20):
        mean = sum(p * s for p, s in zip(fitted, SCORES, strict=True))
        deviation = math.sqrt(sum(p * (s - mean) ** 2 for p, s in zip(fitted, SCORES, strict=True)))
        # The condition, linear in the probabilities around the last ones.
        offsets = [
            s - 0.5 - wanted * deviation * (1 + ((s - mean) / deviation) ** 2) / 2 for s in SCORES
        ]
        before, fitted = fitted, _tilted(counts, offsets)
        if max(abs(p - q) for p, q in zip(before, fitted, strict=True)) < 1e-9:
            break
    return fitted


def _tilted(counts: Sequence[float], offsets: Sequence[float]) -> list[float]:
    """The probabilities, likeliest for these counts, under which `offsets` have mean 0."""
    total = sum(counts)

    def mean(tilt: float) -> float:
        return sum(n * a / (1 + tilt * a) for n, a in zip(counts, offsets, strict=True))

    tilt = _root(mean, -1 / max(offsets), -1 / min(offsets))
    return [n / total / (1 + tilt * a) for n, a in zip(counts, offsets, strict=True)]


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Of a falling function that is infinite at both ends."""
    for _ in range(200):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if function(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2
