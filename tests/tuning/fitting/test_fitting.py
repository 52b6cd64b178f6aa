"""Fits find the weights that made the labels, stop, and go on."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

from engine.eval.classical.features import FEATURES, WEIGHT_COUNT
from engine.eval.classical.loading import shipped_weights
from tests.tuning.positions import random_positions
from tuning.data.dataset import NO_RESULT, NO_SCORE, RECORD, Dataset
from tuning.fitting.model import Model, model_of
from tuning.fitting.optimiser import Objective, fit
from tuning.fitting.state import FitSettings, State, load_state
from tuning.fitting.targets import fitted_k, source_scales, split, targets

K = 1 / 150
QUICK = FitSettings(epochs=6, l2=0.0, validation=0.2)


@pytest.fixture(scope="module")
def model() -> Model:
    return model_of(random_positions(600), shipped_weights())[0]


def started(model: Model, settings: FitSettings) -> tuple[State, Objective]:
    """Targets come from the shipped weights; the fit starts with pieces worth too little."""
    truth = shipped_weights().astype(np.float64)
    wanted = expit(K * model.scores(truth))
    initial = truth.copy()
    initial[FEATURES["material"].indices] *= 0.6
    state = State(settings, initial, initial.copy(), initial.copy(), k=K)
    return state, Objective(model, wanted, K, settings, initial)


@pytest.mark.jit_only
def test_loss_falls_on_positions_held_back(model: Model) -> None:
    state, objective = started(model, replace(QUICK, epochs=12))
    fit(state, objective, 480, lambda _: None)
    assert state.finished
    first, last = state.history[0], min(state.history, key=lambda epoch: epoch.validation)
    assert last.validation < first.validation
    assert last.training < 0.3 * first.training


@pytest.mark.jit_only
def test_an_interrupted_fit_ends_like_one_that_was_not(model: Model, tmp_path: Path) -> None:
    whole, objective = started(model, QUICK)
    fit(whole, objective, 480, lambda _: None)
    part, objective = started(model, QUICK)
    path = tmp_path / "fit.npz"

    def on_epoch(state: State) -> None:
        state.save(path)
        if state.history[-1].number == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(part, objective, 480, on_epoch)
    again, _ = load_state(path)
    fit(again, objective, 480, lambda _: None)
    assert again.history == whole.history
    assert np.array_equal(again.best, whole.best)
    assert again.run_hash == whole.run_hash


@pytest.mark.jit_only
def test_the_penalty_pulls_towards_the_start(model: Model) -> None:
    distances = []
    for l2 in (0.0, 1e-4):
        state, objective = started(model, replace(QUICK, l2=l2, epochs=3))
        fit(state, objective, 480, lambda _: None)
        distances.append(float(np.abs(state.weights - state.initial).sum()))
    assert distances[1] < 0.8 * distances[0]


@pytest.mark.jit_only
def test_it_stops_early_when_nothing_gets_better(model: Model) -> None:
    settings = replace(QUICK, epochs=50, patience=2)
    state, objective = started(model, settings)
    state.weights = shipped_weights().astype(np.float64)  # the truth
    fit(state, objective, 480, lambda _: None)
    assert state.history[-1].number == 2


@pytest.mark.jit_only
def test_targets_must_be_numbers(model: Model) -> None:
    wanted = np.full(len(model), 0.5)
    wanted[17] = np.nan
    message = f"{model.fen(17)}: the target of this position is not a number"
    with pytest.raises(ValueError, match=re.escape(message)):
        Objective(model, wanted, K, QUICK, np.zeros((WEIGHT_COUNT, 2)))


# --- Labels, without an engine -------------------------------------------------------------------


def labelled(count: int = 40_000) -> Dataset:
    random = np.random.default_rng(3)
    records = np.zeros(count, RECORD)
    records["source"] = np.arange(count) % 2
    strength = random.normal(0, 200, count)
    records["score"] = np.where(records["source"] == 0, strength, 3 * strength).round()
    records["result"] = 2 * (random.random(count) < expit(strength / 150))
    records["starts_game"][::10] = 1
    return Dataset(records, ["modest", "loud"])


def test_each_source_has_its_own_scale() -> None:
    scales = source_scales(labelled())
    assert scales["modest"] == pytest.approx(1 / 150, rel=0.05)
    assert scales["loud"] == pytest.approx(1 / 450, rel=0.05)


def test_a_source_with_few_results_gets_the_common_scale() -> None:
    dataset = labelled()
    dataset.sources.append("rare")
    dataset.records["source"][:100] = 2
    scales = source_scales(dataset)
    assert scales["modest"] > scales["rare"] > scales["loud"]


def test_targets_mix_result_and_score() -> None:
    records = np.zeros(4, RECORD)
    records["score"] = [150, NO_SCORE, 150, NO_SCORE]
    records["result"] = [0, 2, NO_RESULT, NO_RESULT]
    found = targets(records, np.full(4, 1 / 150), 0.25)
    at_one = float(expit(1.0))
    assert found[:3].tolist() == pytest.approx([0.25 * at_one, 1.0, at_one])
    assert np.isnan(found[3])


def test_no_game_is_on_both_sides_of_the_split() -> None:
    dataset = labelled()
    training, validating = split(dataset, 0.1, seed=5)
    games = dataset.game_numbers()
    assert not set(games[training]) & set(games[validating])
    assert len(training) + len(validating) == len(dataset)
    assert len(validating) == pytest.approx(0.1 * len(dataset), rel=0.01)
    again, _ = split(dataset, 0.1, seed=5)
    assert np.array_equal(training, again)
    with pytest.raises(ValueError, match="too few"):
        split(Dataset(dataset.records[:8], dataset.sources), 0.1, seed=5)


def test_k_is_found() -> None:
    scores = np.random.default_rng(1).normal(0, 300, 5000)
    assert fitted_k(scores, expit(scores / 123)) == pytest.approx(1 / 123, rel=1e-3)


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"epochs": 0}, "more than 0"),
        ({"score_share": 1.5}, "between 0 and 1"),
        ({"k": 2.0}, "between 0 and 1"),
    ],
)
def test_settings_without_sense(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(QUICK, **wrong)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 broken", b"nonsense"])
def test_a_broken_fit_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "fit.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"fit\.npz: not a fit"):
        load_state(path)


def test_a_fit_of_other_features_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = np.zeros((WEIGHT_COUNT, 2))
    path = tmp_path / "fit.npz"
    State(QUICK, start, start, start).save(path)
    assert load_state(path)[0].settings == QUICK
    # Version 1.0.0 had an optimiser of its own, and wrote its settings and state.
    with np.load(path) as stored:
        arrays = {name: stored[name] for name in stored.files}
    notes = json.loads(str(arrays.pop("notes")))
    notes["settings"] |= {
        "optimiser": "adam",
        "batch": 512,
        "rate": 3.0,
        "frozen": [],
        "bounds": [],
    }
    notes["steps"] = 7
    np.savez(path, notes=np.array(json.dumps(notes)), moments=np.zeros((2, 9)), **arrays)
    assert load_state(path)[0].settings == QUICK
    monkeypatch.setattr("tuning.fitting.state.feature_hash", lambda: "another")
    with pytest.raises(ValueError, match="other features"):
        load_state(path)
