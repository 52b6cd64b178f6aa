"""Shuffled examples from any number of files of positions, in bounded memory.

The files are cut into blocks of about a thousand neighbours, whole games if there are games. An
epoch takes the blocks in random order, some hundreds at a time, and shuffles what is in them: so a
batch mixes all files, and a disk reads long runs. Everything follows from seed, epoch and the
number of the chunk, so a run can go on anywhere.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from tuning.data.dataset import NO_RESULT, NO_SCORE, RECORD, PositionsFile, Records, men_of
from tuning.fitting.model import Array
from tuning.fitting.targets import FEW, expected, fitted_k, k_of_each, targets
from tuning.network.gradients import NEIGHBOURS

BLOCK = 1024  # records
LONGEST_BLOCK = 2 * BLOCK  # where no game begins
CHUNK = 1 << 20  # records shuffled together, 32 MB
MOST_HELD_OUT = 500_000  # positions
SAMPLE = 1_000_000  # records looked at for scales and views
SWAPPED = 0.02  # a loss that falls by more than this when a view is swapped
PIECE_LOGITS = np.array([0.8, 2.4, 2.6, 4.0, 7.5, 0.0])  # material, roughly, to see who is ahead


@dataclass
class Examples:
    """Positions ready to learn from."""

    rows: Array  # int64[N, 4]: records of dtype RECORD
    targets: Array  # float32[N], expected score of the side to move

    def __len__(self) -> int:
        return len(self.rows)

    @staticmethod
    def none() -> Examples:
        return Examples(np.zeros((0, 4), np.int64), np.zeros(0, np.float32))

    def some(self, count: int, seed: int) -> Examples:
        """At most `count` of them, at random."""
        chosen = np.random.default_rng(seed).permutation(len(self))[:count]
        return Examples(self.rows[chosen], self.targets[chosen])


class Sets:
    """Files of positions as one set, from which blocks are held out."""

    def __init__(
        self,
        files: Sequence[PositionsFile],
        *,
        k: float,
        held_out: float,
        seed: int,
    ):
        """Raises ValueError if nothing can be held out, or labels have no meaning.

        Args:
            files: at least one position in all.
            k: expected score = sigmoid(k * cp), where results do not tell.
            held_out: share of the blocks.
            seed: decides which.
        """
        self.files, self.seed = files, seed
        self.count = sum(len(file) for file in files)
        if not self.count:
            raise ValueError(f"{', '.join(str(file.path) for file in files)}: no positions")
        self.scales = scales_of(files, k)
        for file in files:
            check_views(file, self.scales)
        blocks = blocks_of(files)
        order = np.random.default_rng((seed, 0)).permutation(len(blocks))
        few = max(1, round(held_out * len(blocks)))
        few = min(few, max(1, MOST_HELD_OUT // BLOCK))
        if few >= len(blocks):
            raise ValueError(f"{self.count} positions are too few to hold some of them back")
        self.held_out = blocks[np.sort(order[:few])]
        self.training = blocks[np.sort(order[few:])]
        self.training_count = int((self.training[:, 2] - self.training[:, 1]).sum())

    @property
    def data_hash(self) -> str:
        """Names the positions; read from the files' headers."""
        text = json.dumps([(len(file), file.checksum, file.sources) for file in self.files])
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def validation(self, results_share: float) -> Examples:
        """All that is held out."""
        records, targets = self._labelled(self.held_out, results_share)
        if not len(records):
            raise ValueError("no position that is held out has a label")
        return Examples(_rows(records), targets)

    def chunks(self, epoch: int) -> list[Array]:
        """The training blocks of an epoch in their order, cut into chunks."""
        order = np.random.default_rng((self.seed, epoch, 0)).permutation(len(self.training))
        blocks = self.training[order]
        ends = np.cumsum(blocks[:, 2] - blocks[:, 1])
        number = max(1, round(ends[-1] / CHUNK))
        cuts = np.searchsorted(ends, ends[-1] * np.arange(1, number) / number)
        return [part for part in np.split(blocks, cuts) if len(part)]

    def shuffled(self, epoch: int, number: int, blocks: Array, results_share: float) -> Examples:
        """Chunk `number` of an epoch."""
        random = np.random.default_rng((self.seed, epoch, number + 1))
        records, targets = self._labelled(blocks, results_share)
        order = neighbours_together(random, len(records))
        return Examples(_rows(records)[order], targets[order])

    def epoch(self, epoch: int, first: int, results_share: float) -> Iterator[Examples]:
        """The chunks from `first` on; the next one is made while one is used."""
        chunks = self.chunks(epoch)
        with ThreadPoolExecutor(1) as pool:
            waiting: list[Future[Examples]] = []
            for number in range(first, len(chunks) + 1):
                if number < len(chunks):
                    blocks = chunks[number]
                    waiting.append(pool.submit(self.shuffled, epoch, number, blocks, results_share))
                if number > first:
                    yield waiting.pop(0).result()

    def _labelled(self, blocks: Array, results_share: float) -> tuple[Records, Array]:
        """The positions of blocks that have a label, and their targets."""
        records, scales = [], []
        for file, first, end in blocks.tolist():
            records.append(self.files[file].records[first:end])
            scales.append(k_of_each(self.scales, self.files[file].sources, records[-1]))
        joined = np.concatenate(records).view(RECORD)
        targets = targets_of(joined, np.concatenate(scales), results_share)
        known = ~np.isnan(targets)
        return (joined, targets) if known.all() else (joined[known], targets[known])


