"""The moves that a node does not search: each reason at its boundary."""

from __future__ import annotations

import pytest

from engine.board.move import NO_MOVE
from engine.board.notation import move_text, parse_move
from engine.board.see import SEE_VALUES
from engine.scores import INFINITE, NO_SCORE
from engine.search.ordering import next_move, start_picking
from engine.search.params import Params
from engine.search.pruning import is_skipped
from engine.search.state import PLY as REDUCED_PLY
from engine.search.state import SearchThread
from tests.engine.search.handles import MIDDLE_GAME, PLY, own_reductions, reduce_by, set_up

pytestmark = pytest.mark.usefixtures("wrap_around")


@pytest.fixture
def moves(thread: SearchThread, params: Params) -> SearchThread:
    """Everything is off; a test switches on what it is about."""
    params.late_move_max_depth = 0
    params.futility_max_depth = -1
    params.history_pruning_max_depth = -1
    params.see_max_depth = -1
    own_reductions(thread)
    set_up(thread, MIDDLE_GAME)
    start_picking(thread, PLY, NO_MOVE, False)
    return thread


def skipped(
    thread: SearchThread,
    text: str = "d2d3",
    depth: int = 3,
    alpha: int = 0,
    move_number: int = 10,
    history: int = 0,
    lmr_depth: int = 2,
    static_eval: int = 0,
    improving: bool = False,
) -> bool:
    move = parse_move(thread.position, thread.lists, text)
    frame = thread.stack[PLY]
    frame.depth, frame.improving = depth, improving
    frame.move_number, frame.history = move_number, history
    reduce_by(thread, depth, move_number, (depth - lmr_depth) * REDUCED_PLY)
    return bool(is_skipped(thread, PLY, alpha, static_eval, move))


def test_no_move_is_skipped_without_a_reason(moves: SearchThread) -> None:
    for text in ("d2d3", "f3e5", "c4f7", "f3g5"):
        assert not skipped(moves, text, depth=1, alpha=INFINITE, move_number=99, history=-16384)
    assert moves.stack[PLY].picker.only_checks == 0


@pytest.mark.parametrize(
    "depth, number, improving, expected",
    [
        (1, 3, False, False),  # (5 + 1) // 2 moves
        (1, 4, False, True),
        (1, 6, True, False),  # twice as many if the position improves
        (1, 7, True, True),
        (3, 7, False, False),
        (3, 8, False, True),
        (4, 99, False, False),  # too deep
    ],
)
def test_late_move_pruning(
    moves: SearchThread, params: Params, depth: int, number: int, improving: bool, expected: bool
) -> None:
    params.late_move_max_depth = 3
    params.late_move_base = 5
    assert skipped(moves, depth=depth, move_number=number, improving=improving) == expected
    assert moves.stack[PLY].picker.only_checks == expected


@pytest.mark.parametrize(
    "static_eval, lmr_depth, alpha, expected",
    [
        (-240, 2, 0, True),  # 40 + 2 * 100
        (-240, 2, -1, False),
        (-40, 0, 0, True),
        (-999, 3, 0, True),
        (-999, 4, 0, False),
        (NO_SCORE, 2, 0, False),  # in check there is no evaluation
    ],
)
def test_futility_pruning(
    moves: SearchThread,
    params: Params,
    static_eval: int,
    lmr_depth: int,
    alpha: int,
    expected: bool,
) -> None:
    params.futility_max_depth = 3
    params.futility_base = 40
    params.futility_margin = 100
    found = skipped(moves, static_eval=static_eval, lmr_depth=lmr_depth, alpha=alpha)
    assert found == expected
    assert moves.stack[PLY].picker.only_checks == expected


def test_quiet_checks_are_neither_late_nor_futile(moves: SearchThread, params: Params) -> None:
    params.late_move_max_depth = 3
    set_up(moves, "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1")
    assert not skipped(moves, "a1a8", move_number=99)
    assert skipped(moves, "a1a7", move_number=99)
    # The picker keeps quiet from then on about quiet moves that do not check.
    start_picking(moves, PLY, NO_MOVE, False)
    assert skipped(moves, "a1a7", move_number=99)
    left = []
    while (move := int(next_move(moves, PLY, False, False))) != NO_MOVE:
        left.append(move_text(move, False))
    assert left == ["a1a8"]


@pytest.mark.parametrize(
    "history, lmr_depth, expected",
    [
        (-2000, 2, False),
        (-2001, 2, True),
        (-1, 0, True),
        (0, 0, False),
        (-16000, 3, True),
        (-16000, 4, False),
    ],
)
def test_history_pruning(
    moves: SearchThread, params: Params, history: int, lmr_depth: int, expected: bool
) -> None:
    params.history_pruning_max_depth = 3
    params.history_pruning_margin = 1000
    assert skipped(moves, history=history, lmr_depth=lmr_depth) == expected
    assert not skipped(moves, "f3e5", history=history, lmr_depth=lmr_depth)  # quiet moves only


@pytest.mark.parametrize(
    "amount, lmr_depth", [(0, 3), (REDUCED_PLY - 1, 3), (REDUCED_PLY, 2), (9 * REDUCED_PLY, 0)]
)
def test_the_depth_after_the_base_reduction(
    moves: SearchThread, params: Params, amount: int, lmr_depth: int
) -> None:
    params.history_pruning_max_depth = 3
    params.history_pruning_margin = 1000
    frame = moves.stack[PLY]
    frame.depth, frame.move_number = 3, 10
    reduce_by(moves, 3, 10, amount)
    move = parse_move(moves.position, moves.lists, "d2d3")
    for below in (0, 1):
        frame.history = -1000 * lmr_depth - below
        assert is_skipped(moves, PLY, 0, 0, move) == below


def test_moves_that_lose_too_much_are_skipped(moves: SearchThread, params: Params) -> None:
    params.see_max_depth = 6
    knight, pawn = SEE_VALUES[1], SEE_VALUES[0]
    # A noisy move: the knight for a pawn.
    params.see_noisy_margin = (knight - pawn) // 3
    assert not skipped(moves, "f3e5", depth=3, lmr_depth=0)
    params.see_noisy_margin = (knight - pawn) // 3 - 1
    assert skipped(moves, "f3e5", depth=3, lmr_depth=0)
    assert skipped(moves, "f3e5", depth=2)
    assert not skipped(moves, "f3e5", depth=4)
    params.see_noisy_margin = 0
    assert skipped(moves, "f3e5", depth=6) and not skipped(moves, "f3e5", depth=7)
    # A quiet one, by the square of the depth after the reduction: the knight for nothing.
    params.see_quiet_margin = (knight + 24) // 25
    assert not skipped(moves, "f3d4", depth=1, lmr_depth=5)
    params.see_quiet_margin = (knight + 24) // 25 - 1
    assert skipped(moves, "f3d4", depth=1, lmr_depth=5)
    params.see_quiet_margin = 0
    assert skipped(moves, "f3d4", lmr_depth=6) and not skipped(moves, "f3d4", lmr_depth=7)
    assert not skipped(moves, "d2d3", lmr_depth=0)
