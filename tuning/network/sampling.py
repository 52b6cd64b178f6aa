"""Positions to learn from: what decides searches in quick games of the engine against itself, and
given positions with men displaced.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Protocol

import numpy as np

from engine.board.movegen import ALL, generate
from engine.native.structs import StructArray
from engine.search.deepening import MAX_DEPTH
from engine.search.shared import connected, forget_game
from tuning.adjudication import SAMPLING
from tuning.data.dataset import NO_RESULT, NO_SCORE, RECORD, Records, open_positions
from tuning.data.filters import Classifier
from tuning.data.packed import PackedPosition
from tuning.network.examples import keys_of
from tuning.network.labelling import fen_lines
from tuning.network.leaves import SamplingWorker, deepen_and_sample, sample_displaced
from tuning.selfplay.play import play
from tuning.selfplay.player import MoveLimit, Player
from tuning.selfplay.starts import RandomStarts, Starts

ROOM = 1 << 14  # positions written before they are collected

# Games for nothing but their variety.
GAME_NODES, MOST_GAME_NODES = 40, 4  # a move: usually, and times that at most
SEARCHED_NODES, SEARCHED_PLY = 800, 4  # of sampled searches; one ply in N has one
ONE_LEAF_IN = 3  # one in three deciding leaves of such a search is written
RANDOM_MOVES = 0.03  # share of moves that are random
RANDOM_PLIES = (2, 4, 6, 8)
CHESS960_SHARE = 0.06


class Batches(Protocol):
    """Makes positions, unlabelled, all different within a batch of some ten thousand.

    They follow from the seed and the number of the batch, so that a run can resume at any.
    """

    def batch(self, number: int) -> Records: ...


class SamplingPlayer(Player):
    """A player whose searches write down positions, ROOM of them a batch."""

    worker: SamplingWorker

    def __init__(self) -> None:
        super().__init__(hash_mb=1)
        self._memory = np.zeros(ROOM, RECORD)
        self.sampler = self.worker.sampler
        self.sampler.positions = StructArray(PackedPosition, ROOM, self._memory.view(np.uint8))
        self.sampler.room = ROOM

    def new_worker(self) -> SamplingWorker:
        return connected(SamplingWorker(), self.shared)

    def deepen(self, soft_nodes: int) -> int:
        return deepen_and_sample(self.worker, MAX_DEPTH, soft_nodes)

    def begin_batch(self, random: Random) -> None:
        """Forget the batch before, so that this one follows from `random` alone."""
        self.shared.clear_hash()
        forget_game(self.worker)
        self.sampler.count, self.sampler.one_in = 0, 0
        self.sampler.random.state = random.getrandbits(62) | 1

    @property
    def is_full(self) -> bool:
        return bool(self.sampler.count == ROOM)

    def written(self) -> Records:
        """A copy of a full batch without repetitions and labels."""
        _, first = np.unique(keys_of(self._memory), return_index=True)
        records = self._memory[np.sort(first)]
        records["score"], records["result"] = NO_SCORE, NO_RESULT
        return records


class VariedPlayer(SamplingPlayer):
    """Plays quick games, each one of its own by random moves, and writes down what deeper searches
    of every fourth ply evaluate.

    Args:
        nodes: of the search of a move, about.
        searched: nodes of a search that is sampled, about.
        one_in: one of its leaves in N is written.
    """

    def __init__(self, nodes: int, searched: int, one_in: int):
        super().__init__()
        self._quick, self._sampled = _limit_of(nodes), _limit_of(searched)
        self._one_in = one_in

    def begin_batch(self, random: Random) -> None:
        super().begin_batch(random)
        self._random = random

    def start(self, fen: str, chess960: bool = False) -> None:
        super().start(fen, chess960)
        self._ply = -self._random.randrange(SEARCHED_PLY)  # of the first sampled one: 0

    def choose(self, limit: MoveLimit | None) -> tuple[int, int | None]:
        ply, self._ply = self._ply, self._ply + 1
        if self._random.random() < RANDOM_MOVES:
            lists = self.worker.lists
            count = generate(self.position, lists, 0, 0, ALL)
            return int(lists.moves[0, self._random.randrange(count)]), None
        is_sampled = ply % SEARCHED_PLY == 0
        self.sampler.one_in = self._one_in if is_sampled else 0
        found = self.search(self._sampled if is_sampled else self._quick)
        self.sampler.one_in = 0
        return found


class GameSampler:
    """Positions of games against itself.

    `starts`: where games begin. The more openings, the less do positions of different games have in
    common. The other arguments are those of VariedPlayer.
    """

    def __init__(
        self,
        seed: int,
        starts: Starts,
        nodes: int = GAME_NODES,
        searched: int = SEARCHED_NODES,
        one_in: int = ONE_LEAF_IN,
    ):
        self._seed, self._starts = seed, starts
        self._player = VariedPlayer(nodes, searched, one_in)

    def batch(self, number: int) -> Records:
        random, player = Random(f"{self._seed} {number}"), self._player
        player.begin_batch(random)
        while not player.is_full:
            play(player, player, self._starts.choose(random), None, SAMPLING)
        return player.written()


def _limit_of(nodes: int) -> MoveLimit:
    return MoveLimit(nodes=MOST_GAME_NODES * nodes, soft_nodes=nodes)


class RandomOpenings:
    """By random moves, some of Chess960: hardly two are the same."""

    def __init__(self) -> None:
        kinds = [(chess960, plies) for chess960 in (False, True) for plies in RANDOM_PLIES]
        self._starts = [RandomStarts(plies, chess960=chess960) for chess960, plies in kinds]
        self._weights = [
            CHESS960_SHARE if chess960 else 1 - CHESS960_SHARE for chess960, _ in kinds
        ]

    def choose(self, random: Random) -> str:
        return random.choices(self._starts, self._weights)[0].choose(random)


class DisplacedSampler:
    """Draws bases at random and displaces one or two of their men.

    Positions of a game share pawns, kings and most pieces; these vary more.
    """

    def __init__(self, bases: Records, seed: int):
        self._seed = seed
        self._player = SamplingPlayer()
        memory = np.ascontiguousarray(bases).view(np.uint8).reshape(-1)
        sampler = self._player.sampler
        sampler.bases = StructArray(PackedPosition, len(bases), memory)
        sampler.base_count = len(bases)

    def batch(self, number: int) -> Records:
        """Raises ValueError if the bases have too few men."""
        player = self._player
        player.begin_batch(Random(f"{self._seed} {number}"))
        while not player.is_full:
            before = player.sampler.count
            sample_displaced(player.worker, ROOM)
            if player.sampler.count == before:
                raise ValueError("no position with four men or more")
        return player.written()


def _thinned(records: Records, classifier: Classifier, share: float, seed: int) -> Records:
    """All quiet positions, and a share of the others, at random."""
    everywhere = np.ones(len(records), np.bool_)
    _, unrest = classifier.unquiet(records, everywhere, everywhere)
    return records[~unrest | (np.random.default_rng(seed).random(len(records)) < share)]


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
    sampler: Batches, first: int, done: int, count: int, unquiet_share: float = 1.0
) -> Iterator[tuple[int, Records]]:
    """(number, positions) of the batches from `first` on, until there are `count` positions.

    A position may come twice, in two batches. `done`: how many positions there are already.
    `unquiet_share`: of the positions with an exchange to win, kept.
    """
    number = first
    classifier = None if unquiet_share == 1 else Classifier()
    while done < count:
        records = sampler.batch(number)
        if classifier is not None:
            records = _thinned(records, classifier, unquiet_share, number)
        records = records[: count - done]
        done += len(records)
        yield number, records
        number += 1
