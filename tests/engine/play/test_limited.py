"""Games and searches of limited players, through the engine."""

from __future__ import annotations

import time

import chess
import pytest

from engine.api import Engine
from engine.events import SearchEvent, SearchInfo, SearchResult
from engine.limits import Limits

pytestmark = pytest.mark.jit_only  # real searches

MANY = Limits(nodes=10**9)


@pytest.fixture
def engine() -> Engine:
    return Engine(hash_mb=1)


def search(engine: Engine, limits: Limits) -> tuple[list[SearchInfo], SearchResult]:
    events: list[SearchEvent] = []
    engine.go(limits, events.append)
    engine.wait()
    *infos, result = events
    assert isinstance(result, SearchResult)
    return [event for event in infos if isinstance(event, SearchInfo)], result


def move_of(engine: Engine, board: chess.Board, limits: Limits = MANY) -> chess.Move:
    engine.set_position(board.root().fen(), [move.uci() for move in board.move_stack])
    _, result = search(engine, limits)
    assert result.best_move is not None
    return chess.Move.from_uci(result.best_move)


@pytest.mark.parametrize(
    "fen, most_men",
    [
        ("8/8/8/3k4/8/8/8/R3K3 w - - 0 1", 7),
        ("8/8/8/k7/8/8/8/3QK3 w - - 0 1", 7),
        ("8/8/8/3k4/8/8/8/2B1KB2 w - - 0 1", 7),
        # Also without tablebases:
        ("8/8/8/3k4/8/8/8/R3K3 w - - 0 1", 0),
        ("8/8/8/k7/8/8/8/3QK3 w - - 0 1", 0),
        ("8/8/3k4/8/8/3P4/8/R3K3 w - - 0 1", 0),
    ],
)
def test_level_1000_mates(engine: Engine, fen: str, most_men: int) -> None:
    defender = Engine(hash_mb=1)
    engine.configure(limit_strength=True, elo=1000, tablebase_most_men=most_men)
    board = chess.Board(fen)
    # Not `claim_draw`: that ends the game as soon as the winner could repeat a position.
    while not (board.is_game_over() or board.is_repetition() or board.is_fifty_moves()):
        if board.turn:
            board.push(move_of(engine, board))
        else:
            board.push(move_of(defender, board, Limits(depth=2)))
    assert board.is_checkmate() and not board.turn


def test_a_recapture_of_a_queen_is_always_made(engine: Engine) -> None:
    engine.configure(skill_level=0)
    for _ in range(25):
        board = chess.Board("rnb1kbnr/pppp1ppp/8/4p3/4P1q1/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")
        board.push_uci("g4d1")
        assert move_of(engine, board).uci() == "e1d1"


def test_games_differ(engine: Engine) -> None:
    engine.configure(limit_strength=True, elo=1800)
    games = set()
    for _ in range(4):
        engine.new_game()
        board = chess.Board()
        for _ in range(16):
            board.push(move_of(engine, board))
        games.add(" ".join(move.uci() for move in board.move_stack))
    assert len(games) == 4


@pytest.mark.parametrize(
    "limits",
    [
        Limits(depth=30),
        Limits(nodes=10**9),
        Limits(movetime_ms=5000),
        Limits(depth=1),
        Limits(nodes=1),
        Limits(movetime_ms=1),
        Limits(white_time_ms=50, black_time_ms=50),
    ],
    ids=str,
)
def test_a_level_searches_little_whatever_the_limit(engine: Engine, limits: Limits) -> None:
    engine.configure(limit_strength=True, elo=1000, threads=2)
    infos, result = search(engine, limits)
    assert result.best_move in engine.legal_moves()
    assert all(info.depth <= 4 and info.nodes < 20_000 for info in infos)
    assert infos[-1].pv[0] == result.best_move


def test_analysis_is_not_limited(engine: Engine) -> None:
    engine.configure(skill_level=0)
    infos, _ = search(engine, Limits(depth=8, search_moves=("e2e4", "d2d4")))
    assert infos[-1].depth == 8
    engine.configure(analyse_mode=True)
    infos, _ = search(engine, Limits(depth=8))
    assert infos[-1].depth == 8


def test_lines_of_a_limited_game(engine: Engine) -> None:
    engine.configure(limit_strength=True, elo=1500, multi_pv=3)
    infos, result = search(engine, MANY)
    assert {info.multi_pv for info in infos} == {1, 2, 3}
    last = infos[-3:]
    assert [info.multi_pv for info in last] == [1, 2, 3]
    assert last[0].pv[0] == result.best_move
    assert len({info.pv[0] for info in last}) == 3


def test_full_strength_is_as_before_after_a_limited_move(engine: Engine) -> None:
    def nodes() -> int:
        engine.new_game()
        infos, _ = search(engine, Limits(depth=8))
        return infos[-1].nodes

    before = nodes()
    engine.configure(skill_level=5)
    search(engine, MANY)
    engine.configure(skill_level=20)
    assert nodes() == before


def test_with_a_clock_it_takes_time_but_stops_at_once(engine: Engine) -> None:
    engine.configure(limit_strength=True, elo=1200)
    events: list[SearchEvent] = []
    started = time.monotonic()
    engine.go(Limits(white_time_ms=3_600_000, black_time_ms=3_600_000), events.append)
    time.sleep(0.3)
    assert engine.searching
    engine.stop()
    engine.wait()
    assert time.monotonic() - started < 5
    assert isinstance(events[-1], SearchResult)


def test_a_hit_after_pondering_is_answered(engine: Engine) -> None:
    engine.configure(limit_strength=True, elo=1200)
    events: list[SearchEvent] = []
    engine.go(Limits(white_time_ms=60_000, black_time_ms=60_000, ponder=True), events.append)
    time.sleep(0.2)
    assert engine.searching
    engine.ponderhit()
    engine.wait()
    assert isinstance(events[-1], SearchResult)


def test_mated_and_single_moves(engine: Engine) -> None:
    engine.configure(skill_level=0)
    engine.set_position("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", ())
    _, result = search(engine, MANY)
    assert result.best_move is None
    engine.set_position("k7/8/8/8/8/8/1r6/K7 w - - 0 1", ())
    _, result = search(engine, MANY)
    assert result.best_move == "a1b2"
