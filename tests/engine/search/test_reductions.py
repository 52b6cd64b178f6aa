"""Late move reductions: the table, and each term that is added to it or taken from it."""

from __future__ import annotations

import math

import pytest

from engine.board.makemove import make
from engine.board.notation import parse_move
from engine.search.ordering import BAD_NOISY, GOOD_NOISY
from engine.search.params import Params
from engine.search.reductions import base_reduction, fill_reductions, late_move_reduction
from engine.search.state import PLY, REDUCTION_SIZE, ReductionTable, SearchThread
from tests.engine.search.handles import MIDDLE_GAME, killers, own_reductions, reduce_by, set_up

pytestmark = pytest.mark.usefixtures("wrap_around")

NODE = 3  # its ply


@pytest.fixture
def reducing(thread: SearchThread, params: Params) -> SearchThread:
    """Each term is another whole number of plies."""
    own_reductions(thread)
    params.reduction_cut_node = 1 * PLY
    params.reduction_not_improving = 2 * PLY
    params.reduction_pv_node = 3 * PLY
    params.reduction_was_pv = 4 * PLY
    params.reduction_check = 5 * PLY
    params.reduction_killer = 6 * PLY
    params.reduction_history = PLY
    params.reduction_noisy = 512
    thread.stack[NODE].picker.stage = GOOD_NOISY
    return thread


def reduction(
    thread: SearchThread,
    text: str = "a2a3",
    plies: int = 20,
    history: int = 0,
    improving: bool = True,
    pv_node: bool = False,
    cut_node: bool = False,
    was_pv: bool = False,
    depth: int = 60,
    fen: str = MIDDLE_GAME,
) -> int:
    """After the move; without further conditions the base reduction of so many plies."""
    set_up(thread, fen)
    move = parse_move(thread.position, thread.lists, text)
    make(thread.position, move)
    frame = thread.stack[NODE]
    frame.depth, frame.move_number, frame.history = depth, 9, history
    frame.improving, frame.pv_node = improving, pv_node
    frame.cut_node, frame.was_pv = cut_node, was_pv
    reduce_by(thread, depth, 9, plies * PLY)
    return int(late_move_reduction(thread, NODE, move))


def test_each_condition_has_its_term(reducing: SearchThread) -> None:
    assert reduction(reducing) == 20
    assert reduction(reducing, cut_node=True) == 21
    assert reduction(reducing, improving=False) == 22
    assert reduction(reducing, pv_node=True) == 17
    assert reduction(reducing, was_pv=True) == 16
    assert reduction(reducing, "b5b8", fen="k7/8/8/1R6/8/8/8/K7 w - - 0 1") == 15  # a check
    assert reduction(reducing, history=3 * PLY) == 17
    assert reduction(reducing, history=-3 * PLY) == 23
    together = reduction(reducing, improving=False, pv_node=True, cut_node=True, was_pv=True)
    assert together == 20 + 1 + 2 - 3 - 4


@pytest.mark.parametrize("slot", [0, 1])
def test_killers_are_reduced_less(reducing: SearchThread, slot: int) -> None:
    set_up(reducing, MIDDLE_GAME)
    killers(reducing, NODE)[slot] = parse_move(reducing.position, reducing.lists, "a2a3")
    assert reduction(reducing) == 14
    assert reduction(reducing, "a2a4") == 20


def test_history_counts_for_every_1024_points(reducing: SearchThread, params: Params) -> None:
    params.reduction_history = 512
    assert reduction(reducing, history=2 * PLY) == 19
    assert reduction(reducing, history=2 * PLY + 2) == 18  # less than 19 plies are 18


def test_of_noisy_moves_only_losing_ones_are_reduced(reducing: SearchThread) -> None:
    assert reduction(reducing, "f3e5") == 0
    reducing.stack[NODE].picker.stage = BAD_NOISY
    assert reduction(reducing, "f3e5") == 10
    assert reduction(reducing, "f3e5", cut_node=True, improving=False, history=9 * PLY) == 10
    assert reduction(reducing, "f3e5", pv_node=True) == 0


def test_a_reduction_leaves_a_ply_and_never_extends(reducing: SearchThread) -> None:
    assert reduction(reducing, depth=22) == 20
    assert reduction(reducing, depth=21) == 19
    assert reduction(reducing, depth=2) == 0
    assert reduction(reducing, plies=2, was_pv=True) == 0


def test_the_table_grows_with_the_logarithms(params: Params) -> None:
    params.reduction_base, params.reduction_divisor = 50, 200
    table = ReductionTable()
    fill_reductions(table, params)
    last = REDUCTION_SIZE - 1
    for depth, number in ((1, 1), (1, last), (last, 1), (7, 12), (last, last)):
        expected = 0.5 + math.log(depth) * math.log(number) / 2
        assert abs(int(table.reductions[depth, number]) - PLY * expected) <= 0.5, (depth, number)


def test_beyond_the_table_its_last_entries_hold(thread: SearchThread) -> None:
    last = REDUCTION_SIZE - 1
    table = thread.reduction_table.reductions
    assert base_reduction(thread, 5, 9) == table[5, 9] != table[5, 8]
    assert base_reduction(thread, last - 1, last - 1) == table[last - 1, last - 1]
    assert base_reduction(thread, last, 9) == base_reduction(thread, 99, 9) == table[last, 9]
    assert base_reduction(thread, 9, last) == base_reduction(thread, 9, 99) == table[9, last]
