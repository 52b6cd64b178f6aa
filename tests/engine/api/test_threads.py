"""Several threads, and a system that gives none."""

from __future__ import annotations

import threading

import pytest

from engine.api import Engine
from engine.events import Message
from engine.limits import Limits
from engine.search.setup import Shared, new_thread
from engine.search.state import SearchThread
from engine.threads.clock import Clock
from tests.engine.api.searching import go, start

pytestmark = [pytest.mark.jit_only, pytest.mark.alone]  # real searches


def test_threads_may_change_in_number(engine: Engine) -> None:
    for threads in (3, 1, 2):
        engine.configure(threads=threads)
        answers = go(engine, Limits(depth=8))
        assert answers.results[0].best_move in engine.legal_moves()
        assert engine.settings.threads == threads


def test_threads_share_the_work(engine: Engine) -> None:
    """The main thread searches its third of the nodes; what is above that, the helpers did."""
    engine.configure(threads=3)
    nodes = go(engine, Limits(nodes=600_000)).infos[-1].nodes
    assert 220_000 < nodes <= 600_000


def test_a_thread_that_cannot_start_is_told_and_done_without(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.configure(threads=3)
    start_thread = threading.Thread.start
    helpers = []

    def start_two(self: threading.Thread) -> None:
        if "_help" in self.name:
            helpers.append(self)
            if len(helpers) == 2:
                raise RuntimeError("can't start new thread")
        start_thread(self)

    monkeypatch.setattr(threading.Thread, "start", start_two)
    answers = go(engine, Limits(depth=6))
    assert answers.infos[-1].depth == 6
    assert Message("only 2 threads are searching: can't start new thread") in answers.events
    assert not any(helper.is_alive() for helper in helpers)


def test_without_any_thread_the_next_search_still_comes(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    engine.set_position("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", ())
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", fail)
        answers = start(engine, Limits(infinite=True))
        assert answers.results[0].best_move == "e4d5" and answers.infos[-1].depth > 2
        assert Message("only a short search: can't start new thread") in answers.events
    assert go(engine, Limits(depth=2)).results[0].best_move


@pytest.mark.parametrize("time_ms", [1, 100, 200])
def test_with_hardly_any_time_no_thread_is_started(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, time_ms: int
) -> None:
    """Starting threads takes milliseconds on a busy machine."""
    engine.configure(threads=2)
    engine.set_position("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", ())
    monkeypatch.setattr(threading.Thread, "start", lambda self: pytest.fail("a thread"))
    answers = go(engine, Limits(white_time_ms=time_ms))
    assert [result.best_move for result in answers.results] == ["e4d5"]
    assert 0 < answers.infos[-1].nodes <= 10_000
    assert not any(isinstance(event, Message) for event in answers.events)


@pytest.mark.parametrize(
    "limits",
    [
        Limits(white_time_ms=1000),
        Limits(movetime_ms=5),
        Limits(depth=1),
        Limits(white_time_ms=1, ponder=True),  # waits for the user
    ],
)
def test_all_other_searches_leave_the_caller_free(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, limits: Limits
) -> None:
    started: list[threading.Thread] = []
    start_thread = threading.Thread.start

    def record(self: threading.Thread) -> None:
        started.append(self)
        start_thread(self)

    monkeypatch.setattr(threading.Thread, "start", record)
    engine.go(limits, lambda event: None)
    engine.stop()
    engine.wait()
    assert len(started) == 2  # one searches, the other has the clock


def test_without_a_thread_for_the_clock_there_is_a_search(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Clock) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Clock, "start", fail)
    answers = go(engine, Limits(white_time_ms=100_000))
    assert len(answers.results) == 1 and answers.infos[-1].depth > 2


def test_threads_that_do_not_fit_are_rolled_back(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.configure(threads=2)
    created: list[SearchThread] = []

    def one_more(shared: Shared) -> SearchThread:
        if created:
            raise MemoryError
        created.append(new_thread(shared))
        return created[0]

    monkeypatch.setattr("engine.threads.pool.new_thread", one_more)
    with pytest.raises(MemoryError, match="no memory for thread 4 of 5"):
        engine.configure(threads=5, hash_mb=4)
    assert (engine.settings.threads, engine.settings.hash_mb) == (2, 2)
    assert len(engine._pool.threads) == 2
    assert go(engine, Limits(depth=4)).infos[-1].depth == 4
