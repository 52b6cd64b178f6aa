"""Stopping, pondering, and deadlines."""

from __future__ import annotations

import threading
import time

import pytest

from engine.api import Engine
from engine.board.constants import WHITE
from engine.limits import Limits
from engine.native.clock import NEVER
from engine.play.time_keeper import UNREAD_MS, TimeKeeper
from engine.play.timeman import budget
from tests.engine.api.searching import go, start

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


def test_a_deadline_is_kept_by_the_search_itself(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No other thread has to be scheduled for it."""
    start_thread = threading.Thread.start
    threads: list[threading.Thread] = []

    def record_and_start(thread: threading.Thread) -> None:
        threads.append(thread)
        start_thread(thread)

    monkeypatch.setattr(threading.Thread, "start", record_and_start)
    for time_ms in (1, 100, 200):
        started = time.perf_counter()
        answers = go(engine, Limits(white_time_ms=time_ms))
        assert time.perf_counter() - started < 0.2
        assert answers.results[0].best_move in engine.legal_moves()
        assert answers.infos[-1].nodes > 0
    assert not threads


def test_what_nobody_can_read_is_not_reported(engine: Engine) -> None:
    """A bullet game has no time to write the lines of the first iterations, nor to read them."""
    assert len(go(engine, Limits(movetime_ms=15)).infos) == 1
    assert go(engine, Limits(movetime_ms=15, nodes=1)).infos  # the last line, however early
    engine.new_game()
    infos = go(engine, Limits(movetime_ms=200)).infos
    assert len(infos) > 1 and all(info.time_ms >= UNREAD_MS for info in infos)
    assert [info.depth for info in go(engine, Limits(depth=3)).infos] == [1, 2, 3]


def test_what_a_move_costs_beyond_its_limit_is_a_delay(engine: Engine) -> None:
    """As when the machine gave the search no processor."""
    state, limits = engine._state, Limits(white_time_ms=1000)
    time_keeper = TimeKeeper(state, engine.settings, limits, time.perf_counter() - 0.5)
    time_keeper.start()
    time_keeper.answer()
    engine.set_position(None, ["e2e4", "e7e5"])
    TimeKeeper(state, engine.settings, Limits(white_time_ms=480), None)
    hard_ms = budget(limits, WHITE, engine.settings.move_overhead_ms).hard_ms
    assert hard_ms is not None and hard_ms < 200
    assert state.delay_meter.delay.worst_ms == pytest.approx(520 - hard_ms)


@pytest.mark.parametrize("movetime_ms", [50, 300, 3100])
def test_a_search_ends_at_its_deadline(engine: Engine, movetime_ms: int) -> None:
    engine.configure(threads=2)
    started = time.perf_counter()
    go(engine, Limits(movetime_ms=movetime_ms))
    took_ms = (time.perf_counter() - started) * 1000
    assert 0.8 * movetime_ms < took_ms < movetime_ms + 150


def test_helpers_keep_the_deadline_too(engine: Engine) -> None:
    """Or they would keep a busy machine's processors from the thread that answers."""
    engine.configure(threads=3)
    start(engine, Limits(ponder=True, movetime_ms=200))
    engine.ponderhit()
    deadlines = {int(worker.deadline) for worker in engine._state.workers}
    engine.wait()
    assert len(deadlines) == 1 and NEVER not in deadlines


def test_proofs_of_mate_end_at_their_deadline(engine: Engine) -> None:
    started = time.perf_counter()
    assert go(engine, Limits(mate=9, movetime_ms=300)).results[0].best_move
    assert 0.2 < time.perf_counter() - started < 0.6


def test_the_delay_of_the_clock_is_learnt(engine: Engine) -> None:
    delays = engine._state.delay_meter
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
