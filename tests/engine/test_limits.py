"""What ends a search, in the words that everyone else asks for it."""

from __future__ import annotations

from typing import Any

import chess
import chess.engine
import pytest

from engine.board.constants import BLACK, WHITE
from engine.limits import Limits


@pytest.mark.parametrize(
    "limits, bounded, by_itself, analysis",
    [
        (Limits(), False, False, True),
        (Limits(depth=3), True, True, False),
        (Limits(nodes=1), True, True, False),
        (Limits(movetime_ms=5), True, True, False),
        (Limits(white_time_ms=-1), True, True, False),
        (Limits(black_time_ms=9), True, True, False),
        (Limits(white_increment_ms=9, moves_to_go=3), False, False, True),
        (Limits(mate=2), True, True, True),
        (Limits(depth=3, search_moves=("e2e4",)), True, True, True),
        (Limits(depth=3, infinite=True), True, False, True),
        (Limits(white_time_ms=9, ponder=True), True, False, False),
    ],
)
def test_what_ends_a_search(limits: Limits, bounded: bool, by_itself: bool, analysis: bool) -> None:
    assert limits.is_bounded == bounded
    assert limits.ends_by_itself == by_itself
    assert limits.asks_for_analysis == analysis


@pytest.mark.parametrize(
    "values, error",
    [
        ({"movetime_ms": "500"}, "movetime_ms must be int, not str"),
        ({"depth": 2.5}, "depth must be int, not float"),
        ({"depth": -5}, "depth must be 1 to 1000000000000000, not -5"),
        ({"nodes": 0}, "nodes must be 1 to "),
        ({"white_increment_ms": -1}, "white_increment_ms must be 0 to "),
        ({"infinite": 1}, "infinite must be bool, not int"),
        ({"search_moves": "e2e4"}, "search_moves must be a list of moves, not str"),
        ({"search_moves": ["e2e4", "Nf3"]}, "'Nf3' in search_moves is not a move such as e2e4"),
        ({"search_moves": [5]}, "'5' in search_moves is not a move"),
    ],
)
def test_nonsense_is_refused(values: dict[str, Any], error: str) -> None:
    with pytest.raises((TypeError, ValueError), match=error):
        Limits(**values)
    with pytest.raises(ValueError, match="depth must be 1 to"):
        Limits(-5)


def test_limits_do_not_change() -> None:
    with pytest.raises(AttributeError):
        Limits(depth=1).depth = 3


def test_limits_of_python_chess_count_in_seconds() -> None:
    limit = chess.engine.Limit(time=0.5, white_clock=60, black_clock=59.5, white_inc=1, depth=4)
    assert Limits.of(limit) == Limits(
        depth=4, movetime_ms=500, white_time_ms=60_000, black_time_ms=59_500,
        white_increment_ms=1000,
    )  # fmt: skip


@pytest.mark.parametrize(
    "values, error",
    [
        ({"time": "5"}, "time must be int or float, not str"),
        ({"time": -1}, "movetime_ms must be 1 to"),
        ({"white_clock": float("nan")}, "white_clock must be a number of seconds, not nan"),
        ({"black_inc": float("inf")}, "black_inc must be a number of seconds, not inf"),
        ({"depth": 2.5}, "depth must be int, not float"),
    ],
)
def test_nonsense_of_python_chess_is_refused(values: dict[str, Any], error: str) -> None:
    with pytest.raises((TypeError, ValueError), match=error):
        Limits.of(chess.engine.Limit(**values))


def test_no_time_of_python_chess_is_the_least() -> None:
    assert Limits.of(chess.engine.Limit(time=0)) == Limits(movetime_ms=1)


def test_moves_may_be_those_of_python_chess() -> None:
    limits = Limits(search_moves=[chess.Move.from_uci("e2e4"), "d2d4"])
    assert limits.search_moves == ("e2e4", "d2d4")


def test_each_side_has_its_clock() -> None:
    limits = Limits(white_time_ms=1, black_time_ms=2, black_increment_ms=3)
    assert limits.clock_ms(WHITE) == (1, 0)
    assert limits.clock_ms(BLACK) == (2, 3)
