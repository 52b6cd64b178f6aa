"""Repetition, fifty moves, insufficient material."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.board.draws import insufficient_material, is_repetition, repetitions
from engine.board.fen import set_fen
from engine.board.game import push
from engine.board.makemove import make
from engine.board.notation import parse_move
from engine.board.position import MoveLists, Position
from engine.search.node import is_draw
from engine.search.state import Worker

SHUFFLE = ["a1a2", "g8g7", "a2a1", "g7g8"]


def play(pos: Position, lists: MoveLists, moves: list[str]) -> None:
    for text in moves:
        make(pos, parse_move(pos, lists, text))


def test_a_position_of_the_game_counts_each_time(
    position: Callable[..., Position], lists: MoveLists
) -> None:
    pos = position("6k1/8/8/8/8/8/8/R5K1 w - - 0 1")
    for round_number in range(1, 4):
        for text in SHUFFLE:
            push(pos, parse_move(pos, lists, text))
        assert repetitions(pos) == round_number


def test_repeating_the_root_is_not_yet_a_draw_but_repeating_the_search_is(
    position: Callable[..., Position], lists: MoveLists
) -> None:
    pos = position("6k1/8/8/8/8/8/8/R5K1 w - - 0 1")
    play(pos, lists, SHUFFLE)
    assert not is_repetition(pos, 4)  # the root, seen for the second time
    play(pos, lists, SHUFFLE[:1])
    assert is_repetition(pos, 5)  # one ply into the search, seen again


def test_the_third_time_is_a_draw_wherever_the_others_were(
    position: Callable[..., Position], lists: MoveLists
) -> None:
    pos = position("6k1/8/8/8/8/8/8/R5K1 w - - 0 1")
    for text in SHUFFLE * 2:
        push(pos, parse_move(pos, lists, text))
    assert is_repetition(pos, 0)


def test_a_pawn_move_ends_all_repetitions(
    position: Callable[..., Position], lists: MoveLists
) -> None:
    pos = position("6k1/8/8/8/8/8/P7/R5K1 w - - 0 1")
    for text in ["a1b1", "g8g7", "b1a1", "g7g8", "a2a3", "g8g7", "a1b1", "g7g8", "b1a1"]:
        push(pos, parse_move(pos, lists, text))
    # The same squares as after a2a3, but with Black to move there as here: seen once before.
    assert repetitions(pos) == 1
    assert pos.snapshots[pos.ply].halfmove_clock == 4


def test_lost_castling_rights_make_another_position(
    position: Callable[..., Position], lists: MoveLists
) -> None:
    pos = position("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    for text in ["h1g1", "e8e7", "g1h1", "e7e8"]:
        push(pos, parse_move(pos, lists, text))
    assert repetitions(pos) == 0


def test_a_game_of_any_length_is_remembered(
    position: Callable[..., Position], lists: MoveLists
) -> None:
    pos = position("6k1/8/8/8/8/8/8/R5K1 w - - 0 1")
    for text in SHUFFLE * 300:
        push(pos, parse_move(pos, lists, text))
    assert repetitions(pos) > 30


@pytest.mark.parametrize(
    "fen, drawn",
    [
        ("8/8/4k3/8/8/4K3/8/8 w - - 0 1", True),
        ("8/8/4k3/8/8/4KB2/8/8 w - - 0 1", True),
        ("8/8/4k3/8/8/4KN2/8/8 w - - 0 1", True),
        ("8/8/4kb2/8/8/4K1B1/8/8 w - - 0 1", True),  # both on dark squares
        ("8/8/4kb2/8/8/4KB2/8/8 w - - 0 1", False),
        ("8/8/4k3/8/8/4KNN1/8/8 w - - 0 1", False),  # mate is possible, though not forced
        ("8/8/4k3/8/8/4KP2/8/8 w - - 0 1", False),
        ("8/8/4k3/8/8/4KR2/8/8 w - - 0 1", False),
    ],
)
def test_insufficient_material(position: Callable[..., Position], fen: str, drawn: bool) -> None:
    assert bool(insufficient_material(position(fen))) == drawn


def test_mate_on_the_hundredth_ply_is_mate(worker: Worker) -> None:
    pos = worker.position
    set_fen(pos, "R6k/6pp/8/8/8/8/8/K7 b - - 100 80")
    assert not is_draw(worker, 1)
    set_fen(pos, "7k/R5pp/8/8/8/8/8/K7 b - - 100 80")
    assert is_draw(worker, 1)
    set_fen(pos, "R6k/6p1/8/8/8/8/8/K7 b - - 100 80")  # a check, but not mate
    assert is_draw(worker, 1)
