"""The arithmetic of training, on arrays that are small enough for plain Python."""

from __future__ import annotations

import chess
import numpy as np
import pytest

from engine.eval.network.shape import DEEP_NEURONS, INPUTS, NEURONS
from engine.native.settings import INTERPRETED
from tests.engine.eval.network.networks import rows_of_view
from tests.tuning.network.sets import labelled
from tuning.network.features import FEATURES
from tuning.network.gradients import (
    BETA1,
    BETA2,
    FINENESS,
    NEIGHBOURS,
    adam,
    gradient,
    new_scratch,
)
from tuning.network.kernels import Weights, predict, predict_whole
from tuning.network.model import Model, expected
from tuning.network.worth import MIDDLEGAMES, rows_of

pytestmark = pytest.mark.usefixtures("wrap_around")

COUNT, PLACES = (8, 1) if INTERPRETED else (40, 3)


@pytest.mark.parametrize("shared", [1.0, 0.25])
def test_the_gradient_is_that_of_the_loss(shared: float) -> None:
    """Against differences of the loss, a few parameters of each kind.

    The loss is the sum of squared errors, less what neighbours have in common and is forgiven.
    """
    random = np.random.default_rng(1)
    whole = random.integers(-50, 51, (2, FEATURES + 1, 4)).astype(np.int16)
    whole[:, FEATURES] = 0
    shapes = [
        (8,), (4, 8), (4, NEURONS, 8), (4, NEURONS),
        (4, DEEP_NEURONS, 2 * NEURONS), (4, DEEP_NEURONS), (4, DEEP_NEURONS), (4,),
    ]  # fmt: skip
    weights = Weights(*(random.uniform(0, 0.3, shape).astype(np.float32) for shape in shapes))
    weights.first_bias[:] += 0.3  # few sums where the slope changes
    weights.neuron_weights[:] -= 0.1
    weights.deep_weights[:] -= 0.14  # of the neurons that are clipped some, not all
    rows = labelled(COUNT).view(np.int64).reshape(-1, 4)
    targets = random.random(COUNT).astype(np.float32)
    scratch = new_scratch(8)

    def loss_and_gradient() -> tuple[float, list[np.ndarray]]:
        first = np.zeros((2, FEATURES, 4), np.float32)
        others = Weights(*map(np.zeros_like, weights))
        error = gradient(rows, targets, shared, whole, weights, first, others, scratch)
        logits = np.zeros(COUNT, np.float32)
        layer = np.concatenate(list(whole[:, :FEATURES]), axis=1).astype(np.float32) / FINENESS
        predict(rows, layer, weights, logits)
        misses = (expected(logits) - targets) * np.where(rows[:, 3] & 1, -1, 1)
        assert error == pytest.approx(float(np.sum(misses**2)), rel=1e-4)
        groups = [misses[k : k + NEIGHBOURS] for k in range(0, COUNT, NEIGHBOURS)]
        forgiven = sum(len(group) * group.mean() ** 2 for group in groups)
        return error - (1 - shared) * forgiven, [first, *others]

    _, gradients = loss_and_gradient()
    parameters: list[np.ndarray] = [whole, *weights]
    for parameter, found in zip(parameters, gradients, strict=True):
        for place in np.argsort(-np.abs(found.ravel()))[:PLACES]:
            at = np.unravel_index(place, found.shape)
            step = 2 if parameter is whole else 2e-3  # 2 of FINENESS
            parameter[at] += step
            above, _ = loss_and_gradient()
            parameter[at] -= 2 * step
            below, _ = loss_and_gradient()
            parameter[at] += step
            slope = (above - below) / (4 / FINENESS if parameter is whole else 2 * step)
            assert slope == pytest.approx(float(found[at]), rel=0.05, abs=2e-3)


def test_predictions_are_those_of_the_definition() -> None:
    """Features, views and buckets as the engine's file describes them."""
    model = Model(8, 8, threads=1, seed=5)
    first, weights = model.first_weights, model.weights
    weights.output_bias[:] = np.arange(8) / 10
    weights.neuron_weights[:] *= 5
    weights.direct_weights[:] = np.arange(64).reshape(8, 8) / 50
    rows, found = rows_of(MIDDLEGAMES), np.empty(len(MIDDLEGAMES), np.float32)
    predict(rows, first, weights, found)
    for fen, logit in zip(MIDDLEGAMES, found, strict=True):
        bucket, halves = clipped_sums(fen, first, weights.first_bias.astype(np.float64), 1)
        products = np.concatenate([half[:4] * half[4:] for half in halves])
        neurons = weights.neuron_weights[bucket] @ products + weights.neuron_bias[bucket]
        neurons = np.clip(neurons, 0, 1)
        neurons = np.concatenate([neurons, neurons**2])
        deep = weights.deep_weights[bucket] @ neurons + weights.deep_bias[bucket]
        output = weights.output_weights[bucket] @ np.clip(deep, 0, 1)
        output += weights.direct_weights[bucket] @ products + weights.output_bias[bucket]
        assert logit == pytest.approx(output, abs=1e-5)


def clipped_sums(
    fen: str, first: np.ndarray, bias: np.ndarray, one: int
) -> tuple[int, list[np.ndarray]]:
    """The bucket of a position, and the clipped sums of both views."""
    board = chess.Board(f"{fen} 0 1")
    halves = []
    for view in (board.turn, not board.turn):
        sums = bias
        pieces, attacked = rows_of_view(board, view)
        sums = (
            sums + first[pieces].sum(axis=0) + first[[INPUTS + row for row in attacked]].sum(axis=0)
        )
        halves.append(np.clip(sums, 0, one))
    return (len(board.piece_map()) - 2) * 8 // 32, halves


def test_whole_numbers_count_the_same_features() -> None:
    """A network whose every weight is a different whole number, against its definition."""
    random = np.random.default_rng(2)
    w1 = random.integers(-9, 10, (FEATURES, 2)).astype(np.int16)
    one = 200
    weights = Weights(
        np.array([20, 40], np.int16),
        random.integers(-127, 128, (8, 2)).astype(np.int8),
        random.integers(-127, 128, (8, NEURONS, 2)).astype(np.int8),
        random.integers(-900, 40001, (8, NEURONS)).astype(np.int32),
        random.integers(-900, 901, (8, DEEP_NEURONS, 2 * NEURONS)).astype(np.int16),
        random.integers(-90000, 90001, (8, DEEP_NEURONS)).astype(np.int32),
        random.integers(-900, 901, (8, DEEP_NEURONS)).astype(np.int16),
        np.arange(8, dtype=np.int32),
    )
    rows, outputs = rows_of(MIDDLEGAMES), np.empty(len(MIDDLEGAMES), np.int64)
    predict_whole(rows, w1, weights, one, outputs)
    for fen, found in zip(MIDDLEGAMES, outputs, strict=True):
        bucket, halves = clipped_sums(fen, w1, weights.first_bias.astype(np.int64), one)
        products = np.array([half[0] * half[1] // 512 for half in halves])
        totals = weights.neuron_weights[bucket].astype(np.int64) @ products
        neurons = np.clip((totals + weights.neuron_bias[bucket]) // 8, 0, 4096)
        neurons = np.concatenate([neurons, neurons**2 // 4096])
        totals = weights.deep_weights[bucket].astype(np.int64) @ neurons
        deep = np.clip((totals + weights.deep_bias[bucket]) // 1024, 0, 4096)
        output = int(deep @ weights.output_weights[bucket].astype(np.int64))
        output += 128 * int(weights.direct_weights[bucket].astype(np.int64) @ products)
        assert found == output + weights.output_bias[bucket]


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
