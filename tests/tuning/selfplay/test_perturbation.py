"""SPSA finds the top of a hill, and a run that was interrupted ends like one that was not."""

from __future__ import annotations

import json
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.search.params import Range
from tuning.selfplay import perturbation
from tuning.selfplay.perturbation import Duel, Settings, Spsa, optimise

TOP = {"margin": 140, "depth": 9, "base": -20}
RANGES = {
    "margin": Range(60, 0, 300, 15),
    "depth": Range(3, 1, 12, 1),
    "base": Range(30, -100, 100, 10),
}


class InPlace(Executor):
    """Does the work at once."""

    def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(function(*arguments, **named))
        return future


def height(values: dict[str, int]) -> float:
    return -sum(((values[n] - TOP[n]) / RANGES[n].step) ** 2 for n in values)


def noisy_game(duel: Duel) -> int:
    """Wins less losses of a game pair, more likely positive the larger the difference."""
    random = Random(duel.seed)
    chance = 1 / (1 + 10 ** (-0.03 * (height(duel.plus) - height(duel.minus))))
    return sum(1 if random.random() < chance else -1 for _ in range(2))


def settings(**more: Any) -> Settings:
    return Settings(**{"ranges": RANGES, "iterations": 3000, "rate": 0.02, **more})


def test_it_climbs_a_noisy_hill() -> None:
    run = Spsa(settings())
    optimise(run, noisy_game, InPlace())
    assert run.is_done
    for name, value in run.values().items():
        assert abs(value - TOP[name]) <= 2 * RANGES[name].step, name
    assert height(run.values()) > 0.05 * height({n: r.default for n, r in RANGES.items()})


def test_an_interrupted_run_ends_like_one_that_was_not(tmp_path: Path) -> None:
    whole = Spsa(settings(iterations=300))
    optimise(whole, noisy_game, InPlace())

    part = Spsa(settings(iterations=300))
    path = tmp_path / "run.json"

    def on_step() -> None:
        if part.done in (7, 8, 123):
            perturbation.save(part, path)
            raise KeyboardInterrupt

    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            optimise(part, noisy_game, InPlace(), on_step)
        part = perturbation.load(path)
    optimise(part, noisy_game, InPlace())
    assert part.to_json() == whole.to_json()


def test_the_order_in_which_workers_finish_does_not_matter() -> None:
    alone, together = Spsa(settings(iterations=200)), Spsa(settings(iterations=200))
    optimise(alone, noisy_game, InPlace())
    with ThreadPoolExecutor(3) as pool:
        optimise(together, noisy_game, pool)
    assert alone.theta == together.theta


def test_both_sides_of_a_duel_lie_around_the_values_and_in_range() -> None:
    run = Spsa(settings(lag=50))
    duels = [run.duel(number) for number in range(50)]
    for name, limits in RANGES.items():
        middle = sum(duel.plus[name] + duel.minus[name] for duel in duels) / 100
        assert abs(middle - limits.default) < limits.step
        assert all(limits.minimum <= duel.plus[name] <= limits.maximum for duel in duels)
    assert len({tuple(duel.plus.items()) for duel in duels}) > 5


def test_rounding_keeps_the_mean() -> None:
    run = Spsa(Settings({"depth": Range(5, 0, 10, 1)}, iterations=10, lag=2000))
    run._starts.extend([{"depth": 4.3}] * 2000)
    duels = [run.duel(number) for number in range(2000)]
    middle = sum(duel.plus["depth"] + duel.minus["depth"] for duel in duels) / 4000
    assert abs(middle - 4.3) < 0.05


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[1]", '{"settings": 3}', "nonsense"],
)
def test_a_broken_checkpoint_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "run.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"run\.json"):
        perturbation.load(path)


def test_a_checkpoint_without_a_value_is_refused() -> None:
    stored = json.loads(Spsa(settings()).to_json())
    del stored["theta"]["depth"]
    with pytest.raises(ValueError, match="depth"):
        Spsa.from_json(json.dumps(stored))


@pytest.mark.parametrize(
    "wrong",
    [
        {"iterations": 0},
        {"rate": 0.0},
        {"ranges": {}},
        {"ranges": {"x": Range(5, 6, 9, 1)}},
        {"rate": float("nan")},
    ],
)
def test_settings_without_sense_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r".+"):
        settings(**wrong)