def neighbours_together(random: np.random.Generator, count: int) -> Array:
    """int64[count]: a shuffle of groups of NEIGHBOURS, those that are left at the end."""
    whole = count - count % NEIGHBOURS
    groups = np.arange(whole).reshape(-1, NEIGHBOURS)
    return np.concatenate([random.permutation(groups).ravel(), np.arange(whole, count)])


def _rows(records: Records) -> Array:
    return np.ascontiguousarray(records).view(np.int64).reshape(-1, 4)


def blocks_of(files: Sequence[PositionsFile]) -> Array:
    """int64[blocks, 3]: file, first record, end. A game is in one block, unless it is very long."""
    blocks = []
    for number, file in enumerate(files):
        wanted = np.arange(BLOCK, len(file), BLOCK)
        starts = np.flatnonzero(file.records["starts_game"])
        following = wanted
        if len(starts):
            following = starts[np.minimum(np.searchsorted(starts, wanted), len(starts) - 1)]
        fits = (following >= wanted) & (following < wanted + LONGEST_BLOCK - BLOCK)
        cuts = np.unique(np.where(fits, following, wanted))
        edges = np.concatenate([[0], cuts[cuts < len(file)], [len(file)]])
        edges = np.unique(edges)
        part = np.empty((len(edges) - 1, 3), np.int64)
        part[:, 0], part[:, 1], part[:, 2] = number, edges[:-1], edges[1:]
        blocks.append(part)
    return np.concatenate(blocks)


def targets_of(records: Records, k: Array, results_share: float) -> Array:
    """`targets` as the side to move sees them, float32."""
    white = targets(records, k, 1 - results_share)
    return np.where(records["side"] == 1, 1 - white, white).astype(np.float32)


def scales_of(files: Sequence[PositionsFile], k: float) -> dict[str, float]:
    """For each source the k with which its scores predict results best; `k` where too few tell."""
    scores: dict[str, list[Array]] = {}
    results: dict[str, list[Array]] = {}
    for file in files:
        step = max(1, len(file) * len(files) // SAMPLE)
        records = np.asarray(file.records[::step])
        both = (records["score"] != NO_SCORE) & (records["result"] != NO_RESULT)
        for number, name in enumerate(file.sources):
            chosen = both & (records["source"] == number)
            scores.setdefault(name, []).append(records["score"][chosen].astype(np.float64))
            results.setdefault(name, []).append(records["result"][chosen] / 2)
    found = {}
    for name in scores:
        score, result = np.concatenate(scores[name]), np.concatenate(results[name])
        found[name] = fitted_k(score, result) if len(score) >= FEW else k
    return found


def check_views(file: PositionsFile, scales: dict[str, float]) -> None:
    """ValueError if the labels of one side's positions say the opposite of what they should.

    Who has more pieces is mostly better. A set whose scores or results are written in the
    mover's view, and not in White's, disagrees with that for Black to move.
    """
    records = np.asarray(file.records[:: max(1, len(file) // (SAMPLE // 10))])
    ahead = material_logits(records)
    k = k_of_each(scales, file.sources, records)
    labels = {
        "scores": (records["score"] != NO_SCORE, expected(k * records["score"])),
        "results": (records["result"] != NO_RESULT, records["result"] / 2),
    }
    predicted = expected(ahead)
    for what, (there, target) in labels.items():
        for side, name in enumerate(("White", "Black")):
            chosen = there & (records["side"] == side) & (ahead != 0)
            if np.count_nonzero(chosen) < 100:
                continue
            loss = float(np.mean((predicted[chosen] - target[chosen]) ** 2))
            swapped = float(np.mean((predicted[chosen] - 1 + target[chosen]) ** 2))
            if swapped < loss - SWAPPED:
                raise ValueError(
                    f"{file.path}: the {what} with {name} to move seem to be of the wrong sign: "
                    f"material predicts them with a loss of {loss:.3f}, their opposites with "
                    f"{swapped:.3f}. Labels are written in White's view."
                )


def material_logits(records: Records) -> Array:
    """White's material less Black's, roughly, in logits."""
    counts = material_counts(records)
    return np.asarray((counts[:, 0] - counts[:, 1]) @ PIECE_LOGITS)


def material_counts(records: Records) -> Array:
    """int64[N, 2, 6]: how many of each kind a colour has."""
    codes, _ = men_of(records)
    both = [[(codes == 8 * colour + kind).sum(axis=1) for kind in range(6)] for colour in range(2)]
    return np.array(both).transpose(2, 0, 1)


def keys_of(records: Records) -> Array:
    """A hash of each position and its side to move, uint64."""
    rows = _rows(records).view(np.uint64)
    key = rows[:, 0] * np.uint64(0x9E3779B97F4A7C15)
    for word in (rows[:, 1], rows[:, 2], rows[:, 3] & np.uint64(1)):
        key ^= key >> np.uint64(29)
        key = (key + word) * np.uint64(0xBF58476D1CE4E5B9)
    return np.asarray(key ^ key >> np.uint64(32))
