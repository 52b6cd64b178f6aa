"""A player: the engine on one thread of this process, with its own constants and weights."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from engine.board.fen import set_fen
from engine.board.game import push
from engine.command_line import UsageError
from engine.eval.classical.loading import shipped_weights
from engine.eval.network.loading import SHIPPED_PATH
from engine.search.deepening import MAX_DEPTH, deepen
from engine.search.params import tunables
from engine.search.reductions import fill_reductions
from engine.search.root_moves import set_all_root_moves
from engine.search.shared import NO_NODE_LIMIT, Shared, forget_game, new_worker
from engine.search.state import Worker
from engine.search.tt import GENERATIONS


def engine_hash() -> str:
    """Changes with the network, the weights of the evaluation, and the constants of the search."""
    constants = {name: values.default for name, values in tunables().items()}
    found = hashlib.sha256(json.dumps(constants).encode())
    found.update(shipped_weights().astype("<i8").tobytes())
    if SHIPPED_PATH.exists():
        found.update(SHIPPED_PATH.read_bytes())
    return found.hexdigest()[:16]


@dataclass(frozen=True)
class MoveLimit:
    """When a search ends: at the limit reached first."""

    nodes: int | None = None  # exactly
    soft_nodes: int | None = None  # no new iteration after this many

    def __post_init__(self) -> None:
        if not self.nodes and not self.soft_nodes:
            raise UsageError("a move needs a limit of nodes")


class Player:
    """An engine with one thread that forgets everything between games."""

    def __init__(self, hash_mb: int = 4):
        self.shared = Shared(hash_mb)
        self.worker = self.new_worker()
        self.position = self.worker.position  # a search leaves it as it was

    def new_worker(self) -> Worker:
        return new_worker(self.shared)

    def deepen(self, soft_nodes: int) -> int:
        """Search as `engine.search.deepening` does."""
        return deepen(self.worker, MAX_DEPTH, soft_nodes)

    def set_params(self, params: Mapping[str, int]) -> None:
        """Set search constants; the others get their defaults. ValueError for an unknown name."""
        known = tunables()
        unknown = sorted(set(params) - set(known))
        if unknown:
            raise UsageError(f"{unknown[0]} is not a search constant")
        for name, values in known.items():
            setattr(self.shared.params, name, params.get(name, values.default))
        fill_reductions(self.shared.reduction_table, self.shared.params)

    def start(self, fen: str, chess960: bool = False) -> None:
        """A new game, also of Chess960; `chess960`: the position writes itself as such. Raises
        PositionError."""
        set_fen(self.position, fen, chess960=True)
        self.position.chess960 = int(chess960)
        self.shared.clear_hash()
        forget_game(self.worker)

    def push(self, move: int) -> None:
        push(self.position, move)

    def choose(self, limit: MoveLimit | None) -> tuple[int, int | None]:
        """A move, and its score for the side to move if it was searched. There must be a legal
        move."""
        assert limit is not None
        return self.search(limit)

    def search(self, limit: MoveLimit) -> tuple[int, int]:
        """The best move, and its score for the side to move. There must be a legal move."""
        worker = self.worker
        table = self.shared.tt
        table.generation = (table.generation + 1) % GENERATIONS
        worker.nodes = 0
        worker.stop = 0
        worker.node_limit = NO_NODE_LIMIT if limit.nodes is None else limit.nodes
        set_all_root_moves(worker)
        score = self.deepen(limit.soft_nodes or NO_NODE_LIMIT)
        return int(worker.root_moves[0].move), int(score)
