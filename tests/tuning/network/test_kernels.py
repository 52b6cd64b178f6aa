"""The arithmetic of training, on arrays that are small enough for plain Python."""

from __future__ import annotations

from collections.abc import Iterator

import chess
import numpy as np
import pytest

from engine.eval.network.shape import INPUTS
from engine.native.settings import INTERPRETED
from tests.engine.eval.network.networks import input_row_of
from tests.tuning.network.sets import labelled
from tuning.network.kernels import (
    BETA1,
    BETA2,
    FINENESS,
    NEIGHBOURS,
    adam,
    gradient,
    predict,
    predict_whole,
)
from tuning.network.model import Model, expected
from tuning.network.worth import MIDDLEGAMES, packed

COUNT, PLACES = (8, 1) if INTERPRETED else (40, 3)


@pytest.fixture(autouse=True)
def wrap_around() -> Iterator[None]:
    """The lowest bit of a word is found by 64-bit wrap-around."""
    with np.errstate(over="ignore"):
        yield


@pytest.mark.parametrize("shared", [1.0, 0.25])
def test_the_gradient_is_that_of_the_loss(shared: float) -> None:
    """Against differences of the loss, a few parameters of each kind.

    The loss is the sum of squared errors, less what neighbours have in common and is forgiven.
    """
    random = np.random.default_rng(1)
    whole = random.integers(-50, 51, (1, INPUTS + 1, 8)).astype(np.int16)
    whole[:, INPUTS] = 0
    b1, w2, b2 = (random.uniform(0, 0.3, shape).astype(np.float32) for shape in (8, (4, 16), 4))
    rows = labelled(COUNT).view(np.int64).reshape(-1, 4)
    targets = random.random(COUNT).astype(np.float32)

    def loss_and_gradient() -> tuple[float, list[np.ndarray]]:
        first = np.zeros((1, INPUTS, 8), np.float32)
        gradients = [first, *(np.zeros_like(p) for p in (b1, w2, b2))]
        error = gradient(rows, targets, shared, whole, b1, w2, b2, *gradients)
        logits = np.zeros(COUNT, np.float32)
        predict(rows, whole[0, :INPUTS].astype(np.float32) / FINENESS, b1, w2, b2, logits)
        misses = (expected(logits) - targets) * np.where(rows[:, 3] & 1, -1, 1)
        assert error == pytest.approx(float(np.sum(misses**2)), rel=1e-4)
        groups = [misses[k : k + NEIGHBOURS] for k in range(0, COUNT, NEIGHBOURS)]
        forgiven = sum(len(group) * group.mean() ** 2 for group in groups)
        return error - (1 - shared) * forgiven, gradients

    _, gradients = loss_and_gradient()
    parameters: list[np.ndarray] = [whole, b1, w2, b2]
    for parameter, found in zip(parameters, gradients, strict=True):
        for place in np.argsort(-np.abs(found.ravel()))[:PLACES]:
            flat = parameter.reshape(-1)
            step = 2 if parameter is whole else 2e-3  # 2 of FINENESS
            flat[place] += step
            above, _ = loss_and_gradient()
            flat[place] -= 2 * step
            below, _ = loss_and_gradient()
            flat[place] += step
            slope = (above - below) / (4 / FINENESS if parameter is whole else 2 * step)
            assert slope == pytest.approx(float(found.ravel()[place]), rel=0.05, abs=2e-3)


def test_predictions_are_those_of_the_definition() -> None:
    """Features, views and buckets as the engine's file describes them."""
    model = Model(8, 8, threads=1, seed=5)
    w1, b1, w2, b2 = model.parameters
    b2[:] = np.arange(8) / 10
    rows, found = packed(MIDDLEGAMES), np.empty(len(MIDDLEGAMES), np.float32)
    predict(rows, w1, b1, w2, b2, found)
    for fen, logit in zip(MIDDLEGAMES, found, strict=True):
        board = chess.Board(f"{fen} 0 1")
        halves = []
        for view in (board.turn, not board.turn):
            sums = b1.astype(np.float64)
            for square, piece in board.piece_map().items():
                sums = sums + w1[input_row_of(board, view, square, piece)]
            halves.append(np.clip(sums, 0, 1) ** 2)
        bucket = (len(board.piece_map()) - 2) * 8 // 32
        assert logit == pytest.approx(np.concatenate(halves) @ w2[bucket] + b2[bucket], abs=1e-5)


def test_whole_numbers_count_the_same_features() -> None:
    """A network whose every weight is a different whole number, against its definition."""
    random = np.random.default_rng(2)
    w1 = random.integers(-9, 10, (INPUTS, 2)).astype(np.int16)
    b1, w2 = np.array([20, 40], np.int16), random.integers(-9, 10, (8, 4)).astype(np.int8)
    b2, one = np.arange(8, dtype=np.int64), 60
    rows, outputs = packed(MIDDLEGAMES), np.empty(len(MIDDLEGAMES), np.int64)
    predict_whole(rows, w1, b1, w2, b2, one, outputs)
    for fen, found in zip(MIDDLEGAMES, outputs, strict=True):
        board = chess.Board(f"{fen} 0 1")
        halves = []
        for view in (board.turn, not board.turn):
            sums = b1.astype(np.int64)
            for square, piece in board.piece_map().items():
                sums = sums + w1[input_row_of(board, view, square, piece)]
            halves.append(np.clip(sums, 0, one) ** 2)
        bucket = (len(board.piece_map()) - 2) * 8 // 32
        assert found == np.concatenate(halves) @ w2[bucket].astype(np.int64) + b2[bucket] * one


def test_a_step_of_the_optimiser_is_that_of_adamw() -> None:
    """Against the definition, for gradients of two threads; the second step remembers the first."""
    random = np.random.default_rng(3)
    w = random.uniform(-1, 1, 6).astype(np.float32)
    m, v = np.zeros(6, np.float32), np.zeros(6, np.float32)
    expected, mean, square = w.astype(np.float64), np.zeros(6), np.zeros(6)
    rate, decay, count, limit = 0.01, 0.1, 50, 0.9
    for step in (1, 2):
        gradients = random.uniform(-5, 5, (2, 6)).astype(np.float32)
        slope = gradients.astype(np.float64).sum(axis=0) / count
        mean = BETA1 * mean + (1 - BETA1) * slope
        square = BETA2 * square + (1 - BETA2) * slope**2
        way = mean / (1 - BETA1**step) / np.sqrt(square / (1 - BETA2**step))
        expected = np.clip(expected * (1 - rate * decay) - rate * way, -limit, limit)
        adam(w, m, v, gradients, count, rate, step, decay, limit)
        assert w == pytest.approx(expected, abs=1e-5)
        assert not gradients.any()  # empty for the next positions
    assert np.abs(w).max() <= np.float32(limit)
