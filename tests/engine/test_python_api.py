"""The engine as Python programs use it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

import chess
import chess.engine
import chess.variant
import numpy as np
import pytest

from engine.answers import Answer
from engine.api import Engine, PositionError
from engine.eval.network.loading import SHIPPED_PATH
from engine.events import SearchInfo, SearchResult
from engine.limits import Limits
from engine.settings import Settings
from openings import SHIPPED_BOOK_PATH
from tablebases.folders import BUILT_IN

pytestmark = pytest.mark.jit_only  # real searches

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine(hash_mb=2) as engine:
        yield engine


class TestPositions:
    def test_from_fen_and_moves(self, engine: Engine) -> None:
        engine.set_position(chess.STARTING_FEN, ["e2e4", chess.Move.from_uci("e7e5")])
        assert engine.fen().startswith("rnbqkbnr/pppp1ppp/8/4p3/4P3/8")
        engine.set_position("startpos")
        assert engine.fen() == chess.STARTING_FEN

    def test_from_a_board_with_its_game(self, engine: Engine) -> None:
        board = chess.Board()
        for move in ("g1f3", "g8f6", "f3g1", "f6g8"):
            board.push_uci(move)
        engine.set_position(board)
        assert engine.repetitions() == 1
        assert engine.board() == board and engine.board().move_stack == board.move_stack

    def test_a_board_of_chess960_changes_the_notation_of_castling(self, engine: Engine) -> None:
        board = chess.Board("4k3/8/8/8/8/8/8/R2K2R1 w G - 0 1", chess960=True)
        engine.set_position(board)
        assert engine.options.chess960 and "d1g1" in engine.legal_moves()
        assert engine.board() == board
        engine.set_position(chess.Board("4k3/8/8/8/8/8/8/4K2R w K - 0 1"))
        assert "e1g1" in engine.legal_moves()

    def test_bad_ones_are_refused_with_the_reason_and_change_nothing(self, engine: Engine) -> None:
        engine.set_position(None, ["e2e4"])
        good = engine.fen()
        with pytest.raises(PositionError, match="chess and Chess960, not atomic"):
            engine.set_position(chess.variant.AtomicBoard())
        with pytest.raises(PositionError, match="king"):
            engine.set_position(chess.Board(None))
        with pytest.raises(PositionError, match="not a legal move"):
            engine.set_position(None, ["e2e5"])
        with pytest.raises(PositionError, match="king"):
            engine.set_position(chess.Board(None, chess960=True))
        assert engine.fen() == good and not engine.options.chess960


class TestWrongTypes:
    """They are refused where they are passed, named, and change nothing."""

    @pytest.mark.parametrize(
        "call, message",
        [
            (lambda engine: engine.go(Limits(depth=1), 5), "on_event must be a function, not int"),
            (lambda engine: engine.go(5, print), "limits must be Limits or chess.engine.Limit"),
            (lambda engine: engine.go(Limits(depth=1), print, "now"), "began must be int or float"),
            (lambda engine: Limits.of(Limits()), "limits must be Limits or chess.engine.Limit"),
            (lambda engine: engine.infos(Limits(depth=1)).answer("5"), "timeout_s must be int or"),
            (lambda engine: engine.set_position(None, "e2e4"), "must be a list of moves, not str"),
            (lambda engine: engine.set_position(None, b"e2e4"), "list of moves, not bytes"),
            (lambda engine: engine.set_position(None, None), "must be a list .* not NoneType"),
            (lambda engine: engine.set_position(chess.Board(), chess.Move.null()),
             "moves must be a list of moves, not chess.Move"),
            (lambda engine: engine.set_position(7), "a FEN or a chess.Board, not int"),
            (lambda engine: engine.set_position(chess.Board), "a FEN or a chess.Board, not type"),
            (lambda engine: engine.set_position(chess.BaseBoard()), "not chess.BaseBoard"),
            (lambda engine: engine.perft("3"), "depth must be int, not str"),
            (lambda engine: engine.perft(2.5), "depth must be int, not float"),
            (lambda engine: engine.perft(True), "depth must be int, not bool"),
            (lambda engine: engine.set_evaluation(None), "evaluation must be str, not NoneType"),
            (lambda engine: engine.set_tablebases(5), "expected str, bytes or os.PathLike"),
            (lambda engine: engine.configure(ponder=np.int8(1)), "must be bool, not numpy.int8"),
            (lambda engine: engine.configure(threads=np.float64(1)), "be int, not numpy.float64"),
        ],
    )  # fmt: skip
    def test_where_they_are_passed(
        self, engine: Engine, call: Callable[[Any], object], message: str
    ) -> None:
        engine.set_position(None, ["e2e4"])
        before = engine.fen(), engine.settings
        with pytest.raises(TypeError, match=message):
            call(engine)
        assert (engine.fen(), engine.settings) == before
        assert engine.analyse(Limits(depth=1)).best_move

    @pytest.mark.parametrize("depth", [-1, 0, 201, 10**30])
    def test_plies_of_perft_have_a_range(self, engine: Engine, depth: int) -> None:
        with pytest.raises(ValueError, match=f"depth must be 1 to 200, not {depth}"):
            engine.perft(depth)

    def test_numbers_of_numpy_are_numbers(self, engine: Engine) -> None:
        limits = Limits(depth=np.int64(3), nodes=np.uint32(500))
        assert limits == Limits(depth=3, nodes=500) and type(limits.depth) is int
        short = chess.engine.Limit(time=np.float32(0.5), white_clock=np.int16(3))
        assert Limits.of(short) == Limits(movetime_ms=500, white_time_ms=3000)
        engine.configure(multi_pv=np.int8(2))
        assert len(engine.analyse(limits).lines) == 2
        assert sum(leaves for _, leaves in engine.perft(np.int64(2))) == 400
        engine.set_tunable("razoring_margin", np.int64(150))
        assert engine.infos(limits).answer(np.float32(60)).best_move
        for wrong in ({"depth": np.int64(-1)}, {"nodes": np.int64(0)}):
            with pytest.raises(ValueError, match="must be 1 to"):
                Limits(**wrong)

    def test_any_iterable_of_moves_is_a_list(self, engine: Engine) -> None:
        board = chess.Board()
        engine.set_position(None, (text for text in ("e2e4", "e7e5")))
        assert engine.fen().startswith("rnbqkbnr/pppp1ppp/8/4p3/4P3/8")
        engine.set_position(board)
        only = [move for move in board.legal_moves if move.from_square == chess.B1]
        limits = Limits(depth=1, search_moves=iter(only))
        assert engine.analyse(limits).move in only
        assert engine.analyse(Limits(depth=1, search_moves=board.legal_moves)).best_move
        with pytest.raises(ValueError, match="'' in search_moves is not a move"):
            Limits(depth=1, search_moves=[""])


class TestSearching:
    def test_analyse(self, engine: Engine) -> None:
        engine.set_position(MATE_IN_ONE)
        answer = engine.analyse(Limits(depth=3, search_moves=("a1a8", "A1B1")))
        assert answer.best_move == "a1a8" and answer.pv == ("a1a8",)
        assert answer.score is not None and answer.score.mate == 1 and answer.depth == 3
        assert answer.messages == ()

    def test_illegal_search_moves_are_named(self, engine: Engine) -> None:
        limits = Limits(depth=3, search_moves=("e2e4", "e2e5"))
        for search in (engine.analyse, engine.play, engine.infos):
            with pytest.raises(ValueError, match="'e2e5' in search_moves is not legal in rnbq"):
                search(limits)
        assert not engine.searching

    @pytest.mark.parametrize("side", [chess.WHITE, chess.BLACK])
    def test_moves_and_scores_of_python_chess(self, engine: Engine, side: chess.Color) -> None:
        board = chess.Board(MATE_IN_ONE)
        engine.set_position(board if side == chess.WHITE else board.mirror())
        answer = engine.analyse(Limits(depth=3))
        assert answer.move in engine.board().legal_moves and answer.moves == [answer.move]
        assert answer.score is not None and answer.score.pov(side) == chess.engine.Mate(1)
        assert answer.score.white() == -answer.score.black()
        assert answer.score.white() == chess.engine.Mate(1 if side == chess.WHITE else -1)
        assert answer.lines[0].bound == "exact"

    def test_a_mated_sides_score(self, engine: Engine) -> None:
        engine.set_position("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1")
        answer = engine.analyse(Limits(depth=2))
        assert answer.move is None and answer.moves == [] and answer.score is not None
        assert (answer.score.black(), answer.score.white()) == (
            chess.engine.Mate(0), chess.engine.MateGiven,
        )  # fmt: skip

    def test_what_fails_in_another_thread_is_raised_and_ends_the_search(
        self, engine: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as patch:
            patch.setattr("engine.play.search.Reports.current_move", lambda self: 1 // 0)
            with pytest.raises(ZeroDivisionError):
                engine.infos().answer(timeout_s=60)
        engine.options.threads = 2
        helped = "engine.play.search.Search._help"
        with monkeypatch.context() as patch:
            patch.setattr(helped, lambda self, *_: self._fail(MemoryError("no room")))
            with pytest.raises(MemoryError, match="no room"):
                engine.infos().answer(timeout_s=60)
        assert engine.analyse(Limits(nodes=100)).best_move

    def test_a_callback_that_fails_gets_its_own_error(self, engine: Engine) -> None:
        seen: list[object] = []

        def listen(event: object) -> None:
            seen.append(event)
            if isinstance(event, SearchInfo):
                raise KeyError("mine")

        engine.go(Limits(depth=5), listen)
        engine.wait()
        assert isinstance(seen[-1], SearchResult) and isinstance(seen[-1].error, KeyError)
        assert engine.analyse(Limits(depth=2)).depth == 2

    @pytest.mark.parametrize("limits", [5, "depth 5", None])
    def test_what_are_no_limits(self, engine: Engine, limits: Any) -> None:
        with pytest.raises(TypeError, match=r"must be Limits or chess\.engine\.Limit, not"):
            engine.analyse(limits)

    def test_mate_against_the_side_to_move(self, engine: Engine) -> None:
        """`go mate` tells it, with the whole line, if it comes as soon."""
        engine.options.tablebase_most_men = 0
        for fen, moves in (("6k1/8/6K1/8/8/8/8/R7 b - - 0 1", 2), ("k7/8/1K6/8/8/8/8/7R b - -", 1)):
            engine.set_position(fen)
            answer = engine.analyse(Limits(mate=2))
            board = engine.board()
            for move in answer.moves:
                assert move in board.legal_moves
                board.push(move)
            assert answer.score is not None and answer.score.mate == -moves
            assert board.is_checkmate() and len(answer.moves) == 2 * moves
            assert answer.messages == ()
        engine.set_position("7k/8/5K2/8/8/8/8/R7 b - - 0 1")  # mated in two
        assert engine.analyse(Limits(mate=1)).messages == ("there is no mate in 1",)

    def test_what_fails_in_a_search_is_raised_and_the_next_one_works(
        self, engine: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as patch:
            patch.setattr("engine.play.search.elect", lambda lines: 1 // 0)
            with pytest.raises(ZeroDivisionError):
                engine.analyse(Limits(nodes=100))
        assert engine.analyse(Limits(nodes=100)).best_move

    def test_stop_of_an_old_search_leaves_the_next_one_alone(self, engine: Engine) -> None:
        old = engine.infos(Limits(depth=1))
        old.answer()
        infos = engine.infos(Limits(depth=10))
        next(infos)
        old.stop()
        assert infos.answer().depth == 10

    def test_limits_of_python_chess(self, engine: Engine) -> None:
        assert engine.analyse(chess.engine.Limit(depth=3)).depth == 3

    @pytest.mark.parametrize("castling", ["e1g1", "e1h1"])
    def test_search_moves_know_both_notations_of_castling(
        self, engine: Engine, castling: str
    ) -> None:
        engine.set_position("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
        answer = engine.analyse(Limits(depth=2, search_moves=(castling,)))
        assert (answer.best_move, answer.messages) == ("e1g1", ())

    def test_pondering_without_a_limit_never_ends_by_itself(self, engine: Engine) -> None:
        engine.go(Limits(ponder=True), lambda event: None)
        engine.ponderhit()
        with pytest.raises(RuntimeError, match="call stop"):
            engine.wait()
        engine.stop()
        engine.wait()
        engine.go(Limits(ponder=True, depth=1), lambda event: None)
        engine.ponderhit()
        engine.wait()

    def test_a_search_is_not_awaited_where_it_reports(self, engine: Engine) -> None:
        """It would wait for itself."""
        refused = []

        def listen(event: object) -> None:
            for call in (engine.wait, engine.set_position, lambda: engine.play(Limits(depth=1))):
                with pytest.raises(RuntimeError, match="cannot be awaited where it reports"):
                    call()
            engine.stop()
            refused.append(event)

        for limits in (Limits(depth=30), Limits(white_time_ms=1, black_time_ms=1)):
            engine.go(limits, listen)
            engine.wait()
            assert isinstance(refused[-1], SearchResult)
        assert engine.analyse(Limits(depth=1)).best_move

    def test_only_constants_within_their_ranges_are_set(self, engine: Engine) -> None:
        for name, value in (("no_such_constant", 5), ("razoring_margin", -5)):
            with pytest.raises(ValueError, match=name):
                engine.set_tunable(name, value)
        with pytest.raises(TypeError, match="razoring_margin must be int, not float"):
            engine.set_tunable("razoring_margin", 300.5)  # type: ignore[arg-type]

    def test_analyse_gives_the_last_of_each_line(self, engine: Engine) -> None:
        engine.options.multi_pv = 3
        lines = engine.analyse(Limits(depth=4)).lines
        assert [(line.multi_pv, line.depth) for line in lines] == [(1, 4), (2, 4), (3, 4)]

    @pytest.mark.parametrize("limits", [Limits(), Limits(infinite=True, depth=3)])
    def test_what_would_never_end_is_refused(self, engine: Engine, limits: Limits) -> None:
        for search in (engine.analyse, engine.play):
            with pytest.raises(ValueError, match=r"would never end.*infos\(\)"):
                search(limits)

    def test_only_games_are_played_from_the_book(self, engine: Engine) -> None:
        engine.options.own_book = True
        assert engine.play(Limits(depth=2)).lines == ()
        answer = engine.analyse(Limits(depth=2))
        assert answer.depth == 2 and not engine.options.analyse_mode

    def test_a_finished_game_has_no_move(self, engine: Engine) -> None:
        engine.set_position("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1")
        answer = engine.play(Limits(depth=2))
        assert answer.best_move is None and answer.score is not None and answer.score.mate == 0

    def test_infos_come_while_the_search_runs(self, engine: Engine) -> None:
        with engine.infos() as infos:
            first = next(infos)
            assert isinstance(first, SearchInfo) and not infos.done
            with pytest.raises(TimeoutError, match="not ended within"):
                infos.answer(timeout_s=0.01)
        answer = infos.answer()
        assert infos.done and answer.best_move in engine.legal_moves()
        assert list(infos)[-1].depth == answer.depth

    def test_a_search_that_never_ends_is_not_waited_for(self, engine: Engine) -> None:
        infos = engine.infos()
        for wait in (lambda: engine.analyse(Limits(depth=1)), engine.set_position, engine.wait):
            with pytest.raises(RuntimeError, match=r"call stop\(\) first"):
                wait()
        engine.stop()
        assert engine.analyse(Limits(depth=1)).best_move and infos.done

    def test_other_threads_run_during_a_search(self, engine: Engine) -> None:
        counted = 0

        def count() -> None:
            nonlocal counted
            while not infos.done:
                time.sleep(0.001)
                counted += 1

        infos = engine.infos(Limits(movetime_ms=300))
        thread = threading.Thread(target=count)
        thread.start()
        infos.answer()
        thread.join()
        assert counted > 10  # none, if the search kept them from running

    def test_await_lets_the_event_loop_go_on(self, engine: Engine) -> None:
        async def both() -> tuple[Answer, int, list[int]]:
            ticks = 0
            search = asyncio.ensure_future(asyncio.wait_for(engine.infos(Limits(depth=14)), 60))
            while not search.done():
                await asyncio.sleep(0.001)
                ticks += 1
            depths = [info.depth async for info in engine.infos(Limits(depth=3))]
            return await search, ticks, depths

        answer, ticks, depths = asyncio.run(both())
        assert answer.depth == 14 and ticks > 3 and depths == [1, 2, 3]

    def test_a_cancelled_await_stops_the_search(self, engine: Engine) -> None:
        async def give_up() -> None:
            await asyncio.wait_for(engine.infos(), 0.05)

        with pytest.raises(TimeoutError if hasattr(asyncio, "timeout") else asyncio.TimeoutError):
            asyncio.run(give_up())
        engine.wait()  # would raise if it still ran


class TestOptions:
    def test_every_setting_is_one(self, engine: Engine) -> None:
        assert {setting.name for setting in fields(Settings)} <= set(dir(engine.options))

    def test_are_read_and_assigned(self, engine: Engine) -> None:
        engine.options.threads = 2
        engine.options.show_wdl = True
        assert (engine.settings.threads, engine.options.show_wdl) == (2, True)
        assert engine.analyse(Limits(depth=2)).lines[0].win_draw_loss is not None
        engine.options.evaluation = "classical"
        assert engine.options.evaluation == "classical"

    def test_bad_values_are_refused_with_the_reason(self, engine: Engine) -> None:
        with pytest.raises(ValueError, match="multi_pv must be 1 to 256, not 0"):
            engine.options.multi_pv = 0
        with pytest.raises(TypeError, match="threads must be int, not str"):
            engine.options.threads = "2"  # type: ignore[assignment]
        with pytest.raises(TypeError, match="ponder must be bool, not int"):
            engine.configure(ponder=1)
        with pytest.raises(ValueError, match="evaluation must be network or classical, not 'best'"):
            engine.options.evaluation = "best"
        with pytest.raises(TypeError, match="hashmb"):
            Engine(hashmb=3)
        with pytest.raises(AttributeError, match="hashmb"):
            engine.options.hashmb = 3
        assert engine.settings == Settings(hash_mb=2)

    def test_what_the_machine_does_not_bear_is_refused(
        self, engine: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("engine.machine.THREADS_PER_CORE", 3)
        monkeypatch.setattr("engine.machine.cores", lambda: 1)
        with pytest.raises(MemoryError, match="which bears 3"):
            engine.options.threads = 1000
        with pytest.raises(MemoryError, match="which bears 3"):
            Engine(threads=4)
        monkeypatch.setattr("engine.machine.memory_mb", lambda: 1000)
        with pytest.raises(MemoryError, match="do not fit"):
            Engine(hash_mb=2000)
        assert engine.settings == Settings(hash_mb=2)

    def test_a_book_that_cannot_be_read(self, engine: Engine) -> None:
        engine.options.book_file = "no such book.bin"
        with pytest.raises(ValueError, match=r"no such book\.bin"):
            engine.options.own_book = True
        assert not engine.options.own_book
        engine.options.book_file = ""
        engine.options.own_book = True
        assert engine.options.book_file == "wadjet.bin"

    def test_paths_may_be_paths(self, engine: Engine) -> None:
        engine.options.book_file = SHIPPED_BOOK_PATH
        engine.options.own_book = True
        assert engine.options.book_file == str(SHIPPED_BOOK_PATH)
        assert "tables, up to 4 men" in engine.set_tablebases(BUILT_IN)[0]
        assert engine.set_network(SHIPPED_PATH) == f"{SHIPPED_PATH.name} loaded"
        for number in (engine.set_tablebases, engine.set_network):
            with pytest.raises(TypeError, match="int"):
                number(5)  # type: ignore[arg-type]


def test_a_closed_engine_searches_no_more() -> None:
    with Engine(hash_mb=2) as engine:
        infos = engine.infos()
    assert infos.done
    with pytest.raises(RuntimeError, match="closed"):
        engine.play(Limits(depth=1))
