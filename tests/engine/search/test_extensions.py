"""Singular extensions: when to test, what is searched, and what follows from it."""

from __future__ import annotations

import pytest

from engine.board.move import NO_MOVE
from engine.board.notation import legal_moves, parse_move
from engine.scores import MATE_IN_RANGE
from engine.search import negamax as tree
from engine.search.extensions import may_be_singular, singular_extension
from engine.search.negamax import negamax, score_without
from engine.search.params import Params
from engine.search.state import SearchThread
from engine.search.tt import EXACT, LOWER, UPPER, probe, store
from tests.engine.search.handles import PLY, FakeSearch, set_up

pytestmark = pytest.mark.usefixtures("wrap_around")

KEY = 0x1234_5678_9ABC_DEF0


@pytest.fixture
def testing(thread: SearchThread, params: Params) -> SearchThread:
    params.singular_min_depth = 6
    params.singular_tt_depth = 3
    params.extension_ratio = 2
    params.decided_score = 400
    thread.root_depth = 10
    return thread


def may_be(
    thread: SearchThread,
    depth: int = 8,
    ply: int = PLY,
    bound: int = LOWER,
    stored_depth: int = 8,
    score: int = 50,
    beta: int = 0,
) -> bool:
    thread.tt.clusters.memory[:] = 0
    store(thread.tt, KEY, ply, 77, score, 0, stored_depth, bound, False)
    return bool(may_be_singular(thread, ply, depth, beta, probe(thread.tt, KEY)))


def test_when_a_move_may_be_singular(testing: SearchThread) -> None:
    assert may_be(testing)
    assert may_be(testing, depth=6) and not may_be(testing, depth=5)
    assert may_be(testing, ply=19) and not may_be(testing, ply=20)
    assert may_be(testing, bound=EXACT) and not may_be(testing, bound=UPPER)
    assert may_be(testing, stored_depth=5) and not may_be(testing, stored_depth=4)
    # A tablebase win is not a mate, and counts its plies from the root.
    assert may_be(testing, score=MATE_IN_RANGE - 1)
    assert may_be(testing, score=1 - MATE_IN_RANGE)
    assert not may_be(testing, score=MATE_IN_RANGE)
    assert not may_be(testing, score=-MATE_IN_RANGE)
    assert may_be(testing, beta=399) and not may_be(testing, beta=400)
    assert may_be(testing, beta=-399) and not may_be(testing, beta=-400)


def test_the_other_moves_are_searched(
    thread: SearchThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = thread.stack[PLY]
    search = FakeSearch(33)

    def spying(searching: SearchThread, *arguments: int) -> int:
        assert frame.excluded == 77
        return search(searching, *arguments)

    monkeypatch.setattr(tree, "negamax", spying)
    assert score_without(thread, PLY, 9, 77, 20, True) == 33
    assert search.calls == [(19, 20, 4, PLY, True)]
    assert frame.excluded == NO_MOVE


@pytest.mark.parametrize(
    "score, is_above_beta, pv_node, expected",
    [
        (99, False, False, 1),
        (80, False, False, 1),
        (79, False, False, 2),  # 100 - 20: far below
        (79, True, False, 2),
        (79, False, True, 1),
        (100, False, False, 0),
        (100, True, False, -1),
        (100, True, True, -1),
    ],
)
def test_the_extension(
    params: Params, score: int, is_above_beta: bool, pv_node: bool, expected: int
) -> None:
    params.double_extension_margin = 20
    assert singular_extension(params, score, 100, is_above_beta, pv_node) == expected


def test_without_its_only_move_a_node_fails_low(thread: SearchThread) -> None:
    set_up(thread, "7k/8/8/8/8/8/8/K5R1 b - - 0 1")
    move = parse_move(thread.position, thread.lists, "h8h7")
    assert legal_moves(thread.position, thread.lists) == [move]
    assert score_without(thread, PLY, 5, move, 20, False) == 19
    thread.stack[PLY].excluded = move
    assert negamax(thread, 19, 20, 2, PLY, False) == 19  # also as machine code
