"""A network learns what can be learned, the same way each time, and is refused if it did not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.eval.network.file import encode, read_network
from engine.eval.network.loading import SHIPPED_PATH
from engine.eval.network.shape import ATTACKED_INPUTS, HIDDEN, INPUTS, KING_BUCKETS, PIECE_INPUTS
from engine.native.objects import cache_folders
from tests.tuning.network.sets import labelled, write_set
from tuning.__main__ import main
from tuning.network.emitting import emit_network
from tuning.network.examples import Examples
from tuning.network.features import FEATURES
from tuning.network.gradients import BLOCK, gradient, new_scratch, whole_layer
from tuning.network.kernels import Weights
from tuning.network.model import (
    LARGEST_BYTE_WEIGHT,
    LARGEST_WEIGHT,
    Model,
    expected,
    king_map,
    parents_of,
)
from tuning.network.quantisation import proof_of, quantised, whole_logits
from tuning.network.training import Epoch, Run, Settings, is_network, load_run, load_start
from tuning.network.worth import MIDDLEGAMES, refusal, rows_of, worth_of

pytestmark = pytest.mark.jit_only  # millions of multiplications

SMALL = ("--hidden", "32", "--epochs", "8", "--batch", "256", "--k", "0.008", "--rate", "0.001")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_set(tmp_path_factory.mktemp("data") / "a.positions", labelled(6000))


def test_a_gradient_of_many_positions_is_the_sum_of_single_ones() -> None:
    """More than a block of them."""
    hidden = 24
    model = Model(hidden, 4, threads=1, seed=3)
    rows = labelled(BLOCK + 300).view(np.int64).reshape(-1, 4)
    targets = np.linspace(0, 1, len(rows), dtype=np.float32)
    parts = [slice(0, len(rows)), *(slice(k, k + 1) for k in range(len(rows)))]
    found = []
    for chosen in (parts[:1], parts[1:]):
        whole = np.zeros((2, FEATURES + 1, hidden // 2), np.int16)
        whole_layer(*model.split(model.flat)[:2], whole)
        g1, *others = (np.zeros_like(part) for part in model.split(model.flat)[1:])
        into = model.weights, g1, Weights(*others), new_scratch(hidden)
        error = sum(gradient(rows[s], targets[s], 1.0, whole, *into) for s in chosen)
        found.append([np.array(error), g1, *others])
    for together, single in zip(*found, strict=True):
        assert np.abs(single).max() > 0
        assert np.allclose(together, single, rtol=1e-3, atol=1e-4)


def test_halves_and_whole_rows_are_two_orders_of_one_layer() -> None:
    model = Model(8, 4, threads=2, seed=3)
    plain = model.plain(np.arange(len(model.flat), dtype=np.float32))
    assert np.array_equal(model.halved(plain), np.arange(len(model.flat)))
    assert np.array_equal(plain[[0, 4]], [0, PIECE_INPUTS * 4])


def test_a_wider_network_begins_as_the_narrow_one() -> None:
    narrow = Model(8, 8, threads=1, seed=5)
    narrow.flat += np.random.default_rng(1).uniform(-0.1, 0.1, len(narrow.flat)).astype(np.float32)
    narrow.weights.neuron_weights[:] *= 5  # so that wrong pairs would show
    narrow.add_up()
    wide = Model(12, 8, threads=1, seed=6)
    same = list(range(KING_BUCKETS))
    rows = rows_of(MIDDLEGAMES)
    before = np.abs(wide.logits(rows) - narrow.logits(rows)).max()
    wide.begin_from(narrow, same)
    after = np.abs(wide.logits(rows) - narrow.logits(rows)).max()
    # The new sums say little yet, but something: otherwise they would never learn.
    assert 0 < after < 0.05 < before
    with pytest.raises(ValueError, match="12 wide, with 8 output buckets"):
        narrow.begin_from(wide, same)
    with pytest.raises(ValueError, match="8 wide, with 4 output buckets"):
        wide.begin_from(Model(8, 4, threads=1, seed=5), same)


def test_finer_king_buckets_begin_as_the_coarse_ones() -> None:
    coarse = Model(8, 8, threads=1, seed=5, king_buckets=2)
    coarse.flat += np.random.default_rng(1).uniform(-0.1, 0.1, len(coarse.flat)).astype(np.float32)
    halves = [0 if square < 8 else 1 for square in range(64)]  # the first rank, and the others
    parents = parents_of(king_map(), halves)
    assert parents == [0] * 4 + [1] * 12
    fine = Model(8, 8, threads=1, seed=6)
    fine.begin_from(coarse, parents)
    layer, before = fine.first_weights, coarse.first_weights
    for bucket, parent in enumerate(parents):
        own, its = PIECE_INPUTS * bucket, PIECE_INPUTS * parent
        assert np.array_equal(layer[own : own + PIECE_INPUTS], before[its : its + PIECE_INPUTS])
    for mine, theirs in zip(fine.weights, coarse.weights, strict=True):
        assert np.array_equal(mine, theirs)


def test_a_run_of_other_king_buckets_is_only_begun_from(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = tmp_path / "old.npz", tmp_path / "new.npz"
    settings = Settings(hidden=16, epochs=1)
    halves = [0 if square < 8 else 1 for square in range(64)]
    Run(settings, Model(16, 8, 1, 1, king_buckets=2), king_map=halves).save(old)
    assert main(["report", str(old)]) == 1
    assert "train --from can begin there" in capsys.readouterr().err
    assert main(["train", str(data), "-o", str(new), *SMALL, "--from", str(old)]) == 0
    assert load_run(new).king_map == king_map()


def test_the_network_that_plays_can_be_trained_on() -> None:
    network = read_network(SHIPPED_PATH)
    start = load_start(SHIPPED_PATH)
    assert start.king_map == king_map()
    again = quantised(start.model, network.centipawns, network.notes)
    assert encode(again) == encode(network)
    shared, own, *_ = start.model.split(start.model.flat)
    rounding = 1 / network.input_scale
    assert np.abs(shared).max() <= LARGEST_WEIGHT and np.abs(own).max() < LARGEST_WEIGHT + rounding
    assert np.abs(shared).mean() > np.abs(own).mean()  # the buckets have much in common


def test_small_steps_from_the_network_that_plays_do_not_round_back_to_nothing() -> None:
    network, model = read_network(SHIPPED_PATH), load_start(SHIPPED_PATH).model
    rows = labelled(2000).view(np.int64).reshape(-1, 4)
    shipped = whole_logits(network, rows)
    targets = expected(shipped + 0.5).astype(np.float32)
    model.learn(Examples(rows, targets), slice(0, len(rows)), 5e-4, 0.0, 1.0)
    trained = quantised(model, network.centipawns, {})
    proof_of(model, trained, rows)
    moved = np.mean(whole_logits(trained, rows) - shipped)
    assert moved == pytest.approx(np.mean(model.logits(rows) - shipped), rel=0.1)


def test_the_network_that_plays_is_trained_on_and_written(tmp_path: Path) -> None:
    few = write_set(tmp_path / "few.positions", labelled(2000))
    run, written = tmp_path / "more.npz", tmp_path / "more.nnue"
    words = ["--epochs", "1", "--batch", "2000", "--k", "0.008", "--from", str(SHIPPED_PATH)]
    slowly = ["--rate", "1e-9", "--last-rate", "1e-9"]
    assert main(["train", str(few), "-o", str(run), *words, *slowly]) == 0
    rows = rows_of(MIDDLEGAMES)
    begun, after = load_start(SHIPPED_PATH), load_run(run)
    assert after.start_hash == begun.digest
    logits = after.model.logits(rows)
    assert np.allclose(logits, begun.model.logits(rows), atol=1e-3)

    emit = ["emit", str(run), "-o", str(written), "--centipawns", "100", "--notice", "own"]
    assert main(emit) == 0
    network = read_network(written)
    assert network.notes["run"] == after.run_hash and network.notes["notice"] == "own"
    assert network.centipawns == 100
    assert np.abs(whole_logits(network, rows) - logits).mean() * 100 < 4


def test_training_may_begin_from_a_mean(data: Path, tmp_path: Path) -> None:
    runs, (mean, new) = [tmp_path / "a.npz", tmp_path / "b.npz"], (tmp_path / "m", tmp_path / "n")
    for path in runs:
        Run(Settings(hidden=16, epochs=1), Model(16, 8, 1, 1), [Epoch(1, 0.2, 0.1, 1.0)]).save(path)
    assert main(["average", *map(str, runs), "-o", str(mean)]) == 0
    small = ["--hidden", "16", "--epochs", "1", "--batch", "6000", "--k", "0.008"]
    assert main(["train", str(data), "-o", str(new), *small, "--from", str(mean)]) == 0
    assert load_run(new).start_hash == load_run(mean).run_hash


def test_train_report_emit(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "net.npz"
    assert main(["train", str(data), "-o", str(run), *SMALL]) == 0
    assert "worth of pawn" in capsys.readouterr().out
    state = load_run(run)
    losses = [epoch.validation for epoch in state.history]
    assert state.finished and len(losses) == 8 and losses[-1] < 0.8 * losses[0]
    assert is_network(run)
    assert list(cache_folders()[0].glob("training-*/*/gradients.gradient*"))  # not compiled again

    assert main(["report", str(run)]) == 0
    text = run.with_suffix(".html").read_text(encoding="utf-8")
    assert text.count("<figure><svg") == 10 and text.count("data:image/png") == 3
    assert "What each piece is worth" in text
    capsys.readouterr()

    again = tmp_path / "again.npz"
    assert main(["train", str(data), "-o", str(again), *SMALL]) == 0
    assert np.array_equal(load_run(again).model.flat, state.model.flat)
    capsys.readouterr()
    assert main(["train", str(data), "-o", str(run), *SMALL, "--seed", "2"]) == 1
    assert "holds a run of other settings" in capsys.readouterr().err
    assert main(["train", str(data), "-o", str(run), *SMALL]) == 0
    assert "is finished already" in capsys.readouterr().out


def test_a_run_that_was_killed_ends_like_one_that_was_not(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, cut = tmp_path / "whole.npz", tmp_path / "cut.npz"
    monkeypatch.setattr("tuning.network.examples.CHUNK", 1500)  # several an epoch
    monkeypatch.setattr("tuning.commands.train.SAVED_EVERY_S", 0.0)
    assert main(["train", str(data), "-o", str(whole), *SMALL]) == 0

    learn, calls = Model.learn, 0

    def dying(self: Model, *arguments: object) -> float:
        nonlocal calls
        calls += 1
        if calls == 30:
            raise KeyboardInterrupt
        return learn(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Model, "learn", dying)
    assert main(["train", str(data), "-o", str(cut), *SMALL]) == 1
    monkeypatch.setattr(Model, "learn", learn)
    middle = load_run(cut)
    assert not middle.finished and middle.chunk > 0
    assert main(["train", str(data), "-o", str(cut), *SMALL]) == 0
    assert np.array_equal(load_run(cut).model.flat, load_run(whole).model.flat)
    assert [e.training for e in load_run(cut).history] == [
        e.training for e in load_run(whole).history
    ]


def test_whole_numbers_say_what_floats_say() -> None:
    model = Model(HIDDEN, 8, threads=2, seed=9)
    rows = labelled(500).view(np.int64).reshape(-1, 4)
    network = quantised(model, 130, {"run": "x"})
    proof = proof_of(model, network, rows)
    assert proof.positions == 500 and 0 < proof.mean_cp < 2
    assert np.abs(whole_logits(network, rows) - model.logits(rows)).max() < 0.1
    network.output_bias[:] += 3 * 2**22
    with pytest.raises(ValueError, match="more than rounding"):
        proof_of(model, network, rows)


def test_weights_too_large_for_the_engine_are_refused() -> None:
    model = Model(HIDDEN, 8, threads=1, seed=9)
    model.split(model.flat)[0][0, :, 0] = 5.0
    with pytest.raises(ValueError, match="are too large"):
        quantised(model, 130, {})


def test_a_network_that_does_not_know_the_pieces_is_refused(data: Path, tmp_path: Path) -> None:
    run, output = tmp_path / "net.npz", tmp_path / "net.nnue"
    words = ("--epochs", "1", "--rate", "1e-5", "--last-rate", "1e-6")
    assert main(["train", str(data), "-o", str(run), *words]) == 0
    assert main(["emit", str(run), "-o", str(output)]) == 1
    assert not output.exists()
    with pytest.raises(ValueError, match="must not play"):
        emit_network(load_run(run), output, 129, "")


@pytest.mark.parametrize(
    "worth, reason",
    [
        ((100, 300, 320, 500, 900), ""),
        ((20, 60, 110, 180, 245), "less than 400 cp"),
        ((100, 300, 320, 310, 900), "does not order"),
        ((320, 300, 320, 500, 900), "does not order"),
    ],
)
def test_what_pieces_must_be_worth(worth: tuple[int, ...], reason: str) -> None:
    found = refusal(np.array(worth, np.float64))
    assert reason in found and bool(found) == bool(reason)


def test_worth_is_what_a_missing_piece_costs() -> None:
    """A network that only counts material, through one sum times 1, one neuron and a deep one."""
    model = Model(2, 1, threads=1, seed=1)
    model.flat[:] = 0
    shared, weights = model.split(model.flat)[0], model.weights
    weights.first_bias[:] = 0.5, 1
    for kind, value in enumerate((1, 3, 3.2, 5, 9)):
        shared[0, 64 * kind : 64 * kind + 64, 0] = value / 1000
        shared[0, 64 * kind + 384 : 64 * kind + 448, 0] = -value / 1000
    weights.neuron_weights[0, 0, 0] = weights.deep_weights[0, 0, 0] = 1
    weights.output_weights[0, 0] = 1
    worth = worth_of(model, 1000)
    assert np.allclose(worth / worth[0], (1, 3, 3.2, 5, 9), rtol=0.05)
    assert worth[0] == pytest.approx(1.0, rel=0.1)


@pytest.mark.parametrize(
    "values, reason",
    [
        ({"hidden": 0}, "accumulator"),
        ({"warm_up": 1.0}, "warm-up"),
        ({"epochs": 0}, "more than 0"),
        ({"rate": 1e-6}, "learning rate"),
        ({"results_last": 1.5}, "results' share"),
        ({"held_out": 0.0}, "held out"),
    ],
)
def test_bad_settings_are_refused(values: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Settings(**values)  # type: ignore[arg-type]


def test_schedules() -> None:
    cosine = Settings(rate=1e-2, last_rate=1e-4, epochs=5, results_first=0.2, results_last=0.6)
    rates = [cosine.rate_at(p) for p in (0.0, 0.25, 0.5, 1.0)]
    warmed = replace(cosine, warm_up=0.2)
    assert [warmed.rate_at(p) for p in (0.0, 0.05, 0.2, 1.0)] == pytest.approx(
        [0, 2.5e-3, 1e-2, 1e-4]
    )
    assert rates[0] == pytest.approx(1e-2) and rates[-1] == pytest.approx(1e-4)
    assert rates == sorted(rates, reverse=True)
    assert [round(cosine.results_share(n), 6) for n in (1, 3, 5)] == [0.2, 0.4, 0.6]


def test_damaged_runs_are_refused(data: Path, tmp_path: Path) -> None:
    run = tmp_path / "net.npz"
    assert main(["train", str(data), "-o", str(run), "--hidden", "4", "--epochs", "1"]) == 0
    content = run.read_bytes()
    for damaged in (b"", content[:1000], b"x" * 500, content[:-200]):
        run.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"net\.npz: not a run"):
            load_run(run)
        assert not is_network(run)


def test_training_begins_from_runs_without_attacked_pieces(tmp_path: Path) -> None:
    """Those of version 1.1.0. They begin as they were, and cannot be continued."""
    path = tmp_path / "net.npz"
    model = Model(4, 1, 1, 1)
    Run(Settings(hidden=4, buckets=1, epochs=1), model).save(path)
    with np.load(path) as stored:
        arrays = {name: stored[name] for name in stored.files}
    rows = slice(4 * (PIECE_INPUTS + INPUTS), 4 * (PIECE_INPUTS + INPUTS + ATTACKED_INPUTS))
    arrays["flat"] = np.delete(arrays["flat"], rows)
    arrays["moments"] = np.delete(arrays["moments"], rows, axis=1)
    np.savez(path, **arrays)
    found = load_start(path).model
    pieces, attacked = np.split(found.first_weights, [INPUTS])
    assert np.array_equal(pieces, model.first_weights[:INPUTS]) and pieces.any()
    assert not attacked.any()
    assert all(map(np.array_equal, found.weights, model.weights))
    with pytest.raises(ValueError, match=r"net\.npz: .*its network has another shape"):
        load_run(path)


def test_weights_that_the_engine_keeps_as_bytes_stay_small() -> None:
    model = Model(8, 4, threads=1, seed=3)
    rows = labelled(100).view(np.int64).reshape(-1, 4)
    examples = Examples(rows, np.ones(len(rows), np.float32))
    for _ in range(3):
        model.learn(examples, slice(0, len(rows)), 0.9, 0.0, 1.0)
    pieces, attacked = np.split(model.first_weights, [INPUTS])
    assert np.abs(pieces).max() > 0.9
    weights = model.weights
    for of_bytes in (attacked, weights.direct_weights, weights.neuron_weights):
        assert np.abs(of_bytes).max() == np.float32(LARGEST_BYTE_WEIGHT)


def test_expected_scores() -> None:
    assert expected(np.array([0.0, 40.0, -40.0], np.float32)) == pytest.approx([0.5, 1.0, 0.0])
