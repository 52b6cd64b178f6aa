"""The network as training holds it, and as integers for the engine."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np

from engine.eval.network.inputs import orientation
from engine.eval.network.shape import (
    ATTACKED_INPUTS,
    ATTACKS,
    DEEP_NEURONS,
    KING_BUCKETS,
    NEURONS,
    PIECE_INPUTS,
)
from tuning.fitting.model import Array
from tuning.fitting.targets import expected as expected_score
from tuning.network.examples import Examples
from tuning.network.gradients import NEIGHBOURS, adam, gradient, new_scratch, whole_layer
from tuning.network.kernels import Weights, predict

LARGEST_WEIGHT = 0.99  # thirty times two of them leave room in the engine's int16
LARGEST_BYTE_WEIGHT = 0.49  # of products and attacked pieces; fits into the engine's int8
FIRST_WEIGHTS = 0.01  # spread at the start; larger ones overfit to few positions
FIRST_BIAS = 0.3  # keeps accumulators in the middle of their range
FIRST_NEURON_WEIGHTS = 3.0  # over the square root of the products: those are small
FIRST_NEURON_BIAS = 0.2  # keeps neurons in the middle of their range
FIRST_SHARE = 0.1  # of the weights of new products, in a model that is widened


class Model:
    """Parameters in one array, the optimiser's moments, and threads that compute.

    A row of the first layer is the sum of two parts: its own, and one that all king buckets share.
    The shared part learns from every position, so the buckets need fewer positions of their own.
    Engine programmers call it a factoriser. The engine has only the sum. Rows of attacked pieces,
    which follow, have no king buckets, and are their own part alone.

    In memory the columns of the first layer are cut into halves (gradients.py); `plain` and
    `halved` go from one order to the other. Files hold the plain one.
    """

    def __init__(
        self, hidden: int, buckets: int, threads: int, seed: int, king_buckets: int = KING_BUCKETS
    ):
        """With another number of king buckets than the engine's it only holds parameters."""
        self.king_buckets = king_buckets
        features = king_buckets * PIECE_INPUTS + ATTACKED_INPUTS
        self.shapes = [
            (2, PIECE_INPUTS, hidden // 2), (2, features, hidden // 2), (hidden,),
            (buckets, hidden), (buckets, NEURONS, hidden), (buckets, NEURONS),
            (buckets, DEEP_NEURONS, 2 * NEURONS), (buckets, DEEP_NEURONS),
            (buckets, DEEP_NEURONS), (buckets,),
        ]  # fmt: skip
        ends = np.cumsum([0, *(int(np.prod(shape)) for shape in self.shapes)])
        self._cuts = [slice(int(a), int(b)) for a, b in pairwise(ends)]
        self.flat = np.zeros(ends[-1], np.float32)
        self.moments = np.zeros((2, ends[-1]), np.float32)
        self.steps = 0
        self._whole_layer = np.zeros((2, features + 1, hidden // 2), np.int16)
        self._gradients = np.zeros((threads, ends[-1]), np.float32)
        self._scratches = [new_scratch(hidden) for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads)
        random = np.random.default_rng(seed)
        shared, weights = self.split(self.flat)[0], self.weights
        shared[:] = random.uniform(-FIRST_WEIGHTS, FIRST_WEIGHTS, shared.shape)
        weights.first_bias[:] = FIRST_BIAS
        # The same for all buckets of men: they part when their positions ask for it.
        weights.neuron_weights[:] = FIRST_NEURON_WEIGHTS * _spread(
            random, (NEURONS, hidden), hidden
        )
        weights.neuron_bias[:] = weights.deep_bias[:] = FIRST_NEURON_BIAS
        weights.deep_weights[:] = _spread(random, (DEEP_NEURONS, 2 * NEURONS), 2 * NEURONS)
        weights.output_weights[:] = _spread(random, (DEEP_NEURONS,), DEEP_NEURONS)
        self.add_up()

    @property
    def first_weights(self) -> Array:
        """The first layer [FEATURES, H], a copy."""
        shared, own, *_ = self.split(self.flat)
        whole = own.copy()
        by_set = whole.reshape(2, -1, *shared.shape[1:])
        by_set[:, : self.king_buckets] += shared[:, None]
        return _rows(whole)

    @property
    def weights(self) -> Weights:
        """All other parameters, not copied."""
        return Weights(*self.split(self.flat)[2:])

    def add_up(self) -> None:
        """Compute the first layer from its parts, after `flat` has changed."""
        shared, own, *_ = self.split(self.flat)
        self._together(
            [(whole_layer, (shared[s], own[s], self._whole_layer[s])) for s in self._shares(2)]
        )

    def plain(self, flat: Array) -> Array:
        """Parameters or moments with whole rows of the first layer."""
        shared, own, *_ = self.split(flat)
        others = flat[self._cuts[2].start :]
        return np.concatenate([_rows(shared).ravel(), _rows(own).ravel(), others])

    def halved(self, plain: Array) -> Array:
        """The opposite of `plain`."""
        parts = [
            plain[cut].reshape(rows, 2, width).transpose(1, 0, 2).ravel()
            for cut, (_, rows, width) in zip(self._cuts, self.shapes[:2], strict=False)
        ]
        return np.concatenate([*parts, plain[self._cuts[2].start :]])

    def with_attacked(self, plain: Array) -> Array:
        """The plain parameters of a network without attacked pieces, with zeros for them."""
        end = (1 + self.king_buckets) * PIECE_INPUTS * self.shapes[2][0]
        none = np.zeros(len(self.flat) - len(plain), np.float32)
        return np.concatenate([plain[:end], none, plain[end:]])

    def begin_from(self, other: Model, parents: list[int]) -> None:
        """Take over the parameters of a model with the same buckets and an accumulator at most as
        wide.

        `parents` names the other's king bucket for each of this one's. What the other
        lacks keeps its random weights, and neurons see little of it: the outputs begin nearly as
        they were. Pairs of accumulators stay pairs. ValueError if the other has another shape.
        """
        hidden, known = self.shapes[2][0], other.shapes[2][0]
        if self.shapes[-1] != other.shapes[-1] or known > hidden:
            raise ValueError(
                f"its accumulator is {known} wide, with {other.shapes[-1][0]} output buckets"
            )
        taken = _of_pairs(known, hidden)
        plain, theirs = self.plain(self.flat), other.plain(other.flat)
        mine, begun = self._parts(plain, hidden), other._parts(theirs, known)
        mine[0][:, taken] = begun[0]
        for bucket, parent in enumerate(parents, start=1):
            mine[bucket][:, taken] = begun[parent + 1]
        mine[-ATTACKS:, :, taken] = begun[-ATTACKS:]
        self.flat[:] = self.halved(plain)
        weights, its = self.weights, other.weights
        weights.first_bias[taken] = its.first_bias
        # The products of the first side, then those of the second.
        products = np.concatenate([side * hidden // 2 + taken[: known // 2] for side in range(2)])
        weights.neuron_weights[:] *= FIRST_SHARE
        weights.neuron_weights[:, :, products] = its.neuron_weights
        weights.direct_weights[:, products] = its.direct_weights
        for name in Weights._fields[3:]:
            getattr(weights, name)[:] = getattr(its, name)
        self.add_up()

    def _parts(self, plain: Array, hidden: int) -> Array:
        """The first layer, [1 + king buckets + ATTACKS, PIECE_INPUTS, H]: what king buckets share,
        what they add, and attacked pieces."""
        rows = (1 + self.king_buckets + ATTACKS) * PIECE_INPUTS
        return plain[: rows * hidden].reshape(-1, PIECE_INPUTS, hidden)

    def split(self, flat: Array) -> list[Array]:
        """Views of `flat`: both parts of the first layer, then what Weights names."""
        pairs = zip(self._cuts, self.shapes, strict=True)
        return [flat[cut].reshape(shape) for cut, shape in pairs]

    def _shares(self, length: int, whole: int = 1) -> list[slice]:
        """Slices of about equal size, one for each thread, cut at multiples of `whole`."""
        cuts = even_cuts(length, len(self._gradients), whole)
        return [slice(a, b) for a, b in pairwise(cuts)]

    def _together(self, calls: list[tuple[Callable[..., Any], tuple[Any, ...]]]) -> list[Any]:
        return [job.result() for job in [self._pool.submit(f, *args) for f, args in calls]]

    def learn(
        self, examples: Examples, part: slice, rate: float, decay: float, shared: float
    ) -> float:
        """One step of the optimiser; returns the sum of squared errors before it.

        `part` is cut between groups of neighbours; `shared`: see `gradient`.
        """
        rows, targets = examples.rows[part], examples.targets[part]
        calls = []
        for s, own, scratch in zip(
            self._shares(len(rows), NEIGHBOURS), self._gradients, self._scratches, strict=True
        ):
            _, g1, *gradients = self.split(own)
            arguments = self._whole_layer, self.weights, g1, Weights(*gradients), scratch
            calls.append((gradient, (rows[s], targets[s], shared, *arguments)))
        errors = self._together(calls)
        self.steps += 1
        # What the shared part learns: the sum over threads and king buckets.
        _, length, width = self.shapes[0]
        own = self._gradients[:, self._cuts[1]]
        by_bucket = own.reshape(-1, 2, self.king_buckets + ATTACKS, length, width)
        by_bucket = by_bucket[:, :, : self.king_buckets]
        total = self.split(self._gradients[0])[0]
        self._together(
            [
                (np.sum, (by_bucket[..., s, :], (0, 2), None, total[:, s]))
                for s in self._shares(length)
            ]
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
        attacked = self.split(self.flat)[1][:, -ATTACKED_INPUTS:]
        for of_bytes in (attacked, self.weights.direct_weights, self.weights.neuron_weights):
            np.clip(of_bytes, -LARGEST_BYTE_WEIGHT, LARGEST_BYTE_WEIGHT, out=of_bytes)
        self.add_up()
        return float(sum(errors))

    def logits(self, rows: Array) -> Array:
        """float32[N], seen by the side to move. `rows` are records as int64[N, 4]."""
        out = np.empty(len(rows), np.float32)
        first, weights = self.first_weights, self.weights
        self._together(
            [(predict, (rows[s], first, weights, out[s])) for s in self._shares(len(rows))]
        )
        return out

    def loss(self, examples: Examples) -> float:
        """Mean squared error of the expected score."""
        return loss_of(self.logits(examples.rows), examples.targets)


def even_cuts(length: int, parts: int, whole: int) -> list[int]:
    """0, multiples of `whole`, and `length`: the ends of parts of about equal size."""
    inner = np.linspace(0, length, parts + 1)[1:-1] / whole
    return [0, *(whole * np.rint(inner).astype(int)).tolist(), length]


def king_map() -> list[int]:
    """The king bucket of a king of the view's own on each square, a1 first."""
    return [int(orientation(0, square)) >> 6 for square in range(64)]


def parents_of(buckets: list[int], before: list[int]) -> list[int]:
    """For each king bucket of a map the one of another map that has most of its squares."""
    shared = np.zeros((max(buckets) + 1, max(before) + 1), np.int64)
    np.add.at(shared, (buckets, before), 1)
    return [int(parent) for parent in shared.argmax(axis=1)]


def _spread(random: np.random.Generator, shape: tuple[int, ...], inputs: int) -> Array:
    """Weights of neurons with this many inputs, even between both ends."""
    return random.uniform(-1, 1, shape) / np.sqrt(inputs)


def _of_pairs(known: int, hidden: int) -> Array:
    """Where `known` accumulators go among `hidden`, so that number j and known / 2 + j stay a
    pair."""
    half = np.arange(known // 2)
    return np.concatenate([half, hidden // 2 + half])


def _rows(halved: Array) -> Array:
    """[2, rows, H / 2] as [rows, H]."""
    return halved.transpose(1, 0, 2).reshape(halved.shape[1], -1)


def loss_of(logits: Array, targets: Array) -> float:
    return float(np.mean((expected(logits) - targets) ** 2))


def expected(logits: Array) -> Array:
    """The expected score, 0 to 1, as float64."""
    return expected_score(logits.astype(np.float64))
