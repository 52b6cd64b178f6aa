"""The network as training holds it, and as whole numbers for the engine."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import expit

from engine.eval.network.shape import INPUTS, KING_BUCKETS, PIECE_INPUTS
from tuning.fitting.model import Array
from tuning.network.examples import Examples
from tuning.network.kernels import adam, gradient, predict

LARGEST_WEIGHT = 0.99  # thirty sums of two of them leave room in the engine's int16
LARGEST_OUTPUT_WEIGHT = 0.5  # 128 at the finest output scale, the largest the engine multiplies
FIRST_WEIGHTS = 0.01  # spread at the start; larger ones learn few positions by heart
FIRST_BIAS = 0.3  # keeps the sums in the middle of their range
FIRST_SHARE = 0.1  # of a new sum's output weights, in a model that is widened


class Model:
    """Parameters in one array, the optimiser's moments, and threads that compute.

    A row of the first layer is the sum of two parts: its own, and one that all king buckets share.
    The shared part learns from every position, so the buckets need fewer positions of their own.
    Engine programmers call it a factoriser. The engine knows only the sum.
    """

    def __init__(self, hidden: int, buckets: int, threads: int, seed: int):
        self.shapes = [
            (PIECE_INPUTS, hidden), (INPUTS, hidden), (hidden,), (buckets, 2 * hidden), (buckets,)
        ]  # fmt: skip
        ends = np.cumsum([0, *(int(np.prod(shape)) for shape in self.shapes)])
        self._cuts = [slice(int(a), int(b)) for a, b in pairwise(ends)]
        self.flat = np.zeros(ends[-1], np.float32)
        self.moments = np.zeros((2, ends[-1]), np.float32)
        self.steps = 0
        self._first_layer = np.zeros((INPUTS, hidden), np.float32)
        self._gradients = np.zeros((threads, ends[-1]), np.float32)
        self._pool = ThreadPoolExecutor(threads)
        random = np.random.default_rng(seed)
        shared, _, b1, w2, _ = self._views(self.flat)
        shared[:] = random.uniform(-FIRST_WEIGHTS, FIRST_WEIGHTS, shared.shape)
        b1[:] = FIRST_BIAS
        # The same for all buckets of men: they part when their positions ask for it.
        w2[:] = random.uniform(-1, 1, 2 * hidden) / np.sqrt(2 * hidden)
        self.add_up()

    @property
    def parameters(self) -> list[Array]:
        """First layer [INPUTS, H], its bias [H], output weights [buckets, 2 H], bias [buckets]."""
        return [self._first_layer, *self._views(self.flat)[2:]]

    def add_up(self) -> None:
        """Compute the first layer from its parts, after `flat` has changed."""
        shared, own, *_ = self._views(self.flat)
        by_bucket = self._first_layer.reshape(KING_BUCKETS, *shared.shape)
        own = own.reshape(by_bucket.shape)
        self._together(
            [(np.add, (own[:, s], shared[s], by_bucket[:, s])) for s in self._shares(len(shared))]
        )

    def begin_from(self, other: Model) -> None:
        """Take over the parameters of a model with the same buckets and at most as many sums.

        The sums that it lacks keep their random weights, and small output weights: the outputs
        begin nearly as they were. ValueError if the model has another shape.
        """
        hidden, known = self.shapes[2][0], other.shapes[2][0]
        if self.shapes[4] != other.shapes[4] or known > hidden:
            raise ValueError(f"it has {known} sums and {other.shapes[4][0]} buckets")
        mine, theirs = self._views(self.flat), other._views(other.flat)
        for number in range(3):  # both parts of the first layer, and its bias
            mine[number][..., :known] = theirs[number]
        outputs = mine[3].reshape(-1, 2, hidden)
        outputs[:, :, known:] *= FIRST_SHARE
        outputs[:, :, :known] = theirs[3].reshape(-1, 2, known)
        mine[4][:] = theirs[4]
        self.add_up()

    def _views(self, flat: Array) -> list[Array]:
        pairs = zip(self._cuts, self.shapes, strict=True)
        return [flat[cut].reshape(shape) for cut, shape in pairs]

    def _shares(self, length: int) -> list[slice]:
        """Slices of equal size, one for each thread."""
        cuts = np.linspace(0, length, len(self._gradients) + 1).astype(int).tolist()
        return [slice(a, b) for a, b in pairwise(cuts)]

    def _together(self, calls: list[tuple[Callable[..., Any], tuple[Any, ...]]]) -> list[Any]:
        return [job.result() for job in [self._pool.submit(f, *args) for f, args in calls]]

    def learn(self, examples: Examples, part: slice, rate: float, decay: float) -> float:
        """One step of the optimiser; returns the sum of squared errors before it."""
        rows, targets = examples.rows[part], examples.targets[part]
        parameters = self.parameters
        errors = self._together(
            [
                (
                    gradient,
                    (rows[s], targets[s], *parameters, *self._views(own)[1:]),
                )
                for s, own in zip(self._shares(len(rows)), self._gradients, strict=True)
            ]
        )
        self.steps += 1
        shared, own, *_ = self._cuts
        by_bucket = self._gradients[:, own].reshape(-1, shared.stop)
        total = self._gradients[0, shared]
        self._together(
            [(np.sum, (by_bucket[:, s], 0, None, total[s])) for s in self._shares(len(total))]
        )
        w, (m, v), gs = self.flat, self.moments, self._gradients
        self._together(
            [
                (
                    adam,
                    (w[s], m[s], v[s], gs[:, s], len(rows), rate, self.steps, decay,
                     LARGEST_WEIGHT),
                )
                for s in self._shares(len(w))
            ]
        )  # fmt: skip
        outputs = self.parameters[2]
        np.clip(outputs, -LARGEST_OUTPUT_WEIGHT, LARGEST_OUTPUT_WEIGHT, out=outputs)
        self.add_up()
        return float(sum(errors))

    def logits(self, rows: Array) -> Array:
        """float32[N], seen by the side to move. `rows` are records as int64[N, 4]."""
        out = np.empty(len(rows), np.float32)
        parameters = self.parameters
        self._together([(predict, (rows[s], *parameters, out[s])) for s in self._shares(len(rows))])
        return out

    def loss(self, examples: Examples) -> float:
        """Mean squared error of the expected score."""
        return loss_of(self.logits(examples.rows), examples.targets)


def loss_of(logits: Array, targets: Array) -> float:
    return float(np.mean((expected(logits) - targets) ** 2))


def expected(logits: Array) -> Array:
    """The expected score, 0 to 1, as float64."""
    return np.asarray(expit(logits.astype(np.float64)))
