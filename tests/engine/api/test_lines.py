"""The lines that a search reports, and the replies it expects."""

from __future__ import annotations

import time

import pytest

from engine.api import Engine
from engine.events import CurrentMove
from engine.limits import Limits
from tests.engine.api.searching import go

pytestmark = pytest.mark.jit_only  # real searches


def test_a_reply_is_always_expected(engine: Engine) -> None:
    """For pondering, even after a search that ended at once."""
    for nodes in (1, 2, 50):
        engine.new_game()
        [result] = go(engine, Limits(nodes=nodes)).results
        engine.set_position(None, [result.best_move or ""])
        assert result.ponder in engine.legal_moves()
        engine.set_position(None, ())


def test_guessing_the_reply_takes_no_time(engine: Engine) -> None:
    """Even where captures never end."""
    engine.set_position("rnbqkbnr/qqqqqqqq/8/8/8/8/QQQQQQQQ/RNBQKBNR w KQkq - 0 1", ())
    started = time.perf_counter()
    go(engine, Limits(nodes=300))
    assert time.perf_counter() - started < 1


def test_several_lines(engine: Engine) -> None:
    engine.configure(multi_pv=3)
    infos = go(engine, Limits(depth=5)).infos
    last = [info for info in infos if info.depth == 5]
    assert [info.multi_pv for info in last] == [1, 2, 3]
    assert len({info.pv[0] for info in last}) == 3
    engine.configure(multi_pv=256)  # more than there are moves
    assert max(info.multi_pv for info in go(engine, Limits(depth=2)).infos) == 20


@pytest.mark.parametrize("nodes", range(2000, 12000, 500))
def test_several_lines_stay_different_when_stopped(engine: Engine, nodes: int) -> None:
    engine.set_position("r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4", ())
    engine.configure(multi_pv=3)
    answers = go(engine, Limits(nodes=nodes))
    last = {info.multi_pv: info for info in answers.infos}
    assert len({last[number].pv[0] for number in (1, 2, 3)}) == 3
    assert answers.results[0].best_move == last[1].pv[0]


def test_current_moves_are_numbered_as_they_are_searched(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.play.reports.DETAILS_AFTER_MS", 0)
    monkeypatch.setattr("engine.play.search.DETAILS_AFTER_MS", 0)
    answers = go(engine, Limits(movetime_ms=600))
    told = [event for event in answers.events if isinstance(event, CurrentMove)]
    assert told
    assert {event.move for event in told} <= set(engine.legal_moves())
    for depth in {event.depth for event in told}:
        first_moves = [event.move for event in told if event.depth == depth and event.number == 1]
        assert len(set(first_moves)) <= 2  # another one after a fail-high


def test_a_line_ends_where_the_game_does(engine: Engine) -> None:
    engine.set_position("6k1/8/8/8/8/8/8/K6R w - - 97 80", ())
    infos = go(engine, Limits(depth=10)).infos
    assert max(len(info.pv) for info in infos) == 3
