"""Which thread's move is played."""

from __future__ import annotations

from engine.scores import MATE, MATE_IN_RANGE
from engine.search.iterations import RootLine
from engine.search.tt import EXACT
from engine.search.voting import elect


def line(move: int, score: int, depth: int) -> RootLine:
    return RootLine(depth, score, EXACT, depth, (move,))


def test_one_thread_decides_for_itself() -> None:
    assert elect([line(7, -50, 12)]) == line(7, -50, 12)


def test_the_main_thread_wins_a_tie() -> None:
    assert elect([line(1, 20, 10), line(2, 20, 10)]).moves == (1,)


def test_two_threads_outvote_the_main_one_and_the_deeper_speaks_for_them() -> None:
    lines = [line(1, 20, 10), line(2, 22, 10), line(2, 25, 11)]
    assert elect(lines) == lines[2]


def test_depth_and_score_give_weight() -> None:
    assert elect([line(1, 10, 10), line(2, 60, 14)]).moves == (2,)
    assert elect([line(1, 60, 14), line(2, 10, 10)]).moves == (1,)


def test_the_shortest_mate_is_played_whoever_found_it() -> None:
    lines = [line(1, 500, 20), line(1, 500, 20), line(2, MATE - 9, 12), line(3, MATE - 5, 9)]
    assert elect(lines).moves == (3,)


def test_a_way_out_of_being_mated_is_taken() -> None:
    for mated in (4 - MATE, -MATE_IN_RANGE):
        lines = [line(1, mated, 20), line(1, mated, 20), line(2, -300, 20)]
        assert elect(lines).moves == (2,)
        # Votes do not count then, but the score.
        lines = [line(1, mated, 20), line(2, -300, 20), line(2, -300, 20), line(3, -290, 20)]
        assert elect(lines).moves == (3,)
    # Who has not looked as far, or not at all, has only not seen the mate yet.
    assert elect([line(1, 4 - MATE, 20), line(2, -300, 8)]).moves == (1,)
    assert elect([line(1, 4 - MATE, 20), line(2, 0, 0)]).moves == (1,)


def test_who_has_not_searched_has_no_vote() -> None:
    assert elect([line(1, -900, 1), line(2, 0, 0), line(2, 0, 0)]).moves == (1,)
