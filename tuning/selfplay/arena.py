"""Games between the two sides of an SPSA iteration."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from tuning.selfplay.perturbation import Duel
from tuning.selfplay.play import play_pair
from tuning.selfplay.player import MoveLimit, Player
from tuning.selfplay.starts import Book, RandomStarts


class Arena:
    """Two players, their limits and their openings."""

    def __init__(self, games: dict[str, Any]):
        self.limit = MoveLimit(
            nodes=games["nodes"], soft_nodes=games["soft_nodes"], movetime_ms=games["movetime"]
        )
        self.pairs: int = games["pairs"]
        self.starts: Book | RandomStarts
        if games["book"] is not None:
            self.starts = Book(Path(games["book"]))
        else:
            self.starts = RandomStarts(games["random_plies"])
        self.plus, self.minus = Player(games["hash"]), Player(games["hash"])

    def judge(self, duel: Duel) -> int:
        self.plus.set_params(duel.plus)
        self.minus.set_params(duel.minus)
        random = Random(duel.seed)
        points = 0
        for _ in range(self.pairs):
            fen = self.starts.choose(random)
            points += play_pair(self.plus, self.minus, fen, self.limit) - 2
        return points
