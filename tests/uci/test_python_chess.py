"""The engine as python-chess, and so lichess-bot, drives it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator

import chess
import chess.engine
import pytest

from tests.uci.gui import PATIENCE_S, ROOT

pytestmark = pytest.mark.jit_only


@pytest.fixture(scope="module")
def engine() -> Iterator[chess.engine.SimpleEngine]:
    with chess.engine.SimpleEngine.popen_uci([sys.executable, "-m", "uci"], cwd=ROOT) as engine:
        yield engine


@pytest.fixture(autouse=True)
def watchdog(engine: chess.engine.SimpleEngine) -> Iterator[None]:
    """python-chess waits for ever for a move on the clock: make a lost bestmove an error."""
    timer = threading.Timer(PATIENCE_S, engine.close)
    timer.start()
    yield
    timer.cancel()


def test_identity_and_options(engine: chess.engine.SimpleEngine) -> None:
    assert engine.id["name"].startswith("Wadjet ")
    assert engine.id["author"] == "the Wadjet developers"
    for name in ("Hash", "Threads", "Move Overhead", "Ponder", "MultiPV", "UCI_Chess960"):
        assert name in engine.options
    engine.configure({"Hash": 8, "Threads": 1, "Move Overhead": 10, "Clear Hash": None})
    engine.ping()


@pytest.mark.parametrize(
    "limit",
    [
        chess.engine.Limit(depth=4),
        chess.engine.Limit(nodes=2000),
        chess.engine.Limit(time=0.02),
        chess.engine.Limit(white_clock=0.3, black_clock=0.3, white_inc=0.01, black_inc=0.01),
        chess.engine.Limit(white_clock=0.001, black_clock=0.001),
    ],
    ids=str,
)
def test_games(engine: chess.engine.SimpleEngine, limit: chess.engine.Limit) -> None:
    board = chess.Board()
    game = object()
    while not board.is_game_over() and len(board.move_stack) < 40:
        result = engine.play(board, limit, game=game, info=chess.engine.INFO_ALL)
        assert result.move in board.legal_moves
        board.push(result.move)
    assert len(board.move_stack) == 40 or board.is_game_over()


def test_a_pondered_game(engine: chess.engine.SimpleEngine) -> None:
    board = chess.Board()
    limit = chess.engine.Limit(white_clock=0.5, black_clock=0.5)
    for _ in range(6):
        result = engine.play(board, limit, ponder=True)
        assert result.move is not None
        board.push(result.move)
        reply = result.ponder if result.ponder in board.legal_moves else None
        board.push(reply or next(iter(board.legal_moves)))


def test_analysis_with_several_lines_and_endless(engine: chess.engine.SimpleEngine) -> None:
    lines = engine.analyse(chess.Board(), chess.engine.Limit(depth=4), multipv=3)
    assert [line["multipv"] for line in lines] == [1, 2, 3]
    assert all(line["pv"][0] in chess.Board().legal_moves for line in lines)
    with engine.analysis(chess.Board()) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 5:
                break
    assert analysis.info["score"].relative.score() is not None


def test_root_moves_and_finished_games(engine: chess.engine.SimpleEngine) -> None:
    wanted = [chess.Move.from_uci("a2a3"), chess.Move.from_uci("h2h3")]
    result = engine.play(chess.Board(), chess.engine.Limit(depth=3), root_moves=wanted)
    assert result.move in wanted
    mated = chess.Board("7k/5QQ1/8/8/8/8/8/K7 b - - 0 1")
    assert engine.play(mated, chess.engine.Limit(depth=3)).move is None


@pytest.mark.parametrize("number", [0, 518, 700, 959])
def test_chess960(engine: chess.engine.SimpleEngine, number: int) -> None:
    board = chess.Board.from_chess960_pos(number)
    board.chess960 = True
    for _ in range(20):
        if board.is_game_over():
            break  # with so few nodes someone may be mated
        result = engine.play(board, chess.engine.Limit(nodes=500), game=number)
        assert result.move in board.legal_moves
        board.push(result.move)
