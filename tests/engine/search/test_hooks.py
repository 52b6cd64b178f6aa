"""What the hooks tell: the position whose evaluation the score of a node is."""

from __future__ import annotations

import numpy as np
import pytest

from engine.bench import POSITIONS
from engine.board.constants import MAX_PLY
from engine.board.fen import set_fen
from engine.eval.evaluate import evaluate
from engine.native.jit import kernel
from engine.native.settings import INTERPRETED
from engine.native.structs import int64
from engine.search.deepening import deepen
from engine.search.hooks import leaf_here, leaf_of_child, no_leaf
from engine.search.root_moves import set_all_root_moves
from engine.search.shared import NO_NODE_LIMIT, Shared, connected, forget_game
from engine.search.state import Worker
from tuning.variants import variant

UNKNOWN = 1 << 20


class LeafWorker(Worker):
    leaf_scores = int64[MAX_PLY + 2]  # by ply: White's view, or UNKNOWN


@kernel
def forget_leaf(worker: LeafWorker, ply: int) -> None:
    worker.leaf_scores[ply] = UNKNOWN


@kernel
def evaluate_leaf(worker: LeafWorker, ply: int, depth: int, distance: int) -> None:
    score = evaluate(worker.position, worker.evaluator)
    worker.leaf_scores[ply] = -score if worker.position.side else score


@kernel
def take_leaf_of_child(worker: LeafWorker, ply: int) -> None:
    worker.leaf_scores[ply] = worker.leaf_scores[ply + 1]


deepen_with_leaves = variant(
    deepen,
    __name__,
    {
        no_leaf: forget_leaf,
        leaf_here: evaluate_leaf,
        leaf_of_child: take_leaf_of_child,
        Worker: LeafWorker,
    },
)


@pytest.mark.skipif(not INTERPRETED, reason="to compile the search takes longer than these")
def test_the_score_of_the_root_is_mostly_that_of_its_leaf(shared: Shared) -> None:
    """But for corrections of the evaluation, and where quiescence knows a better score than that
    from the transposition table."""
    worker = connected(LeafWorker(), shared)
    same = 0
    for fen in POSITIONS[:10]:
        set_fen(worker.position, fen)
        forget_game(worker)
        shared.clear_hash()
        set_all_root_moves(worker)
        with np.errstate(over="ignore"):
            score = int(deepen_with_leaves(worker, 2, NO_NODE_LIMIT))
        leaf = int(worker.leaf_scores[0])
        same += abs(leaf - (-score if worker.position.side else score)) <= 2
    assert same >= 7
