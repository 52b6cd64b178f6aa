"""Simultaneous perturbation stochastic approximation (SPSA): search constants, tuned by games.

Each iteration moves all parameters at random a little up or down, plays the engine with these
values against the engine with the opposite ones, and steps towards the side that scored more.
Spall, "An overview of the simultaneous perturbation method for efficient optimization" (1998);
the gains follow Fishtest and OpenBench.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from engine.command_line import UsageError
from engine.files import write_text
from engine.search.params import Range

Values = dict[str, float]

ALPHA, GAMMA = 0.602, 0.101  # how fast steps and perturbations shrink: Spall's practical values
STABILITY = 0.1  # of all pairs; damps the first steps ("A")
HISTORY_POINTS = 400  # of the plot


@dataclass(frozen=True)
class Settings:
    """Everything that determines a run."""

    ranges: dict[str, Range]
    iterations: int
    pairs: int = 1  # of games in an iteration
    rate: float = 0.002  # the last step for one point, as a share of the perturbation ("r_end")
    seed: int = 1
    lag: int = 4  # iterations under way at once; each starts from the result `lag` before it
    games: dict[str, Any] = field(default_factory=dict)  # how they are played, for the record

    def __post_init__(self) -> None:
        if not self.ranges:
            raise ValueError("no parameter to tune")
        for name, (default, minimum, maximum, step) in self.ranges.items():
            if not (minimum <= default <= maximum and minimum < maximum and step > 0):
                raise ValueError(f"{name}: needs minimum <= default <= maximum and a step above 0")
        if self.iterations < 1 or self.pairs < 1 or self.lag < 1 or not self.rate > 0:
            raise UsageError("iterations, pairs and rate must be more than 0")


@dataclass(frozen=True)
class Duel:
    """One iteration: the values of both sides, and a seed for everything random."""

    number: int
    seed: int
    plus: dict[str, int]
    minus: dict[str, int]


Judge = Callable[[Duel], int]  # points of `plus` above those of `minus`: wins less losses


class Spsa:
    """The state of a run.

    It depends only on settings and results. Results are applied in the order of the iterations, so
    a run that was stopped and continued ends like one that was not.
    """

    def __init__(self, settings: Settings):
        self.settings = settings
        self.done = 0  # iterations whose result was applied
        self.theta: Values = {n: float(r.default) for n, r in settings.ranges.items()}
        # What the iterations under way started from, the oldest first.
        self._starts: deque[Values] = deque(maxlen=settings.lag)
        self._starts.extend(dict(self.theta) for _ in range(settings.lag))
        self.history: list[tuple[int, Values]] = [(0, dict(self.theta))]
        self.points = 0  # of all iterations so far, plus less minus

    # --- The method

    def duel(self, number: int) -> Duel:
        """Iteration `number`, one of the next `lag`."""
        offset = number - self.done
        if not 0 <= offset < self.settings.lag:
            raise ValueError(f"iteration {number} does not follow {self.done}")
        start = self._starts[offset]
        random = Random(f"{self.settings.seed} {number}")
        plus, minus = {}, {}
        for name, flip in self._flips(number).items():
            limits = self.settings.ranges[name]
            delta = flip * self._perturbation(name, number)
            plus[name] = _round(start[name] + delta, limits, random)
            minus[name] = _round(start[name] - delta, limits, random)
        return Duel(number, random.getrandbits(48), plus, minus)

    def tell(self, points: int) -> None:
        """The result of the next iteration: a step towards what scored more."""
        number = self.done
        settings = self.settings
        for name, flip in self._flips(number).items():
            limits = settings.ranges[name]
            step = self._gain(name, number) / self._perturbation(name, number) * flip * points
            moved = self.theta[name] + step
            self.theta[name] = min(max(moved, limits.minimum), limits.maximum)
        self.done += 1
        self.points += points
        self._starts.append(dict(self.theta))
        if self.done * HISTORY_POINTS // settings.iterations > len(self.history) - 1:
            self.history.append((self.done, dict(self.theta)))

    def _flips(self, number: int) -> dict[str, int]:
        random = Random(f"flips {self.settings.seed} {number}")
        return {name: random.choice((-1, 1)) for name in self.settings.ranges}

    def _perturbation(self, name: str, number: int) -> float:
        """c_k, which shrinks to the parameter's step at the end."""
        pairs, last = self.settings.pairs, self.settings.iterations * self.settings.pairs
        return self.settings.ranges[name].step * (last / (pairs * number + 1)) ** GAMMA

    def _gain(self, name: str, number: int) -> float:
        """a_k, which shrinks to `rate` times the square of the step."""
        pairs, last = self.settings.pairs, self.settings.iterations * self.settings.pairs
        damping = STABILITY * last
        shrunk = ((damping + last) / (damping + pairs * number + 1)) ** ALPHA
        return self.settings.rate * self.settings.ranges[name].step ** 2 * float(shrunk)

    def values(self) -> dict[str, int]:
        """The parameters as they stand, as integers."""
        return {name: round(value) for name, value in self.theta.items()}

    @property
    def is_done(self) -> bool:
        return self.done >= self.settings.iterations

    # --- Between runs

    def to_json(self) -> str:
        return json.dumps(
            {
                "settings": asdict(self.settings),
                "done": self.done,
                "theta": self.theta,
                "starts": list(self._starts),
                "points": self.points,
                "history": self.history,
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Spsa:
        """Raises ValueError if `text` is not what to_json wrote."""
        try:
            stored = json.loads(text)
            settings = dict(stored["settings"])
            settings["ranges"] = {n: Range(*r) for n, r in settings["ranges"].items()}
            run = cls(Settings(**settings))
            run.done, run.points = int(stored["done"]), int(stored["points"])
            run.theta = run._checked(stored["theta"])
            run._starts.extend(run._checked(start) for start in stored["starts"])
            run.history = [(int(n), run._checked(values)) for n, values in stored["history"]]
        except (KeyError, TypeError, AttributeError) as reason:
            raise ValueError(f"not a checkpoint of spsa: {reason!r}") from reason
        return run

    def _checked(self, values: Mapping[str, Any]) -> Values:
        return {name: float(values[name]) for name in self.settings.ranges}


def _round(value: float, limits: Range, random: Random) -> int:
    """Round up or down at random, so that the mean is `value` and small changes count."""
    value = min(max(value, limits.minimum), limits.maximum)
    return int(value // 1) + (random.random() < value % 1)


def load(path: Path) -> Spsa:
    """Raises OSError, and ValueError with the file's name."""
    try:
        return Spsa.from_json(path.read_text(encoding="utf-8"))
    except ValueError as reason:
        raise ValueError(f"{path}: {reason}") from reason


def save(run: Spsa, path: Path) -> None:
    write_text(path, run.to_json())


def optimise(
    run: Spsa,
    judge: Judge,
    executor: Executor,
    on_step: Callable[[], None] | None = None,
) -> None:
    """Play the rest of a run, `lag` iterations at once. `on_step` is called after each step."""
    under_way: deque[Future[int]] = deque()
    following = run.done
    while not run.is_done:
        while following < min(run.done + run.settings.lag, run.settings.iterations):
            under_way.append(executor.submit(judge, run.duel(following)))
            following += 1
        run.tell(under_way.popleft().result())
        if on_step:
            on_step()
