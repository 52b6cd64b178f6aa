"""Histories: what is rewarded rises, what failed falls, and no number leaves its bounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.makemove import make, make_null
from engine.board.move import NO_MOVE, from_square, to_square
from engine.board.notation import parse_move
from engine.search.histories import (
    BUTTERFLY_LIMIT,
    UNKNOWN_HISTORY,
    add_to_previous_move,
    bonus_of,
    capture_history,
    continuation,
    countermove,
    forget_tried,
    gravity,
    learn_from_evaluation,
    learn_from_table,
    near_continuations,
    piece_to,
    remember_row,
    remember_tried,
    reward_best,
)
from engine.search.node import start_node
from engine.search.state import MAX_TRIED, Worker
from tests.engine.search.handles import killers, set_up

pytestmark = pytest.mark.usefixtures("wrap_around")
PLY = 5
FEN = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
CAPTURES = ("f3e5", "c4f7")
BETA = 50

history_value = st.integers(-BUTTERFLY_LIMIT, BUTTERFLY_LIMIT)


def move_of(worker: Worker, text: str) -> int:
    return int(parse_move(worker.position, worker.lists, text))


def start(worker: Worker, tried: list[int]) -> None:
    """A node in which these moves were tried in vain."""
    forget_tried(worker, PLY)
    for move in tried:
        remember_tried(worker, PLY, move)


def play(worker: Worker, move: int, ply: int) -> None:
    """Make a move, or with NO_MOVE pass, as the search does at `ply`."""
    worker.stack[ply].move = move
    remember_row(worker, ply, move)
    if move == NO_MOVE:
        make_null(worker.position)
    else:
        make(worker.position, move)


def history_of(worker: Worker, move: int, side: int = 0) -> int:
    return int(worker.history[side, from_square(move), to_square(move)])


def learnt(worker: Worker) -> bool:
    """Has any continuation history changed?"""
    return bool((worker.continuations != UNKNOWN_HISTORY).any())


@given(history_value, history_value)
def test_gravity_keeps_to_the_bounds_and_pulls_the_right_way(old: int, bonus: int) -> None:
    new = gravity(old, bonus, BUTTERFLY_LIMIT)
    assert -BUTTERFLY_LIMIT <= new <= BUTTERFLY_LIMIT
    assert (new - old) * bonus >= 0


def test_bonuses_grow_with_the_depth_up_to_a_limit(worker: Worker) -> None:
    bonuses = [int(bonus_of(worker, depth)) for depth in range(1, 30)]
    assert bonuses == sorted(bonuses) and bonuses[0] < bonuses[3]
    assert bonuses[-1] == worker.params.history_bonus_limit


def test_a_quiet_best_move_is_rewarded_and_those_beside_it_blamed(worker: Worker) -> None:
    set_up(worker, FEN)
    good, bad, capture = (move_of(worker, text) for text in ("d2d3", "a2a3", "f3e5"))
    untried = move_of(worker, "h2h3")
    start(worker, [bad, capture])
    reward_best(worker, PLY, good, 4, BETA, BETA)
    bonus = int(bonus_of(worker, 4))
    assert history_of(worker, good) == bonus == -history_of(worker, bad)
    assert capture_history(worker, capture) == -bonus_of(worker, 5)
    assert history_of(worker, untried) == 0
    assert capture_history(worker, move_of(worker, "c4f7")) == 0
    reward_best(worker, PLY, untried, 4, BETA + 200, BETA)  # far above beta: as a ply deeper
    assert history_of(worker, untried) == bonus_of(worker, 5)


def test_earlier_moves_of_the_line_share_the_reward(worker: Worker) -> None:
    """1, 2, 4 and 6 plies back; of an evasion only the first two."""
    for in_check in (0, 1):
        worker.continuations[...] = UNKNOWN_HISTORY
        set_up(worker, "4k3/8/8/8/8/8/8/R3K3 w - - 0 1")
        steps = ["e1d1", "e8d8", "d1e1", "d8e8", "a1b1", "e8f8"]
        for ply, text in enumerate(steps):
            worker.stack[ply].in_check = 0
            play(worker, move_of(worker, text), ply)
        last = len(steps)
        worker.stack[last].in_check = in_check
        good = move_of(worker, "b1b2")
        start_counts = [int(continuation(worker, last, piece_to(worker, good), b)) for b in (1, 2)]
        assert start_counts == [UNKNOWN_HISTORY] * 2
        forget_tried(worker, last)
        reward_best(worker, last, good, 6, BETA, BETA)
        column = piece_to(worker, good)
        raised = [
            back
            for back in range(1, last + 1)
            if continuation(worker, last, column, back) > UNKNOWN_HISTORY
        ]
        assert raised == ([1, 2] if in_check else [1, 2, 4, 6])
        assert near_continuations(worker, last, good) > 3 * UNKNOWN_HISTORY


def test_before_the_root_there_are_no_earlier_moves(worker: Worker) -> None:
    set_up(worker, FEN)
    reward_best(worker, 0, move_of(worker, "d2d3"), 4, BETA, BETA)
    assert not learnt(worker) and not worker.countermoves.any()


def test_a_capture_that_cuts_off_leaves_quiet_moves_alone(worker: Worker) -> None:
    set_up(worker, FEN)
    good, bad = (move_of(worker, text) for text in CAPTURES)
    quiet = move_of(worker, "a2a3")
    start(worker, [quiet, bad])
    reward_best(worker, PLY, good, 2, BETA, BETA)
    assert capture_history(worker, good) == bonus_of(worker, 3) == -capture_history(worker, bad)
    assert not worker.history.any() and not killers(worker, PLY).any()


def test_the_last_two_quiet_moves_that_cut_off_are_killers(worker: Worker) -> None:
    set_up(worker, FEN)
    start(worker, [])
    first, second = move_of(worker, "d2d3"), move_of(worker, "a2a3")
    reward_best(worker, PLY, first, 1, BETA, BETA)
    assert list(killers(worker, PLY)) == [first, 0]
    reward_best(worker, PLY, first, 1, BETA, BETA)
    assert list(killers(worker, PLY)) == [first, 0]
    reward_best(worker, PLY, second, 1, BETA, BETA)
    assert list(killers(worker, PLY)) == [second, first]
    assert not killers(worker, PLY + 1).any() and not killers(worker, PLY - 1).any()


def test_what_refutes_a_move_is_its_countermove(worker: Worker) -> None:
    set_up(worker, FEN)
    play(worker, move_of(worker, "a2a3"), PLY)
    start_node(worker, PLY + 1, False)
    assert countermove(worker, PLY + 1) == NO_MOVE
    answer = move_of(worker, "d7d6")
    forget_tried(worker, PLY + 1)
    reward_best(worker, PLY + 1, answer, 3, BETA, BETA)
    assert countermove(worker, PLY + 1) == answer
    set_up(worker, FEN)
    assert countermove(worker, 0) == NO_MOVE
    play(worker, NO_MOVE, PLY)
    assert countermove(worker, PLY + 1) == NO_MOVE


def test_the_quiet_move_before_a_fail_low_is_rewarded_for_its_side(worker: Worker) -> None:
    set_up(worker, FEN)
    play(worker, move_of(worker, "h1g1"), PLY - 2)  # what `move` follows up
    make_null(worker.position)
    move = move_of(worker, "d2d3")
    column = piece_to(worker, move)
    worker.stack[PLY].in_check = 0
    play(worker, move, PLY)
    add_to_previous_move(worker, PLY + 1, 300)
    worker.position.side ^= 1  # to read its histories
    assert continuation(worker, PLY, column, 2) == gravity(UNKNOWN_HISTORY, 300, 29952)
    assert np.count_nonzero(worker.continuations != UNKNOWN_HISTORY) == 1


@pytest.mark.parametrize("text", ["f3e5", None])
def test_neither_a_capture_nor_a_null_move_is(worker: Worker, text: str | None) -> None:
    set_up(worker, FEN)
    play(worker, move_of(worker, "h1g1"), PLY - 1)
    worker.position.side ^= 1
    play(worker, move_of(worker, text) if text else NO_MOVE, PLY)
    add_to_previous_move(worker, PLY + 1, 300)
    assert not learnt(worker)


@pytest.mark.parametrize(
    "number, known, killer, blamed",
    [(1, 0, False, True), (2, 1, False, True), (2, 0, False, False), (5, 0, True, True)],
)
def test_an_early_quiet_move_is_blamed_for_what_refutes_it(
    worker: Worker, number: int, known: int, killer: bool, blamed: bool
) -> None:
    """The first, the second after a tt_move, or the first killer."""
    set_up(worker, FEN)
    play(worker, move_of(worker, "h1g1"), PLY - 2)
    make_null(worker.position)
    move = move_of(worker, "d2d3")
    frame = worker.stack[PLY]
    frame.in_check, frame.move_number, frame.known = 0, number, known
    killers(worker, PLY)[0] = move if killer else NO_MOVE
    play(worker, move, PLY)
    forget_tried(worker, PLY + 1)
    reward_best(worker, PLY + 1, move_of(worker, "f6e4"), 4, BETA, BETA)
    assert learnt(worker) == blamed


def test_a_cutoff_by_the_table_teaches_too(worker: Worker) -> None:
    set_up(worker, FEN)
    move = move_of(worker, "d2d3")
    worker.stack[PLY - 1].move_number = 9
    learn_from_table(worker, PLY, move, 4, True)
    assert history_of(worker, move) == bonus_of(worker, 4)
    assert killers(worker, PLY)[0] == move
    worker.history[...] = 0
    learn_from_table(worker, PLY, move, 4, False)
    assert history_of(worker, move) == -bonus_of(worker, 4)
    learn_from_table(worker, PLY, move_of(worker, "f3e5"), 4, True)
    assert not worker.capture_history.any()


@pytest.mark.parametrize("before, after, sign", [(10, 30, -1), (10, -30, 1), (10, -10, 0)])
def test_a_move_that_improves_the_evaluation_is_rewarded(
    worker: Worker, before: int, after: int, sign: int
) -> None:
    """Each for the side to move: after the move the opponent's."""
    set_up(worker, FEN)
    move = move_of(worker, "d2d3")
    worker.stack[PLY].static_eval, worker.stack[PLY].in_check = before, 0
    worker.stack[PLY + 1].static_eval = after
    play(worker, move, PLY)
    learn_from_evaluation(worker, PLY + 1)
    assert np.sign(history_of(worker, move)) == sign
    assert abs(history_of(worker, move)) <= worker.params.static_history_limit
    worker.history[...] = 0
    worker.stack[PLY].in_check = 1
    learn_from_evaluation(worker, PLY + 1)
    assert not worker.history.any()


def test_a_new_node_forgets_what_was_tried_and_the_killers_of_its_grandchildren(
    worker: Worker,
) -> None:
    set_up(worker, FEN)
    quiet, noisy = move_of(worker, "a2a3"), move_of(worker, "f3e5")
    start(worker, [quiet, noisy])
    for ply in (PLY, PLY + 1, PLY + 2):
        killers(worker, ply)[:] = (quiet, noisy)
    start_node(worker, PLY, False)
    forget_tried(worker, PLY)
    assert [bool(killers(worker, ply).any()) for ply in (PLY, PLY + 1, PLY + 2)] == [
        True, True, False,
    ]  # fmt: skip
    reward_best(worker, PLY, move_of(worker, "d2d3"), 1, BETA, BETA)
    assert history_of(worker, quiet) == 0 and capture_history(worker, noisy) == 0


def test_no_more_moves_are_remembered_than_there_is_room_for(worker: Worker) -> None:
    set_up(worker, FEN)
    start(worker, [move_of(worker, text) for text in ("a2a3", "f3e5")] * (MAX_TRIED + 5))
    frame = worker.stack[PLY]
    assert (frame.quiet_count, frame.noisy_count) == (MAX_TRIED, MAX_TRIED)
