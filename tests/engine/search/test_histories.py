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
from engine.search.state import MAX_TRIED, NO_MOVE_ROW, REPLY, SearchThread
from tests.engine.search.handles import continuation_rows, killers, set_up

pytestmark = pytest.mark.usefixtures("wrap_around")
PLY = 5
FEN = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
CAPTURES = ("f3e5", "c4f7")

history_value = st.integers(-HISTORY_LIMIT, HISTORY_LIMIT)


def move_of(thread: SearchThread, text: str) -> int:
    return int(parse_move(thread.position, thread.lists, text))


def start(thread: SearchThread, tried: list[int]) -> None:
    """A node in which these moves were tried and caused no cutoff."""
    start_histories(thread, PLY)
    forget_tried(thread, PLY)
    for move in tried:
        remember_tried(thread, PLY, move)


def history_of(thread: SearchThread, move: int, side: int = 0) -> int:
    return int(thread.history[side, from_square(move), to_square(move)])


@given(history_value, history_value)
def test_gravity_keeps_to_the_bounds_and_pulls_the_right_way(old: int, bonus: int) -> None:
    new = gravity(old, bonus)
    assert -HISTORY_LIMIT <= new <= HISTORY_LIMIT
    assert (new - old) * bonus >= 0


def test_a_quiet_cutoff_rewards_its_move_and_blames_those_before(thread: SearchThread) -> None:
    set_up(thread, FEN)
    good, bad, capture = (move_of(thread, text) for text in ("d2d3", "a2a3", "f3e5"))
    untried = move_of(thread, "h2h3")
    start(thread, [bad, capture])
    reward_cutoff(thread, PLY, good, 1)
    params = thread.params
    bonus, malus = int(params.history_bonus_factor), int(params.history_malus_factor)
    assert history_of(thread, good) == bonus
    assert history_of(thread, bad) == -malus
    assert capture_history(thread, capture) == -malus
    assert history_of(thread, untried) == 0
    assert capture_history(thread, move_of(thread, "c4f7")) == 0
    # No earlier moves: all in one row. Two follow-ups add up there, and the older counts half.
    assert list(continuation_rows(thread, PLY)) == [NO_MOVE_ROW] * 3
    assert quiet_history(thread, PLY, bad) < 0 < quiet_history(thread, PLY, good)


def test_a_capture_that_cuts_off_leaves_quiet_moves_alone(thread: SearchThread) -> None:
    set_up(thread, FEN)
    good, bad = (move_of(thread, text) for text in CAPTURES)
    quiet = move_of(thread, "a2a3")
    start(thread, [quiet, bad])
    reward_cutoff(thread, PLY, good, 2)
    assert capture_history(thread, good) == 2 * int(thread.params.history_bonus_factor)
    assert capture_history(thread, bad) == -2 * int(thread.params.history_malus_factor)
    assert not thread.history.any() and not killers(thread, PLY).any()


def test_the_last_two_quiet_moves_that_cut_off_are_killers(thread: SearchThread) -> None:
    set_up(thread, FEN)
    first, second = move_of(thread, "d2d3"), move_of(thread, "a2a3")
    reward_cutoff(thread, PLY, first, 1)
    assert list(killers(thread, PLY)) == [first, 0]
    reward_cutoff(thread, PLY, first, 1)
    assert list(killers(thread, PLY)) == [first, 0]
    reward_cutoff(thread, PLY, second, 1)
    assert list(killers(thread, PLY)) == [second, first]
    assert not killers(thread, PLY + 1).any() and not killers(thread, PLY - 1).any()


def test_the_quiet_move_before_a_fail_low_is_rewarded_for_its_side(thread: SearchThread) -> None:
    set_up(thread, FEN)
    remember_last_moves(thread, PLY - 1)
    move = move_of(thread, "d2d3")
    make(thread.position, move)
    reward_previous_move(thread, PLY, 3)
    assert history_of(thread, move) == 3 * int(thread.params.previous_move_bonus)
    assert np.count_nonzero(thread.history) == 1
    row = continuation_rows(thread, PLY - 1)[0]
    assert thread.continuations[REPLY, 0, row, 19] == 3 * int(thread.params.previous_move_bonus)
    reward_previous_move(thread, PLY, 100)  # as for 8
    first = 3 * int(thread.params.previous_move_bonus)
    assert history_of(thread, move) == gravity(first, 8 * int(thread.params.previous_move_bonus))


@pytest.mark.parametrize("text", ["f3e5", None])
def test_neither_a_capture_nor_a_null_move_is(thread: SearchThread, text: str | None) -> None:
    set_up(thread, FEN)
    if text is None:
        make_null(thread.position)
    else:
        make(thread.position, move_of(thread, text))
    reward_previous_move(thread, PLY, 3)
    assert not thread.history.any() and not thread.continuations.any()


def test_the_first_quiet_move_is_blamed_for_what_refutes_it(thread: SearchThread) -> None:
    set_up(thread, FEN)
    move = move_of(thread, "h1g1")
    remember_last_moves(thread, PLY)
    rows = continuation_rows(thread, PLY)
    column = thread.position.board[from_square(move)] * 64 + to_square(move)

    def reply_history() -> int:
        return int(thread.continuations[REPLY, 0, rows[0], column])

    thread.continuations[...] = 0
    make(thread.position, move)
    thread.stack[PLY].move_number = 2
    blame_previous_move(thread, PLY + 1, depth=4)
    assert reply_history() == 0  # another move was searched before it
    thread.stack[PLY].move_number = 1
    blame_previous_move(thread, PLY + 1, depth=4)
    assert reply_history() < 0
    assert history_of(thread, move) == 0


@pytest.mark.parametrize("text", ["f3e5", None])
def test_neither_a_capture_nor_a_null_move_is_blamed(
    thread: SearchThread, text: str | None
) -> None:
    set_up(thread, FEN)
    remember_last_moves(thread, PLY)
    thread.continuations[...] = 0
    thread.stack[PLY].move_number = 1
    if text is None:
        make_null(thread.position)
    else:
        make(thread.position, move_of(thread, text))
    blame_previous_move(thread, PLY + 1, depth=4)
    assert not thread.continuations.any()


def test_a_new_node_forgets_what_was_tried_and_the_killers_below(thread: SearchThread) -> None:
    set_up(thread, FEN)
    quiet, noisy = move_of(thread, "a2a3"), move_of(thread, "f3e5")
    start(thread, [quiet, noisy])
    for ply in (PLY, PLY + 1, PLY + 2):
        killers(thread, ply)[:] = (quiet, noisy)
    start_histories(thread, PLY)
    forget_tried(thread, PLY)
    assert [bool(killers(thread, ply).any()) for ply in (PLY, PLY + 1, PLY + 2)] == [
        True, False, True,
    ]  # fmt: skip
    reward_cutoff(thread, PLY, move_of(thread, "d2d3"), 1)
    assert history_of(thread, quiet) == 0 and capture_history(thread, noisy) == 0


def test_no_more_moves_are_remembered_than_there_is_room_for(thread: SearchThread) -> None:
    set_up(thread, FEN)
    start(thread, [move_of(thread, text) for text in ("a2a3", "f3e5")] * (MAX_TRIED + 5))
    frame = thread.stack[PLY]
    assert (frame.quiet_count, frame.noisy_count) == (MAX_TRIED, MAX_TRIED)
