"""The model is the evaluation, and its gradient is its derivative."""

from __future__ import annotations

import numpy as np
import pytest

from engine.eval.classical.features import LINEAR_COUNT, WEIGHT_COUNT
from engine.eval.classical.loading import shipped_weights
from tests.tuning.positions import bare_kings, random_positions
from tuning.data.dataset import RECORD
from tuning.data.writers import fens
from tuning.fitting.model import Array, Model, model_of

pytestmark = pytest.mark.jit_only  # traces hundreds of positions


@pytest.fixture(scope="module")
def model() -> Model:
    found, used = model_of(random_positions(400), shipped_weights())
    assert len(found) == np.count_nonzero(used) > 300
    return found


@pytest.fixture
def weights() -> Array:
    return shipped_weights().astype(np.float64)


def test_matrix_times_weights_is_the_evaluation(model: Model, weights: Array) -> None:
    values = shipped_weights()
    model.check(values)
    # The smooth model differs by what the evaluation rounds away.
    assert np.abs(model.scores(weights) - model.exact(0, len(model), values)).max() < 4
    values[LINEAR_COUNT // 2] += 500
    values[0] += 50
    with pytest.raises(ValueError, match="features give another score") as raised:
        model.check(values)
    fen = str(raised.value).partition(":")[0]
    assert fen in {model.fen(number) for number in range(len(model))}


def test_positions_are_named_by_their_fens() -> None:
    positions = random_positions(40)
    positions[3] = bare_kings()[0]  # is left out: places differ
    found, used = model_of(positions, shipped_weights())
    assert not used[3]
    texts = list(fens(positions.view(RECORD)[used]))
    assert [found.fen(number) for number in range(len(found))] == texts


def test_the_gradient_is_the_derivative(model: Model, weights: Array) -> None:
    """Along random directions, and along single weights of the attack on the king."""
    random = np.random.default_rng(1)
    weights = weights + random.normal(0, 0.3, weights.shape)  # away from the kinks
    pull = random.normal(size=len(model))

    def value(at: Array) -> float:
        return float(pull @ model.forward(0, len(model), at).scores)

    gradient = Model.gradient(model.forward(0, len(model), weights), pull)
    directions = [random.normal(size=weights.shape) for _ in range(3)]
    for place in range(LINEAR_COUNT, WEIGHT_COUNT, 7):
        direction = np.zeros(weights.shape)
        direction[place] = 1
        directions.append(direction)
    for direction in directions:
        small = 1e-5 * direction
        measured = (value(weights + small) - value(weights - small)) / 2e-5
        assert measured == pytest.approx(float(np.sum(gradient * direction)), rel=2e-4, abs=1e-3)


def test_parts_are_the_whole(model: Model, weights: Array) -> None:
    whole = model.forward(0, len(model), weights).scores
    parts = [model.forward(first, first + 50, weights).scores for first in range(0, 200, 50)]
    assert np.array_equal(np.concatenate(parts), whole[:200])
