"""The mean of networks is that of their parameters, and a run like any other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.eval.network.loading import SHIPPED_PATH
from tuning.__main__ import main
from tuning.network.model import Model
from tuning.network.training import Epoch, Run, Settings, load_run

pytestmark = pytest.mark.jit_only  # layers of a real size


def saved(path: Path, seed: int, *, start: int = 1, hidden: int = 16, epochs: int = 1) -> Path:
    """A run of one epoch whose parameters have moved at random from where it began."""
    model = Model(hidden, 8, 1, start)
    moved = np.random.default_rng(seed).normal(0, model.flat.std() / 2, len(model.flat))
    model.flat += moved.astype(np.float32)
    run = Run(Settings(hidden=hidden, epochs=epochs), model)
    run.history.append(Epoch(1, 0.01, 0.02, 1.0))
    run.files = [f"{seed}.positions"]
    run.save(path)
    return path


@pytest.fixture(scope="module")
def runs_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    saved(folder / "a.npz", 1)
    saved(folder / "wide.npz", 2, hidden=24)
    saved(folder / "unfinished.npz", 3, epochs=2)
    saved(folder / "stranger.npz", 4, start=5)
    return folder


def test_shares_count_in_proportion(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = saved(tmp_path / "a.npz", 1), saved(tmp_path / "b.npz", 2)
    monkeypatch.chdir(tmp_path)
    assert main(["average", "a.npz:3", "b.npz", "-o", "mean.npz"]) == 0
    mean, first, second = load_run(tmp_path / "mean.npz"), load_run(a), load_run(b)
    assert capsys.readouterr().out == f"run {mean.run_hash}, saved as mean.npz\n"
    expected = 0.75 * first.model.flat + 0.25 * second.model.flat
    assert np.allclose(mean.model.flat, expected, rtol=1e-6, atol=1e-9)
    assert mean.finished and mean.files == ["1.positions", "2.positions"]
    assert mean.run_hash not in (first.run_hash, second.run_hash)


@pytest.mark.parametrize(
    "runs, reason, status",
    [
        (["a.npz"], "an average needs two runs or more", 2),
        (["a.npz", "wide.npz"], "the networks have other shapes", 1),
        (["a.npz", str(SHIPPED_PATH)], "the networks have other shapes", 1),
        (["a.npz", "stranger.npz"], "the networks have no common origin", 1),
        (["unfinished.npz", "a.npz"], "the first run is not finished", 1),
        ([str(SHIPPED_PATH), "a.npz"], "not a run of training", 1),
        (["a.npz", "a.npz:0"], "a share must be more than 0", 2),
        (["a.npz", "a.npz:-2"], "a share must be more than 0", 2),
        (["a.npz", "a.npz:nan"], "a share must be more than 0", 2),
        (["a.npz", "a.npz:inf"], "a share must be more than 0", 2),
        (["a.npz", "none.npz"], "none.npz", 1),
        (["a.npz", "mean.npz"], "mean.npz would be replaced", 2),
    ],
)
def test_what_has_no_mean_is_refused(
    runs: list[str],
    reason: str,
    status: int,
    runs_folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(runs_folder)
    assert main(["average", *runs, "-o", "mean.npz"]) == status
    assert reason in capsys.readouterr().err
    assert not Path("mean.npz").exists()
