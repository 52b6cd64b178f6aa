"""Which positions a set keeps, and how many each filter removes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.eval.evaluate import evaluate
from engine.scores import INFINITE
from engine.search.quiescence import quiescence
from engine.search.shared import Shared, new_worker
from tuning.data.dataset import NO_RESULT, NO_SCORE, Records
from tuning.data.packed import PackedPosition, unpack
from tuning.data.readers import NOISY, UNKNOWN, Batch

Mask = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True)
class Wanted:
    """The positions to keep."""

    quiet: bool = True  # not in check, and no capture or promotion to play
    least_ply: int = 16
    most_ply: int = 400
    largest_score: int = 2500  # centipawns
    most_a_game: int | None = None
    unique: bool = True
    labelled: bool = True  # with a result or a score
    seed: int = 1  # of the choice among a game's positions


def chosen(batch: Batch, wanted: Wanted) -> tuple[Records, dict[str, int]]:
    """The positions to keep, and by filter how many it removed."""
    records = batch.records
    kept = np.ones(len(records), np.bool_)
    removed: dict[str, int] = {}

    def remove(name: str, bad: Mask) -> None:
        removed[name] = int(np.count_nonzero(bad & kept))
        kept[bad] = False

    if wanted.labelled:
        none = (records["result"] == NO_RESULT) & (records["score"] == NO_SCORE)
        remove("without result and score", none)
    outside = (batch.plies < wanted.least_ply) | (batch.plies > wanted.most_ply)
    remove("outside the plies", outside)
    scores = records["score"].astype(np.int64)
    decided = (np.abs(scores) > wanted.largest_score) & (scores != NO_SCORE)
    remove("decided by their score", decided)
    if wanted.quiet:
        remove("with a capture or promotion played", batch.quiet == NOISY)
        in_check, unrest = Classifier().unquiet(records, kept, batch.quiet == UNKNOWN)
        remove("in check", in_check)
        remove("with an exchange to win", unrest)
    # After the quiet filter: a position may come twice, once with a capture played, once without.
    if wanted.unique:
        remove("duplicates", duplicates(records, kept))
    games = np.cumsum(records["starts_game"].astype(np.int64))
    if wanted.most_a_game is not None:
        remove(
            "beyond the number wanted of a game",
            surplus(games, kept, wanted.most_a_game, wanted.seed),
        )
    result = records[kept]
    # The first position of a game may be gone; the game still begins somewhere.
    numbers = games[kept]
    result["starts_game"] = np.diff(numbers, prepend=-1) != 0
    return result, removed


def duplicates(records: Records, kept: Mask) -> Mask:
    """Positions with the same pieces and side to move as an earlier one that is kept."""
    places = np.flatnonzero(kept)
    keys = np.empty((len(places), 4), np.int64)
    keys[:, 0] = records["occupied"][places]
    keys[:, 1:3] = records["pieces"][places]
    keys[:, 3] = records["side"][places]
    whole = np.ascontiguousarray(keys).view(np.dtype((np.void, 32))).ravel()
    _, first = np.unique(whole, return_index=True)
    result = kept.copy()
    result[places[first]] = False
    return result


def surplus(games: np.ndarray[Any, np.dtype[np.int64]], kept: Mask, most: int, seed: int) -> Mask:
    """All but `most` positions of each game, at random."""
    places = np.flatnonzero(kept)
    order = np.random.default_rng(seed).permutation(len(places))
    shuffled = places[order]
    by_game = shuffled[np.argsort(games[shuffled], kind="stable")]
    numbers = games[by_game]
    begins = np.flatnonzero(np.diff(numbers, prepend=-1))
    rank = np.arange(len(by_game)) - np.repeat(begins, np.diff(begins, append=len(by_game)))
    result = np.zeros(len(kept), np.bool_)
    result[by_game[rank >= most]] = True
    return result


class Classifier:
    """Tells which positions are not quiet. One serves many sets: making it decodes the network."""

    def __init__(self) -> None:
        self._shared = Shared(hash_mb=1)
        self._worker = new_worker(self._shared)

    def unquiet(self, records: Records, kept: Mask, searched: Mask) -> tuple[Mask, Mask]:
        """Which of the kept positions are in check, and in which the side to move wins something.

        The second only in `searched`, where the move played is unknown.
        """
        in_check = np.zeros(len(records), np.bool_)
        unrest = np.zeros(len(records), np.bool_)
        self._shared.clear_hash()  # scores follow from these positions alone
        worker, packed = self._worker, PackedPosition()
        pos = worker.position
        memory = np.ascontiguousarray(records).view(np.uint8).reshape(-1, PackedPosition.size)
        for place in np.flatnonzero(kept):
            packed._memory[:] = memory[place]
            unpack(pos, packed)
            if pos.snapshots[0].checkers:
                in_check[place] = True
            elif searched[place]:
                score = quiescence(worker, -INFINITE, INFINITE, 0, 0)
                unrest[place] = score != evaluate(pos, worker.evaluator)
        return in_check, unrest
