"""One rule of adjudication, in several strengths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tuning.adjudication import DRAW, LOSS, MATCHES, NONE, WIN, Adjudication, Adjudicator


def decisions(
    scores: Sequence[int | None],
    first_move: int = 1,
    rule: Adjudication = MATCHES,
    captures: Sequence[int] = (),
) -> list[int | None]:
    """What is decided after each ply. `scores`: what its player says, from its own side."""
    adjudicator, clock, found = Adjudicator(rule), 0, []
    for ply, score in enumerate(scores):
        clock = 0 if ply in captures else clock + 1
        found.append(adjudicator.result(ply % 2, score, clock, first_move + (ply + 1) // 2))
    return found


def undecided(found: Sequence[int | None]) -> bool:
    return found == [None] * len(found)


def test_who_is_far_behind_four_times_in_a_row_has_lost() -> None:
    assert decisions([0, -700] * 4) == [None] * 7 + [WIN]
    assert decisions([-9999, 0] * 4)[6] == LOSS
    assert undecided(decisions([0, -699] * 9))
    assert undecided(decisions([0, -800] * 3 + [0, None] + [0, -800] * 3))


def test_a_draw_needs_eight_quiet_moves_of_both_from_move_forty_on() -> None:
    assert decisions([10, -10] * 8, 40) == [None] * 15 + [DRAW]
    assert decisions([0] * 40, 25) == [None] * 31 + [DRAW] * 9  # Black's 40th move
    assert undecided(decisions([0] * 14 + [11] + [0] * 15, 60))
    found = decisions([0] * 18, 60, captures=(2,))
    assert found == [None] * 17 + [DRAW]  # counted anew from the capture on


def test_long_games_are_drawn() -> None:
    assert decisions([300] * 12, rule=replace(MATCHES, longest=12)) == [None] * 11 + [DRAW]
    short = replace(MATCHES, longest_clock=6)
    assert decisions([300] * 10, rule=short, captures=(3,)) == [None] * 9 + [DRAW]


def test_no_adjudication_is_one_of_them() -> None:
    assert undecided(decisions([0, -30_000] * 40, 60, NONE, captures=(40,)))
