"""The engine as an object: positions, limits, stopping, pondering, threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pytest

from engine.api import Engine, PositionError
from engine.board.fen import START
from engine.events import CurrentMove, Message, SearchEvent, SearchInfo, SearchResult
from engine.limits import Limits
from engine.search.params import tunables
from engine.search.root import Iterations
from engine.search.setup import Shared, new_thread
from engine.search.state import SearchThread
from engine.settings import Settings
from engine.threads.clock import Clock

pytestmark = [pytest.mark.jit_only, pytest.mark.alone]  # real searches


@pytest.fixture(scope="module")
def shared_engine() -> Engine:
    return Engine(hash_mb=2)


@pytest.fixture
def engine(shared_engine: Engine) -> Iterator[Engine]:
    shared_engine.set_position(None, ())
    yield shared_engine
    shared_engine.stop()
    shared_engine.wait()
    shared_engine.configure(**asdict(Settings(hash_mb=2)))
    shared_engine.new_game()


class Answers:
    """Remembers what a search reported."""

    def __init__(self) -> None:
        self.events: list[SearchEvent] = []

    @property
    def results(self) -> list[SearchResult]:
        return [event for event in self.events if isinstance(event, SearchResult)]

    @property
    def infos(self) -> list[SearchInfo]:
        return [event for event in self.events if isinstance(event, SearchInfo)]


def go(engine: Engine, limits: Limits) -> Answers:
    answers = start(engine, limits)
    engine.wait()
    return answers


def start(engine: Engine, limits: Limits) -> Answers:
    answers = Answers()
    engine.go(limits, answers.events.append)
    return answers


def test_a_search_to_a_depth(engine: Engine) -> None:
    answers = go(engine, Limits(depth=6))
    assert [info.depth for info in answers.infos] == [1, 2, 3, 4, 5, 6]
    last = answers.infos[-1]
    assert last.nodes > 500 and last.score.centipawns is not None and last.pv
    [result] = answers.results
    assert answers.events[-1] is result
    assert result.best_move == last.pv[0]
    assert result.best_move in engine.legal_moves()
    assert result.ponder == last.pv[1]


@pytest.mark.parametrize(
    "limits",
    [
        Limits(depth=0),
        Limits(depth=-3),
        Limits(nodes=0),
        Limits(nodes=1),
        Limits(movetime_ms=0),
        Limits(white_time_ms=0, black_time_ms=0),
        Limits(white_time_ms=-500, black_time_ms=-500, moves_to_go=0),
        Limits(white_time_ms=50, white_increment_ms=-100, moves_to_go=-5),
        Limits(mate=-3, movetime_ms=20),
        Limits(search_moves=("e9e5", "zzzz"), depth=2),
    ],
)
def test_senseless_limits_still_give_a_move(engine: Engine, limits: Limits) -> None:
    started = time.perf_counter()
    [result] = go(engine, limits).results
    assert result.best_move in engine.legal_moves()
    assert time.perf_counter() - started < 1


def test_a_node_limit_is_exact_and_reproducible(engine: Engine) -> None:
    runs = []
    for _ in range(2):
        engine.new_game()
        answers = go(engine, Limits(nodes=20_000))
        assert answers.infos[-1].nodes == 20_000
        runs.append([(i.depth, i.nodes, i.score, i.pv) for i in answers.infos])
    assert runs[0] == runs[1]


def test_a_clock_in_nodes_is_reproducible(engine: Engine) -> None:
    engine.configure(nodes_per_ms=20)
    games = []
    for _ in range(2):
        engine.new_game()
        moves: list[str] = []
        for _ in range(6):
            engine.set_position(None, moves)
            # What the real clocks say after the first move does not count.
            clock_ms = 5000 if len(moves) < 2 else 10 * time.perf_counter_ns() % 5000
            answers = go(engine, Limits(white_time_ms=clock_ms, black_time_ms=clock_ms))
            moves.append(answers.results[0].best_move or "")
            assert answers.infos[-1].nodes < 5000 * 20
        games.append(moves)
    assert games[0] == games[1]


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


def test_what_is_left_out_of_the_limits_is_told(engine: Engine) -> None:
    answers = go(engine, Limits(depth=1, search_moves=("e2e4", "e2e5", "d2d4")))
    assert Message("searchmoves: ignored 1 illegal") in answers.events
    answers = go(engine, Limits(depth=0))
    assert Message("depth 0: using 1") in answers.events


def test_tunables_take_effect(engine: Engine) -> None:
    engine.new_game()
    before = go(engine, Limits(depth=8)).infos[-1].nodes
    default = tunables()["reduction_divisor"].default
    engine.set_tunable("reduction_divisor", 120)
    engine.new_game()
    assert go(engine, Limits(depth=8)).infos[-1].nodes != before
    engine.set_tunable("reduction_divisor", default)
    engine.new_game()
    assert go(engine, Limits(depth=8)).infos[-1].nodes == before


def test_mates_are_given_in_moves(engine: Engine) -> None:
    engine.set_position("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", ())
    assert go(engine, Limits(depth=4)).infos[-1].score.mate == 1
    engine.set_position("k7/2K5/8/8/8/8/8/1R6 b - - 0 1", ())
    assert go(engine, Limits(depth=6)).infos[-1].score.mate == -1


def test_a_mate_limit_ends_the_search(engine: Engine) -> None:
    engine.set_position("k7/8/2K5/8/8/8/8/1R6 w - - 0 1", ())
    answers = go(engine, Limits(mate=2))
    assert answers.infos[-1].score.mate == 2 and answers.results[0].best_move == "c6c7"


@pytest.mark.parametrize(
    "fen, mate",
    [("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", 0), ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", None)],
)
def test_finished_games_have_no_move(engine: Engine, fen: str, mate: int | None) -> None:
    engine.set_position(fen, ())
    answers = go(engine, Limits(depth=5))
    assert answers.results == [SearchResult(None)]
    [info] = answers.infos
    assert info.depth == 0 and info.score.mate == mate


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


def test_stop_and_ponderhit_when_idle_do_nothing(engine: Engine) -> None:
    engine.stop()
    engine.ponderhit()
    assert go(engine, Limits(depth=1)).results[0].best_move


def test_a_single_legal_move_is_played_at_once(engine: Engine) -> None:
    engine.set_position("7k/6Q1/8/8/8/8/8/K7 b - - 0 1", ())
    started = time.perf_counter()
    answers = go(engine, Limits(white_time_ms=60_000, black_time_ms=60_000))
    assert time.perf_counter() - started < 0.5
    assert answers.results[0].best_move == "h8g7" and answers.infos


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
    monkeypatch.setattr("engine.threads.reports.DETAILS_AFTER_MS", 0)
    answers = go(engine, Limits(movetime_ms=600))
    told = [event for event in answers.events if isinstance(event, CurrentMove)]
    assert told
    assert {event.move for event in told} <= set(engine.legal_moves())
    for depth in {event.depth for event in told}:
        first_moves = [event.move for event in told if event.depth == depth and event.number == 1]
        assert len(set(first_moves)) <= 2  # another one after a fail-high


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


def test_threads_are_clamped_to_what_the_machine_bears(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.machine.THREADS_PER_CORE", 3)
    monkeypatch.setattr("engine.machine.cores", lambda: 1)
    remark = engine.configure(threads=1024)
    assert remark == "1024 are too many for this machine, taken as 3"
    assert engine.settings.threads == 3
    assert go(engine, Limits(depth=4)).infos[-1].depth == 4


def test_restricting_the_root(engine: Engine) -> None:
    answers = go(engine, Limits(depth=5, search_moves=("a2a3", "h2h4")))
    assert answers.results[0].best_move in ("a2a3", "h2h4")


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


def test_the_last_good_position_is_kept(engine: Engine) -> None:
    engine.set_position(None, ["e2e4", "e7e5"])
    good = engine.fen()
    for fen, moves in [("rubbish", []), (None, ["e2e4", "e2e4"]), (None, ["e2e4", "", "x"])]:
        with pytest.raises(PositionError):
            engine.set_position(fen, moves)
        assert engine.fen() == good
    engine.set_position(None, ["e2e4", "e7e5", "g1f3"])  # what is known goes on from there
    assert engine.fen().startswith("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2")


def test_the_game_before_the_position_counts_for_repetitions(engine: Engine) -> None:
    shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"]
    engine.set_position(None, shuffle * 2)
    assert engine.repetitions() == 2
    engine.set_position(None, ())
    assert engine.repetitions() == 0


def test_a_line_ends_where_the_game_does(engine: Engine) -> None:
    engine.set_position("6k1/8/8/8/8/8/8/K6R w - - 97 80", ())
    infos = go(engine, Limits(depth=10)).infos
    assert max(len(info.pv) for info in infos) == 3


def test_the_third_time_is_a_draw_however_far_ahead(engine: Engine) -> None:
    """The move would repeat a position of the game for the second time; without the game before,
    the same move wins."""
    fen, limits = "7k/8/8/8/8/8/8/K2Q4 w - - 0 1", Limits(depth=6, search_moves=("d1d2",))
    engine.set_position(fen, ["d1d2", "h8g8", "d2d1", "g8h8"] * 2)
    assert go(engine, limits).infos[-1].score.centipawns == 0
    engine.new_game()
    engine.set_position(fen, ())
    score = go(engine, limits).infos[-1].score
    assert score.mate or (score.centipawns or 0) > 500


def test_chess960_castling_is_written_as_king_takes_rook(engine: Engine) -> None:
    engine.configure(chess960=True)
    engine.set_position("4k3/8/8/8/8/8/8/4K2R w H - 0 1", ())
    assert "e1h1" in engine.legal_moves() and "e1g1" not in engine.legal_moves()
    engine.configure(chess960=False)
    engine.set_position("4k3/8/8/8/8/8/8/4K2R w K - 0 1", ())
    assert "e1g1" in engine.legal_moves()


def test_castling_that_another_move_could_be_is_king_takes_rook_without_chess960(
    engine: Engine,
) -> None:
    engine.set_position("4k3/8/8/8/8/8/8/6KR w K - 0 1", ())  # the king would stay on g1
    assert "g1h1" in engine.legal_moves() and "g1g1" not in engine.legal_moves()
    engine.set_position("4k3/8/8/8/8/8/8/6KR w K - 0 1", ["g1h1"])
    assert engine.fen().startswith("4k3/8/8/8/8/8/8/5RK1 b")


def test_too_large_a_hash_is_refused_and_the_old_one_kept(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.machine.memory_mb", lambda: 1000)
    with pytest.raises(MemoryError, match="MB of hash"):
        engine.configure(hash_mb=901, multi_pv=2)
    assert engine.settings == Settings(hash_mb=2)
    assert go(engine, Limits(depth=3)).results[0].best_move


def test_settings_out_of_range_or_unknown_change_nothing(engine: Engine) -> None:
    with pytest.raises(ValueError, match="multi_pv must be 1 to 256, not 0"):
        engine.configure(threads=2, multi_pv=0)
    with pytest.raises(TypeError, match="colour"):
        engine.configure(threads=2, colour=3)
    assert engine.settings == Settings(hash_mb=2)


def test_flip_exchanges_the_colours(engine: Engine) -> None:
    engine.set_position("r3k3/8/8/2pP4/8/8/8/4K2R w Kq c6 3 7", ())
    engine.flip()
    assert engine.fen() == "4k2r/8/8/8/2Pp4/8/8/R3K3 b Qk c3 3 7"


def test_perft_by_root_move(engine: Engine) -> None:
    counts = dict(engine.perft(3))
    assert len(counts) == 20 and sum(counts.values()) == 8902
    assert engine.fen() == START
    assert engine.perft(0) == []


def test_the_diagram_shows_the_position(engine: Engine) -> None:
    engine.set_position("4k3/8/8/8/7b/8/8/4K3 w - - 0 1", ())
    text = engine.board_text()
    assert "Fen: 4k3/8/8/8/7b/8/8/4K3 w - - 0 1" in text and "Checkers: h4" in text
