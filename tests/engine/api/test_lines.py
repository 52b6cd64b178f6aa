"""The lines that a search reports, and the replies it expects."""

from __future__ import annotations

import time

import pytest

from engine.api import Engine
from engine.events import CurrentMove, Score, SearchInfo
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


SHUFFLE = ["d1d2", "h8g8", "d2d1", "g8h8"]


@pytest.mark.parametrize(
    "fen, before, move, is_over",
    [
        ("6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1", [], "e1e8", True),  # mate
        ("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", [], "f1f7", True),  # stalemate
        ("7k/8/8/8/8/8/1q6/K7 w - - 0 1", [], "a1b2", True),  # bare kings
        ("7k/8/8/8/8/8/1q6/K4B2 w - - 0 1", [], "a1b2", True),  # a bishop is not enough
        ("7k/8/8/8/8/8/8/K2Q4 w - - 99 90", [], "d1d2", True),  # fifty moves
        ("7k/8/8/8/8/8/8/K2Q4 w - - 98 90", [], "d1d2", False),
        ("7k/8/8/8/8/8/8/K2Q4 w - - 0 1", SHUFFLE * 2, "d1d2", True),  # the third time
        ("7k/8/8/8/8/8/8/K2Q4 w - - 0 1", SHUFFLE, "d1d2", False),
    ],
)
@pytest.mark.parametrize("nodes", [1, 3000])
def test_no_reply_is_expected_when_the_game_is_over(
    engine: Engine, fen: str, before: list[str], move: str, is_over: bool, nodes: int
) -> None:
    engine.set_position(fen, before)
    [result] = go(engine, Limits(nodes=nodes, search_moves=(move,))).results
    engine.set_position(fen, [*before, move])
    assert result.best_move == move
    assert result.ponder is None if is_over else result.ponder in engine.legal_moves()
    assert (engine.ending(claimed=True) is not None) == is_over


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


@pytest.mark.parametrize("threads, most_men", [(1, 4), (2, 0)])
@pytest.mark.parametrize("search_moves", [0, 3], ids=["all", "some"])
@pytest.mark.parametrize(
    "fen",
    [
        "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4",
        "r2k1qn1/5p2/3pp2b/pNB3pP/P3N3/1P1PP3/2P1nPb1/1R2KB1R w K - 4 21",
        "rn3k2/p2p3Q/qpp2B2/4P3/2P5/4PP1N/PP1N1KPP/R4B1R b - - 0 22",
        "8/3k3q/1Q6/1pK5/8/8/8/4Rq2 b - - 90 1",
        "2r5/1Q6/3B4/1K6/8/8/r4k2/8 w - - 0 1",
        "8/8/7k/8/6Q1/8/8/6K1 w - - 10 1",
    ],
)
def test_the_lines_of_a_stopped_search_are_sorted(
    engine: Engine, fen: str, search_moves: int, threads: int, most_men: int
) -> None:
    engine.set_position(fen, ())
    chosen = tuple(engine.legal_moves()[:search_moves]) if search_moves else ()
    for nodes in (30, 100, 300, 1000, 5000):
        for lines in (2, 3, 5):
            engine.configure(multi_pv=lines, threads=threads, tablebase_most_men=most_men)
            engine.new_game()
            answers = go(engine, Limits(nodes=nodes, search_moves=chosen))
            last = last_block(answers.infos)
            assert [info.multi_pv for info in last] == list(range(1, len(last) + 1))
            assert len({info.pv[0] for info in last}) == len(last)
            values = [value_of(info.score) for info in last]
            assert values == sorted(values, reverse=True), (nodes, last)
            assert answers.results[0].best_move == last[0].pv[0]


@pytest.mark.parametrize(
    "fen, moves, limits",
    [
        # By DTZ the first line, by a mate of the search the fourth
        (
            "8/7k/3K4/3Q4/8/8/8/8 b - - 0 60",
            "h7h8 d6c6 h8h7 c6d6 h7h8 d6c6 h8h7",
            Limits(nodes=60_000),
        ),
        # The proof of `go mate` replaces lines of the search
        ("8/3K4/8/k7/8/1R2N3/8/6R1 b - - 80 60", "", Limits(mate=3, nodes=60_000)),
        ("8/1K6/8/7R/8/8/7R/4k3 b - - 85 60", "", Limits(mate=2, nodes=60_000)),
    ],
)
def test_mates_come_before_other_wins(engine: Engine, fen: str, moves: str, limits: Limits) -> None:
    engine.configure(multi_pv=5)
    engine.set_position(fen, moves.split())
    last = last_block(go(engine, limits).infos)
    values = [value_of(info.score) for info in last]
    assert values == sorted(values, reverse=True)


def last_block(infos: list[SearchInfo]) -> list[SearchInfo]:
    start = max(index for index, info in enumerate(infos) if info.multi_pv == 1)
    return infos[start:]


def value_of(score: Score) -> int:
    """A number that is higher for a better score."""
    if score.mate is None:
        return score.centipawns or 0
    return (100_000 if score.mate > 0 else -100_000) - score.mate


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
