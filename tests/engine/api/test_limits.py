"""What ends a search, and what it reports then."""

from __future__ import annotations

import time

import pytest

from engine.api import Engine
from engine.events import Message
from engine.limits import Limits
from tests.engine.api.searching import go

pytestmark = pytest.mark.jit_only  # real searches


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


@pytest.mark.parametrize("men", ["KQvK", "KRvK", "KBBvK"])
def test_won_endings_are_won_with_hardly_any_time(men: str) -> None:
    """By the shipped tablebases, of which a new engine has opened none."""
    engine = Engine(hash_mb=1)
    fen = {
        "KQvK": "8/3k4/8/8/8/8/1K6/7Q w - - 0 1",
        "KRvK": "8/3k4/8/8/8/8/1K6/7R w - - 0 1",
        "KBBvK": "8/3k4/8/8/8/8/1K6/6BB w - - 0 1",
    }[men]
    moves: list[str] = []
    while len(moves) < 50:
        engine.set_position(fen, moves)
        answer = go(engine, Limits(white_time_ms=40, black_time_ms=40)).results[0].best_move
        if answer is None:
            break
        moves.append(answer)
    assert len(moves) % 2 == 1 and len(moves) < 45  # White has mated, at best in 10, 16 and 19


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


def test_what_is_left_out_of_the_limits_is_told(engine: Engine) -> None:
    answers = go(engine, Limits(depth=1, search_moves=("e2e4", "e2e5", "d2d4")))
    assert Message("searchmoves: ignored 1 illegal") in answers.events
