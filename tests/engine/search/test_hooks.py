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
from engine.search.state import SearchThread
from tuning.variants import variant

UNKNOWN = 1 << 20


class LeafThread(SearchThread):
    leaf_scores = int64[MAX_PLY + 2]  # by ply: White's view, or UNKNOWN


@kernel
def forget_leaf(thread: LeafThread, ply: int) -> None:
    thread.leaf_scores[ply] = UNKNOWN


@kernel
def evaluate_leaf(thread: LeafThread, ply: int, depth: int, distance: int) -> None:
    score = evaluate(thread.position, thread.evaluator)
    thread.leaf_scores[ply] = -score if thread.position.side else score


@kernel
def take_leaf_of_child(thread: LeafThread, ply: int) -> None:
    thread.leaf_scores[ply] = thread.leaf_scores[ply + 1]


deepen_with_leaves = variant(
    deepen,
    __name__,
    {
        no_leaf: forget_leaf,
        leaf_here: evaluate_leaf,
        leaf_of_child: take_leaf_of_child,
        SearchThread: LeafThread,
    },
)


@pytest.mark.skipif(not INTERPRETED, reason="to compile the search takes longer than these")
def test_the_score_of_the_root_is_mostly_that_of_its_leaf(shared: Shared) -> None:
    """But for corrections of the evaluation, and where quiescence knows a better score than that
    from the transposition table."""
    thread = connected(LeafThread(), shared)
    same = 0
    for fen in POSITIONS[:10]:
        set_fen(thread.position, fen)
        forget_game(thread)
        shared.clear_hash()
        set_all_root_moves(thread)
        with np.errstate(over="ignore"):
            score = int(deepen_with_leaves(thread, 2, NO_NODE_LIMIT))
        leaf = int(thread.leaf_scores[0])
        same += abs(leaf - (-score if thread.position.side else score)) <= 2
    assert same >= 7
