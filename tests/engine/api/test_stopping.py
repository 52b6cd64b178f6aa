"""Stopping, pondering, and deadlines."""

from __future__ import annotations

import time
from typing import Any

import pytest

from engine.api import Engine
from engine.events import SearchEvent, SearchInfo, SearchResult
from engine.limits import Limits
from engine.search.root import Iterations
from tests.engine.api.searching import Answers, go, start

pytestmark = [pytest.mark.jit_only, pytest.mark.alone]  # real searches


def test_stop_ends_an_infinite_search_soon(engine: Engine) -> None:
    answers = start(engine, Limits(infinite=True))
    time.sleep(0.2)
    assert engine.searching and not answers.results
    started = time.perf_counter()
    engine.stop()
    engine.wait()
    assert time.perf_counter() - started < 0.1
    assert len(answers.results) == 1


def test_stop_at_once_after_go_is_not_lost(engine: Engine) -> None:
    for _ in range(50):
        answers = start(engine, Limits(infinite=True))
        engine.stop()
        engine.wait()
        assert answers.results[0].best_move in engine.legal_moves()


def test_stop_at_once_still_finishes_depth_1(engine: Engine) -> None:
    engine.set_position("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", ())
    for _ in range(50):
        answers = start(engine, Limits(infinite=True))
        engine.stop()
        engine.wait()
        assert answers.infos[-1].nodes > 0
        assert answers.results[0].best_move == "e4d5"


def test_stop_and_ponderhit_when_idle_do_nothing(engine: Engine) -> None:
    engine.stop()
    engine.ponderhit()
    assert go(engine, Limits(depth=1)).results[0].best_move


def test_an_infinite_search_does_not_end_by_itself(engine: Engine) -> None:
    engine.set_position("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", ())
    answers = start(engine, Limits(infinite=True, depth=2))
    time.sleep(0.3)
    assert answers.infos and not answers.results
    engine.stop()
    engine.wait()
    assert answers.results[0].best_move == "a1a8"


def test_pondering_waits_for_the_hit_and_then_uses_the_clock(engine: Engine) -> None:
    answers = start(engine, Limits(ponder=True, white_time_ms=3000, black_time_ms=3000))
    time.sleep(0.4)
    assert not answers.results
    engine.ponderhit()
    engine.wait()
    assert len(answers.results) == 1
    # More than a move's share was spent on the opponent's time: answer at once.
    assert answers.infos[-1].time_ms < 1000


def test_a_single_legal_move_is_played_as_soon_as_the_opponent_has_moved(engine: Engine) -> None:
    engine.set_position("7k/6R1/8/8/8/8/1P6/K7 b - - 0 1", ())
    answers = start(engine, Limits(ponder=True, white_time_ms=600_000, black_time_ms=600_000))
    time.sleep(0.1)
    engine.ponderhit()
    hit = time.perf_counter()
    engine.wait()
    assert time.perf_counter() - hit < 0.5
    assert answers.results[0].best_move == "h8g7"


def test_a_worker_that_does_not_notice_its_deadline_is_not_awaited(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = Iterations.search

    def without_a_processor(self: Iterations, depth: int, *others: Any) -> bool:
        if depth == 4:
            time.sleep(0.5)
        return search(self, depth, *others)

    monkeypatch.setattr(Iterations, "search", without_a_processor)
    answered_ms: list[float] = []
    started = time.perf_counter()

    def listen(event: SearchEvent) -> None:
        answered_ms.append((time.perf_counter() - started) * 1000)
        answers.events.append(event)

    answers = Answers()
    engine.go(Limits(movetime_ms=100), listen)
    engine.wait()
    assert answered_ms[-1] < 300
    assert isinstance(answers.events[-1], SearchResult) and len(answers.results) == 1
    assert answers.results[0].best_move == answers.infos[-1].pv[0]
    assert answers.infos[-1].depth == 3


def test_an_answer_without_the_worker_is_reported_before_it_is_given(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = Iterations.search

    def loses_its_processor(self: Iterations, depth: int, *others: Any) -> bool:
        finished = search(self, depth, *others)
        if depth == 3:  # it has lines that nobody has seen
            time.sleep(0.5)
        return finished

    monkeypatch.setattr(Iterations, "search", loses_its_processor)
    answers = go(engine, Limits(movetime_ms=100))
    info, result = answers.events[-2:]
    assert isinstance(info, SearchInfo) and isinstance(result, SearchResult)
    assert info.depth == 3
    assert info.pv[:2] == (result.best_move, result.ponder)


def test_the_delay_of_the_clock_is_learnt(engine: Engine) -> None:
    delays = engine._pool.delay_meter
    spent = go(engine, Limits(white_time_ms=1000)).infos[-1].time_ms
    engine.set_position(None, ["e2e4", "e7e5"])
    go(engine, Limits(white_time_ms=1000 - spent - 300))
    assert 200 < delays.delay.worst_ms <= 300
    engine.set_position(None, ())
    answers = start(engine, Limits(white_time_ms=1000, ponder=True))
    engine.stop()  # another move than the expected one: no time was ours
    engine.wait()
    engine.set_position(None, ["e2e4", "e7e5"])
    go(engine, Limits(white_time_ms=500))
    assert answers.results and 200 < delays.delay.worst_ms <= 300
    engine.new_game()
    assert delays.delay.worst_ms == 0
