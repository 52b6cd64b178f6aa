"""Many positions from few: what a search sees of them, and what lies a random move or two away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np

from engine.board.packed import PackedPosition
from engine.board.packing import unpack
from engine.native.memory import StructArray
from engine.search.deepening import MAX_DEPTH, deepen
from engine.search.root_moves import set_all_root_moves
from engine.search.sampling import remove_men, sample_here, wander
from engine.search.setup import NO_NODE_LIMIT
from tuning.data.dataset import NO_RESULT, NO_SCORE, RECORD, Records
from tuning.data.stream import open_positions
from tuning.network.examples import keys_of
from tuning.network.labels import fen_lines
from tuning.selfplay.player import Player

ROOM = 1 << 14  # positions written before they are collected
NODES, ITERATION_NODES = 1500, 500  # of a search: at most, and after which no iteration begins
ONE_IN = 8  # evaluated positions is written
WANDERED, REDUCED = 0.25, 0.2  # shares of the bases that are not searched, unless no base is
MEN = (1, 1, 1, 2, 2, 3)  # how many are removed


class PositionSampler:
    """Draws bases at random and writes what follows from them."""

    def __init__(self, bases: Records, seed: int, searched: bool):
        """`searched`: also positions from inside searches, which take most of the time."""
        self._seed, self._searched = seed, searched
        memory = np.ascontiguousarray(bases).view(np.uint8).reshape(-1)
        self._bases = StructArray(PackedPosition, len(bases), memory)
        self._memory = np.zeros(ROOM, RECORD)

    def batch(self, number: int) -> Records:
        """Some ten thousand positions, unlabelled, all different.

        They follow from the seed and the number of the batch, so that a run can resume at any.
        """
        self._random = Random(f"{self._seed} {number}")
        self._player = Player(hash_mb=1)  # without the histories of another batch
        sampler = self._player.thread.sampler
        sampler.positions = StructArray(PackedPosition, ROOM, self._memory.view(np.uint8))
        sampler.room, sampler.count = ROOM, 0
        sampler.random.state = self._random.getrandbits(62) | 1
        while sampler.count < ROOM:
            self._sample_one()
        records = self._memory.copy()
        _, first = np.unique(keys_of(records), return_index=True)
        records = records[np.sort(first)]
        records["score"], records["result"] = NO_SCORE, NO_RESULT
        return records

    def _sample_one(self) -> None:
        random, thread = self._random, self._player.thread
        number = random.randrange(len(self._bases))
        unpack(thread.position, self._bases[number])
        kind = random.random() * (1 if self._searched else WANDERED + REDUCED)
        if kind < WANDERED:
            wander(thread, random.choice((1, 2, 2, 3, 4)))
            sample_here(thread)
        elif kind < WANDERED + REDUCED:
            if remove_men(thread, random.choice(MEN)):
                sample_here(thread)
        else:
            self._search(kind)

    def _search(self, kind: float) -> None:
        """Search a base, a position near it or one with men missing, and sample the search."""
        random, player = self._random, self._player
        thread = player.thread
        if kind < WANDERED + REDUCED + 0.1:
            wander(thread, random.choice((1, 2)))
        elif kind < WANDERED + REDUCED + 0.15 and not remove_men(thread, 1):
            return
        if not set_all_root_moves(thread):
            return
        player.shared.clear_hash()
        thread.nodes, thread.stop, thread.node_limit = 0, 0, NODES
        thread.sampler.one_in = ONE_IN
        deepen(thread, MAX_DEPTH, ITERATION_NODES)
        thread.sampler.one_in, thread.node_limit = 0, NO_NODE_LIMIT


def read_bases(paths: list[Path]) -> Records:
    """Positions of .positions files, and of text with a FEN a line. ValueError if none."""
    parts = []
    for path in paths:
        if path.suffix == ".positions":
            parts.append(np.array(open_positions(path).records))
        else:
            parts += [records for _, records, _ in fen_lines(path)]
    if not sum(map(len, parts)):
        raise ValueError(f"{', '.join(map(str, paths))}: no positions")
    return np.concatenate(parts)


def sampled(
    sampler: PositionSampler, first: int, done: int, count: int
) -> Iterator[tuple[int, Records]]:
    """(number, positions) of the batches from `first` on, until there are `count` positions.

    A position may come twice, in two batches. `done`: how many positions there are already.
    """
    number = first
    while done < count:
        records = sampler.batch(number)[: count - done]
        done += len(records)
        yield number, records
        number += 1
