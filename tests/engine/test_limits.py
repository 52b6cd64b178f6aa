"""What ends a search, in the words that everyone else asks for it."""

from __future__ import annotations

import pytest

from engine.board.constants import BLACK, WHITE
from engine.limits import Limits


@pytest.mark.parametrize(
    "limits, bounded, by_itself, analysis",
    [
        (Limits(), False, False, True),
        (Limits(depth=3), True, True, False),
        (Limits(nodes=0), True, True, False),
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


def test_each_side_has_its_clock() -> None:
    limits = Limits(white_time_ms=1, black_time_ms=2, black_increment_ms=3)
    assert limits.clock_ms(WHITE) == (1, 0)
    assert limits.clock_ms(BLACK) == (2, 3)
