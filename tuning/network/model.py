"""The network as training holds it, and as whole numbers for the engine."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import expit

from engine.eval.network.inputs import orientation
from engine.eval.network.shape import KING_BUCKETS, PIECE_INPUTS
from tuning.fitting.model import Array
from tuning.network.examples import Examples
from tuning.network.kernels import CHUNK, NEIGHBOURS, adam, gradient, predict, whole_layer

LARGEST_WEIGHT = 0.99  # thirty sums of two of them leave room in the engine's int16
LARGEST_OUTPUT_WEIGHT = 1.0  # 128, the largest the engine multiplies, at an output scale of 128
FIRST_WEIGHTS = 0.01  # spread at the start; larger ones learn few positions by heart
FIRST_BIAS = 0.3  # keeps the sums in the middle of their range
FIRST_SHARE = 0.1  # of a new sum's output weights, in a model that is widened


class Model:
    """Parameters in one array, the optimiser's moments, and threads that compute.

    A row of the first layer is the sum of two parts: its own, and one that all king buckets share.
    The shared part learns from every position, so the buckets need fewer positions of their own.
    Engine programmers call it a factoriser. The engine knows only the sum.

    In memory the columns of the first layer are cut into chunks (kernels.py); `plain` and `chunked`
    go from one order to the other. Files hold the plain one.
    """

    def __init__(
        self, hidden: int, buckets: int, threads: int, seed: int, king_buckets: int = KING_BUCKETS
    ):
        """With another number of king buckets than the engine's it only holds parameters."""
        self.king_buckets = king_buckets
        inputs = king_buckets * PIECE_INPUTS
        width = CHUNK if hidden % CHUNK == 0 else hidden
        self.chunks = hidden // width
        self.shapes = [
            (self.chunks, PIECE_INPUTS, width), (self.chunks, inputs, width),
            (hidden,), (buckets, 2 * hidden), (buckets,),
        ]  # fmt: skip
        ends = np.cumsum([0, *(int(np.prod(shape)) for shape in self.shapes)])
        self._cuts = [slice(int(a), int(b)) for a, b in pairwise(ends)]
        self.flat = np.zeros(ends[-1], np.float32)
        self.moments = np.zeros((2, ends[-1]), np.float32)
        self.steps = 0
        self._whole_layer = np.zeros((self.chunks, inputs + 1, width), np.int16)
        self._gradients = np.zeros((threads, ends[-1]), np.float32)
        self._pool = ThreadPoolExecutor(threads)
        random = np.random.default_rng(seed)
        shared, _, b1, w2, _ = self.split(self.flat)
        shared[:] = random.uniform(-FIRST_WEIGHTS, FIRST_WEIGHTS, shared.shape)
        b1[:] = FIRST_BIAS
        # The same for all buckets of men: they part when their positions ask for it.
        w2[:] = random.uniform(-1, 1, 2 * hidden) / np.sqrt(2 * hidden)
        self.add_up()

    @property
    def parameters(self) -> list[Array]:
        """First layer [INPUTS, H], its bias [H], output weights [buckets, 2 H], bias [buckets].

        The first layer is a copy, the others are not.
        """
        shared, own, *others = self.split(self.flat)
        by_bucket = own.reshape(self.chunks, self.king_buckets, *shared.shape[1:]) + shared[:, None]
        return [_rows(by_bucket.reshape(own.shape)), *others]

    def add_up(self) -> None:
        """Compute the first layer from its parts, after `flat` has changed."""
        shared, own, *_ = self.split(self.flat)
        self._together(
            [
                (whole_layer, (shared[s], own[s], self._whole_layer[s]))
                for s in self._shares(self.chunks)
            ]
        )

    def plain(self, flat: Array) -> Array:
        """Parameters or moments with whole rows of the first layer."""
        shared, own, *_ = self.split(flat)
        others = flat[self._cuts[2].start :]
        return np.concatenate([_rows(shared).ravel(), _rows(own).ravel(), others])

    def chunked(self, plain: Array) -> Array:
        """The opposite of `plain`."""
        parts = [
            plain[cut].reshape(rows, chunks, width).transpose(1, 0, 2).ravel()
            for cut, (chunks, rows, width) in zip(self._cuts, self.shapes[:2], strict=False)
        ]
        return np.concatenate([*parts, plain[self._cuts[2].start :]])

    def begin_from(self, other: Model, parents: list[int]) -> None:
        """Take over the parameters of a model with the same buckets and at most as many sums.

        `parents` names the other's king bucket for each of this one's. The sums that the other
        lacks keep their random weights, and small output weights: the outputs begin nearly as they
        were. ValueError if the other has another shape.
        """
        hidden, known = self.shapes[2][0], other.shapes[2][0]
        if self.shapes[4] != other.shapes[4] or known > hidden:
            raise ValueError(f"it has {known} sums and {other.shapes[4][0]} buckets")
        plain, theirs = self.plain(self.flat), other.plain(other.flat)
        mine, begun = self._parts(plain, hidden), other._parts(theirs, known)
        mine[0, :, :known] = begun[0]
        for bucket, parent in enumerate(parents, start=1):
            mine[bucket, :, :known] = begun[parent + 1]
        self.flat[:] = self.chunked(plain)
        _, _, b1, w2, b2 = self.split(self.flat)
        _, _, its_b1, its_w2, its_b2 = other.split(other.flat)
        b1[:known], b2[:] = its_b1, its_b2
        halves = w2.reshape(-1, 2, hidden)
        halves[:, :, :known] = its_w2.reshape(-1, 2, known)
        halves[:, :, known:] *= FIRST_SHARE
        self.add_up()

    def _parts(self, plain: Array, hidden: int) -> Array:
        """The first layer, [1 + king buckets, PIECE_INPUTS, H]: what they share, what they add."""
        rows = (1 + self.king_buckets) * PIECE_INPUTS
        return plain[: rows * hidden].reshape(-1, PIECE_INPUTS, hidden)

    def split(self, flat: Array) -> list[Array]:
        """Views of `flat`: both parts of the first layer, its bias, output weights and bias."""
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
        _, _, *others = self.split(self.flat)
        errors = self._together(
            [
                (
                    gradient,
                    (rows[s], targets[s], shared, self._whole_layer, *others, *self.split(own)[1:]),
                )
                for s, own in zip(self._shares(len(rows), NEIGHBOURS), self._gradients, strict=True)
            ]
        )
        self.steps += 1
        # What the shared part learns: the sum over threads and king buckets.
        chunks, length, width = self.shapes[0]
        own = self._gradients[:, self._cuts[1]]
        by_bucket = own.reshape(-1, chunks, self.king_buckets, length, width)
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
        outputs = others[1]
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


def _rows(chunked: Array) -> Array:
    """[chunks, rows, C] as [rows, chunks * C]."""
    return chunked.transpose(1, 0, 2).reshape(chunked.shape[1], -1)


def loss_of(logits: Array, targets: Array) -> float:
    return float(np.mean((expected(logits) - targets) ** 2))


def expected(logits: Array) -> Array:
    """The expected score, 0 to 1, as float64."""
    return np.asarray(expit(logits.astype(np.float64)))
