"""From positions to a fit, a report and a weights file, by the commands."""

from __future__ import annotations

import argparse
import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

from engine.eval.classical import loading
from engine.eval.classical.loading import shipped_weights
from tests.tuning.positions import bare_kings, random_positions
from tuning.__main__ import main
from tuning.commands.fit import _settings, add_arguments
from tuning.data.dataset import NO_RESULT, NO_SCORE, RECORD, Dataset, load
from tuning.fitting.model import model_of
from tuning.fitting.state import FitSettings, load_state
from tuning.fitting.weights_source import SHIPPED, source_of

WORDS = ["--epochs", "2", "--threads", "1"]


@pytest.fixture(scope="module")
def positions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small set whose results follow from the evaluation."""
    path = tmp_path_factory.mktemp("fit") / "set.positions"
    random = np.random.default_rng(2)
    records = random_positions(500).view(RECORD).copy()
    dataset = Dataset(records, ["test"])
    model, used = model_of(dataset.positions, shipped_weights())
    scores = model.scores(shipped_weights().astype(np.float64))
    dataset.records = records = records[used]
    records["score"] = scores
    records["result"] = 2 * (random.random(len(records)) < expit(scores / 150))
    records["starts_game"][::10] = 1
    dataset.save(path)
    return path


@pytest.mark.jit_only
def test_fit_report_emit(
    positions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fit, page, weights = (tmp_path / name for name in ("fit.npz", "fit.html", "weights.py"))
    assert main(["fit", str(positions), "-o", str(fit), *WORDS]) == 0
    assert "matrix times weights is the evaluation" in capsys.readouterr().out
    state, found = load_state(fit)
    assert state.finished and len(state.history) == 3
    assert found["calibration"][..., 0].sum() > 0

    assert main(["report", str(fit)]) == 0
    text = page.read_text(encoding="utf-8")
    assert text.count("<figure><svg") == 10 and text.count("data:image/png") == 2
    assert "http://" not in text.replace("http://www.w3.org", "")  # nothing from elsewhere

    assert main(["emit", str(fit), "-o", str(weights)]) == 0
    assert state.run_hash in weights.read_text(encoding="utf-8")
    assert np.array_equal(loaded(weights), state.values)

    again = tmp_path / "again.npz"
    assert main(["fit", str(positions), "-o", str(again), *WORDS]) == 0
    assert np.array_equal(load_state(again)[0].best, state.best)
    capsys.readouterr()
    assert main(["fit", str(positions), "-o", str(fit), *WORDS, "--seed", "7"]) == 1
    assert "a fit of other data or settings" in capsys.readouterr().err


def loaded(path: Path) -> np.ndarray:
    """As the engine would read it."""
    specification = importlib.util.spec_from_file_location("fitted_weights", path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loading, "numbers", module)
        return shipped_weights()


def test_emit_writes_what_stands_there_but_for_the_numbers() -> None:
    shipped = SHIPPED.read_text(encoding="utf-8")
    text = source_of(shipped_weights(), "0123456789abcdef")
    added = set(text.splitlines()) - set(shipped.splitlines())
    assert added == {"Fitted by run 0123456789abcdef."}
    assert text.count("Fitted by run ") == 1


@pytest.mark.parametrize(
    "words, message, status",
    [
        ([], "give files of positions", 2),
        (["nowhere.positions"], "nowhere.positions", 1),
        (["--demo", "some.positions"], "--demo uses its own positions", 2),
        (["--demo", "--epochs", "0"], "more than 0", 2),
        (["--demo", "--k", "7"], "between 0 and 1", 2),
    ],
)
def test_bad_input_costs_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str, status: int
) -> None:
    output = tmp_path / "fit.npz"
    assert main(["fit", *words, "-o", str(output)]) == status
    assert message in capsys.readouterr().err
    assert not output.exists()


def test_a_fit_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("report", "emit"):
        assert main([command, str(tmp_path / "fit.npz"), "-o", str(tmp_path / "out")]) == 1
        assert "fit.npz" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.jit_only
def test_positions_of_which_nothing_is_known_are_left_out(
    positions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = load(positions)
    dataset.records["score"][:7] = NO_SCORE
    dataset.records["result"][:7] = NO_RESULT
    path, fit = tmp_path / "some.positions", tmp_path / "some.npz"
    dataset.save(path)
    assert main(["fit", str(path), "-o", str(fit), "--k", "0.008", *WORDS]) == 0
    assert load_state(fit)[0].k == 0.008
    assert "7 positions without result and score left out" in capsys.readouterr().out
    dataset.records["score"], dataset.records["result"] = NO_SCORE, NO_RESULT
    dataset.save(path)
    assert main(["fit", str(path), "-o", str(fit), *WORDS]) == 1
    assert "no position has a result or a score" in capsys.readouterr().err


def test_what_is_given_wins_over_what_the_demo_takes() -> None:
    def settings(*words: str) -> FitSettings:
        parser = argparse.ArgumentParser()
        add_arguments(parser)
        return _settings(parser.parse_args(words))

    assert settings() == FitSettings()
    assert settings("--demo").l2 == 1e-6
    given = settings("--demo", "--l2", "0", "--seed", "3")
    assert (given.l2, given.seed) == (0.0, 3)


@pytest.mark.jit_only
def test_a_part_with_nothing_but_exact_knowledge(
    positions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = set()
    for known_game in (0, 1):  # one of the two is held out
        records = load(positions).records[:20].copy()
        place = 10 * known_game
        records[place : place + 10] = bare_kings().view(RECORD)
        records["starts_game"] = np.arange(20) % 10 == 0
        path, output = tmp_path / "two.positions", tmp_path / "two.npz"
        Dataset(records, ["test"]).save(path)
        assert main(["fit", str(path), "-o", str(output), *WORDS]) == 1
        told.add(capsys.readouterr().err.partition("no position to ")[2])
        assert not output.exists()
    assert told == {f"{what}: all have exact knowledge\n" for what in ("train on", "hold back")}
