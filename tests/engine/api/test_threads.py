"""Several threads, and a system that gives none."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from engine.api import Engine
from engine.events import Message
from engine.limits import Limits
from engine.search.iterations import Iterations
from engine.search.shared import Shared, new_worker
from engine.search.state import Worker
from tests.engine.api.searching import go

pytestmark = pytest.mark.jit_only  # real searches


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


def test_without_a_thread_the_next_search_still_comes(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", fail)
        with pytest.raises(RuntimeError, match="can't start"):
            engine.go(Limits(infinite=True), print)
    assert go(engine, Limits(depth=2)).results[0].best_move


@pytest.mark.parametrize(
    "limits",
    [
        Limits(white_time_ms=1000),
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
    assert started


def test_the_threads_of_the_program_keep_the_size_of_their_stacks(engine: Engine) -> None:
    before = threading.stack_size()
    go(engine, Limits(depth=1))
    assert threading.stack_size() == before


def test_what_fails_in_a_helper_is_raised(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.configure(threads=2)
    search = Iterations.search

    def fail_in_helper(self: Iterations, depth: int, *others: Any) -> bool:
        if self.worker is not engine._state.workers[0]:
            raise ZeroDivisionError
        return search(self, depth, *others)

    with monkeypatch.context() as patch:
        patch.setattr(Iterations, "search", fail_in_helper)
        error = go(engine, Limits(depth=4)).results[0].error
    assert isinstance(error, ZeroDivisionError)
    assert go(engine, Limits(depth=4)).results[0].error is None


def test_threads_that_do_not_fit_are_rolled_back(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.configure(threads=2)
    created: list[Worker] = []

    def one_more(shared: Shared) -> Worker:
        if created:
            raise MemoryError
        created.append(new_worker(shared))
        return created[0]

    monkeypatch.setattr("engine.play.state.new_worker", one_more)
    with pytest.raises(MemoryError, match="no memory for thread 4 of 5"):
        engine.configure(threads=5, hash_mb=4)
    assert (engine.settings.threads, engine.settings.hash_mb) == (2, 2)
    assert len(engine._state.workers) == 2
    assert go(engine, Limits(depth=4)).infos[-1].depth == 4
