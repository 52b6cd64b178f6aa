"""Histories: what is rewarded rises, what failed falls, and no number leaves its bounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.makemove import make, make_null
from engine.board.move import from_square, to_square
from engine.board.notation import parse_move
from engine.search.histories import (
    HISTORY_LIMIT,
    blame_previous_move,
    capture_history,
    forget_tried,
    gravity,
    quiet_history,
    remember_last_moves,
    remember_tried,
    reward_cutoff,
    reward_previous_move,
    start_histories,
)
from engine.search.state import MAX_TRIED, NO_MOVE_ROW, REPLY, Worker
from tests.engine.search.handles import continuation_rows, killers, set_up

pytestmark = pytest.mark.usefixtures("wrap_around")
PLY = 5
FEN = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
CAPTURES = ("f3e5", "c4f7")

history_value = st.integers(-HISTORY_LIMIT, HISTORY_LIMIT)


def move_of(worker: Worker, text: str) -> int:
    return int(parse_move(worker.position, worker.lists, text))


def start(worker: Worker, tried: list[int]) -> None:
    """A node in which these moves were tried and caused no cutoff."""
    start_histories(worker, PLY)
    forget_tried(worker, PLY)
    for move in tried:
        remember_tried(worker, PLY, move)


def history_of(worker: Worker, move: int, side: int = 0) -> int:
    return int(worker.history[side, from_square(move), to_square(move)])


@given(history_value, history_value)
def test_gravity_keeps_to_the_bounds_and_pulls_the_right_way(old: int, bonus: int) -> None:
    new = gravity(old, bonus)
    assert -HISTORY_LIMIT <= new <= HISTORY_LIMIT
    assert (new - old) * bonus >= 0


def test_a_quiet_cutoff_rewards_its_move_and_blames_those_before(worker: Worker) -> None:
    set_up(worker, FEN)
    good, bad, capture = (move_of(worker, text) for text in ("d2d3", "a2a3", "f3e5"))
    untried = move_of(worker, "h2h3")
    start(worker, [bad, capture])
    reward_cutoff(worker, PLY, good, 1)
    params = worker.params
    bonus, malus = int(params.history_bonus_factor), int(params.history_malus_factor)
    assert history_of(worker, good) == bonus
    assert history_of(worker, bad) == -malus
    assert capture_history(worker, capture) == -malus
    assert history_of(worker, untried) == 0
    assert capture_history(worker, move_of(worker, "c4f7")) == 0
    # No earlier moves: all in one row. Two follow-ups add up there, and the older counts half.
    assert list(continuation_rows(worker, PLY)) == [NO_MOVE_ROW] * 3
    assert quiet_history(worker, PLY, bad) < 0 < quiet_history(worker, PLY, good)


def test_a_capture_that_cuts_off_leaves_quiet_moves_alone(worker: Worker) -> None:
    set_up(worker, FEN)
    good, bad = (move_of(worker, text) for text in CAPTURES)
    quiet = move_of(worker, "a2a3")
    start(worker, [quiet, bad])
    reward_cutoff(worker, PLY, good, 2)
    assert capture_history(worker, good) == 2 * int(worker.params.history_bonus_factor)
    assert capture_history(worker, bad) == -2 * int(worker.params.history_malus_factor)
    assert not worker.history.any() and not killers(worker, PLY).any()


def test_the_last_two_quiet_moves_that_cut_off_are_killers(worker: Worker) -> None:
    set_up(worker, FEN)
    first, second = move_of(worker, "d2d3"), move_of(worker, "a2a3")
    reward_cutoff(worker, PLY, first, 1)
    assert list(killers(worker, PLY)) == [first, 0]
    reward_cutoff(worker, PLY, first, 1)
    assert list(killers(worker, PLY)) == [first, 0]
    reward_cutoff(worker, PLY, second, 1)
    assert list(killers(worker, PLY)) == [second, first]
    assert not killers(worker, PLY + 1).any() and not killers(worker, PLY - 1).any()


def test_the_quiet_move_before_a_fail_low_is_rewarded_for_its_side(worker: Worker) -> None:
    set_up(worker, FEN)
    remember_last_moves(worker, PLY - 1)
    move = move_of(worker, "d2d3")
    make(worker.position, move)
    reward_previous_move(worker, PLY, 3)
    assert history_of(worker, move) == 3 * int(worker.params.previous_move_bonus)
    assert np.count_nonzero(worker.history) == 1
    row = continuation_rows(worker, PLY - 1)[0]
    assert worker.continuations[REPLY, 0, row, 19] == 3 * int(worker.params.previous_move_bonus)
    reward_previous_move(worker, PLY, 100)  # as for 8
    first = 3 * int(worker.params.previous_move_bonus)
    assert history_of(worker, move) == gravity(first, 8 * int(worker.params.previous_move_bonus))


@pytest.mark.parametrize("text", ["f3e5", None])
def test_neither_a_capture_nor_a_null_move_is(worker: Worker, text: str | None) -> None:
    set_up(worker, FEN)
    if text is None:
        make_null(worker.position)
    else:
        make(worker.position, move_of(worker, text))
    reward_previous_move(worker, PLY, 3)
    assert not worker.history.any() and not worker.continuations.any()


def test_the_first_quiet_move_is_blamed_for_what_refutes_it(worker: Worker) -> None:
    set_up(worker, FEN)
    move = move_of(worker, "h1g1")
    remember_last_moves(worker, PLY)
    rows = continuation_rows(worker, PLY)
    column = worker.position.board[from_square(move)] * 64 + to_square(move)

    def reply_history() -> int:
        return int(worker.continuations[REPLY, 0, rows[0], column])

    worker.continuations[...] = 0
    make(worker.position, move)
    worker.stack[PLY].move_number = 2
    blame_previous_move(worker, PLY + 1, depth=4)
    assert reply_history() == 0  # another move was searched before it
    worker.stack[PLY].move_number = 1
    blame_previous_move(worker, PLY + 1, depth=4)
    assert reply_history() < 0
    assert history_of(worker, move) == 0


@pytest.mark.parametrize("text", ["f3e5", None])
def test_neither_a_capture_nor_a_null_move_is_blamed(worker: Worker, text: str | None) -> None:
    set_up(worker, FEN)
    remember_last_moves(worker, PLY)
    worker.continuations[...] = 0
    worker.stack[PLY].move_number = 1
    if text is None:
        make_null(worker.position)
    else:
        make(worker.position, move_of(worker, text))
    blame_previous_move(worker, PLY + 1, depth=4)
    assert not worker.continuations.any()


def test_a_new_node_forgets_what_was_tried_and_the_killers_below(worker: Worker) -> None:
    set_up(worker, FEN)
    quiet, noisy = move_of(worker, "a2a3"), move_of(worker, "f3e5")
    start(worker, [quiet, noisy])
    for ply in (PLY, PLY + 1, PLY + 2):
        killers(worker, ply)[:] = (quiet, noisy)
    start_histories(worker, PLY)
    forget_tried(worker, PLY)
    assert [bool(killers(worker, ply).any()) for ply in (PLY, PLY + 1, PLY + 2)] == [
        True, False, True,
    ]  # fmt: skip
    reward_cutoff(worker, PLY, move_of(worker, "d2d3"), 1)
    assert history_of(worker, quiet) == 0 and capture_history(worker, noisy) == 0


def test_no_more_moves_are_remembered_than_there_is_room_for(worker: Worker) -> None:
    set_up(worker, FEN)
    start(worker, [move_of(worker, text) for text in ("a2a3", "f3e5")] * (MAX_TRIED + 5))
    frame = worker.stack[PLY]
    assert (frame.quiet_count, frame.noisy_count) == (MAX_TRIED, MAX_TRIED)
