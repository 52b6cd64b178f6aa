"""The loop and the session with a stand-in engine: every situation a GUI can make.

What is tested here is order, and that nothing is lost, doubled or waited for. The same
situations with the real engine are in test_transcripts.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.events import Score, SearchEvent, SearchInfo, SearchResult
from engine.limits import Limits
from tests.uci.fake_engine import BAD_FEN, ILLEGAL, FakeEngine
from tests.uci.gui import InProcess
from uci import session

A_MOMENT = 0.05  # long enough for a wrong answer to come


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine()


@pytest.fixture
def gui(engine: FakeEngine) -> Iterator[InProcess]:
    gui = InProcess(engine)
    yield gui
    engine.may_end.set()
    gui.close()


class TestGreeting:
    def test_uci_is_answered_while_the_engine_is_loading(self, engine: FakeEngine) -> None:
        loading = threading.Event()
        gui = InProcess(engine, loading.wait)
        gui.send("uci", "isready")
        gui.expect("uciok")
        assert gui.silent_for(A_MOMENT)
        gui.send("uci")
        gui.expect("uciok")
        loading.set()
        gui.expect("readyok")
        gui.close()

    def test_nothing_comes_before_uciok(self, gui: InProcess) -> None:
        gui.send("xboard", "protover 2", "", "uci")
        gui.expect("uciok")
        assert gui.heard[0].startswith("id name")

    def test_commands_sent_while_loading_are_done_in_order(self, engine: FakeEngine) -> None:
        loading = threading.Event()
        gui = InProcess(engine, loading.wait)
        gui.send("setoption name Hash value 5", "position startpos moves e2e4", "go infinite")
        gui.send("stop", "isready")
        loading.set()
        gui.expect("bestmove b1b1")
        gui.close()
        assert engine.calls[:4] == [
            "configure hash_mb=5", "set_position None e2e4", "go", "stop",
        ]  # fmt: skip


class TestSearch:
    def test_limits_and_position_arrive(self, gui: InProcess, engine: FakeEngine) -> None:
        gui.send("position startpos moves e2e4 e7e5", "go wtime 5 btime 6 searchmoves g1f3")
        gui.expect("bestmove c1b1")
        assert engine.limits == [Limits(white_time_ms=5, black_time_ms=6, search_moves=("g1f3",))]
        assert engine.position == (None, ("e2e4", "e7e5"))

    def test_what_a_script_asked_before_takes_no_time_of_a_search(
        self, gui: InProcess, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def count(depth: int) -> list[tuple[str, int]]:
            time.sleep(A_MOMENT)
            return []

        monkeypatch.setattr(engine, "perft", count)
        sent = time.perf_counter()
        gui.send("perft 9", "go movetime 1")
        gui.expect("bestmove")
        assert engine.began > sent + A_MOMENT

    def test_stop_and_ponderhit_while_idle(self, gui: InProcess) -> None:
        assert gui.answer("stop", "ponderhit", "stop") == []

    @pytest.mark.parametrize("command", ["position startpos moves e2e4", "ucinewgame", "eval"])
    def test_what_changes_the_position_ends_the_search_first(
        self, gui: InProcess, engine: FakeEngine, command: str
    ) -> None:
        gui.send("go infinite")
        said = gui.answer(command)
        assert said[3] == "bestmove a1b1 ponder c7c5"
        assert engine.calls[1] == "stop"
        assert len(engine.calls) == 3


class TestThreads:
    def test_a_move_is_asked_and_searched_in_the_thread_that_reads(
        self, gui: InProcess, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """On a crowded machine, each change of thread may cost a round of the scheduler."""
        gui.answer()  # the engine is loaded
        callers: set[threading.Thread] = set()

        def note(call: str) -> None:
            callers.add(threading.current_thread())

        monkeypatch.setattr(engine, "_note", note)
        gui.answer("position startpos moves e2e4", "go depth 1")
        gui.expect("bestmove b1b1")
        gui.answer("go infinite", "stop")
        gui.expect("bestmove")
        assert callers == {gui.reader}

    def test_behind_what_takes_long_everything_waits_its_turn(
        self, gui: InProcess, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        gui.answer()
        finished, forget = threading.Event(), engine.new_game
        monkeypatch.setattr(engine, "new_game", lambda: (finished.wait(), forget()))
        gui.send("ucinewgame", "position startpos moves e2e4", "go depth 1", "isready")
        assert gui.silent_for(A_MOMENT) and not engine.calls
        finished.set()
        gui.expect("readyok")
        gui.expect("bestmove b1b1")
        assert engine.calls == ["new_game", "set_position None e2e4", "go"]

    def test_a_search_that_is_over_at_once_is_written_at_once(
        self, gui: InProcess, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Each flush wakes the GUI, which may take the processor from us."""
        gui.answer()
        line = SearchInfo(1, 1, 1, Score(1), "exact", 1, 1, 0, 0, 1, ("e2e4",), None)

        def go(limits: Limits, on_event: Callable[[SearchEvent], None], began: float) -> None:
            for event in (line, line, SearchResult("e2e4")):
                on_event(event)

        heard_at_flush: list[int] = []
        monkeypatch.setattr(engine, "go", go)
        monkeypatch.setattr(gui, "flush", lambda: heard_at_flush.append(gui._incoming.qsize()))
        gui.send("go wtime 10")
        gui.expect("bestmove e2e4")
        gui.close()
        assert heard_at_flush == [3]


@pytest.mark.parametrize("position", ["", "fen", "startpos e2e4", f"fen {BAD_FEN}",
                                      f"startpos moves e2e4 {ILLEGAL} e7e5"])  # fmt: skip
class TestNoPosition:
    """A move of the position before would be illegal."""

    @pytest.fixture(autouse=True)
    def refused(self, gui: InProcess, engine: FakeEngine, position: str) -> None:
        gui.answer("position startpos moves d2d4")
        (told,) = gui.answer(f"position {position}")
        assert told.startswith("info string no position: ")
        engine.calls.clear()

    def test_no_search_until_a_good_one_comes(self, gui: InProcess, engine: FakeEngine) -> None:
        for again in ("debug on", "ucinewgame", "setoption name UCI_Chess960 value true"):
            gui.answer(again)
            for go in ("go depth 3", "go wtime 9 btime 9", "go mate 2", "go"):
                reason, best = gui.answer(go, *["stop"] * (go == "go"))
                assert reason.startswith("info string no position: ")
                assert best == "bestmove (none)"
        assert "go" not in engine.calls
        gui.answer("position startpos moves e2e4")
        gui.send("go depth 1")
        assert gui.expect("bestmove") == "bestmove b1b1 ponder c7c5"

    @pytest.mark.parametrize(
        ("go", "early", "end"),
        [
            ("go infinite", ["ponderhit"], "stop"),
            ("go ponder wtime 9 btime 9", [], "ponderhit"),
            ("go ponder", [], "stop"),
            ("go infinite", [], "ucinewgame"),
            ("go infinite", [], "go depth 1"),
        ],
    )
    def test_bestmove_waits_for_the_end_of_an_endless_search(
        self, gui: InProcess, go: str, early: list[str], end: str
    ) -> None:
        (reason,) = gui.answer(go, *early)
        assert reason.startswith("info string no position: ")
        assert gui.answer(end)[0] == "bestmove (none)"
        assert not gui.answer("stop")

    def test_bestmove_comes_before_the_end_of_the_input(self, gui: InProcess) -> None:
        gui.send("go infinite")
        gui.close()
        assert gui.rest()[-1] == "bestmove (none)"


class TestOptions:
    def test_are_set_before_readyok(self, gui: InProcess, engine: FakeEngine) -> None:
        assert gui.answer("setoption name mUlTiPv  value 3", "setoption name Hash value 64") == []
        assert (engine.settings.multi_pv, engine.settings.hash_mb) == (3, 64)

    @pytest.mark.parametrize(
        ("command", "told"),
        [
            ("setoption name Contempt value 5", "no option 'Contempt'"),
            ("setoption name Hash value 0", "option Hash must be 1 to 131072, using 1"),
            ("setoption name Hash value x", "option Hash unchanged: must be a whole number"),
            ("setoption name Hash", "option Hash unchanged: must be a whole number, not ''"),
            ("setoption name Ponder value 7", "option Ponder unchanged: must be true or false"),
            ("setoption name Hash value 131072", "option Hash unchanged: not that much memory"),
            ("setoption Hash 5", "setoption needs a name"),
            ("setoption name OwnBook value true", "option OwnBook: 7 moves"),
            ("setoption name Book File value no book.bin", "option Book File: no book"),
        ],
    )
    def test_what_is_wrong_is_told(self, gui: InProcess, command: str, told: str) -> None:
        (line,) = gui.answer(command)
        assert line.startswith(f"info string {told}")

    def test_during_a_search_some_are_set_and_some_wait(
        self, gui: InProcess, engine: FakeEngine
    ) -> None:
        gui.send("go infinite")
        gui.expect("info depth 1 seldepth")
        said = gui.answer(
            "setoption name Move Overhead value 99",
            "setoption name Hash value 8",
            "setoption name Clear Hash",
            "setoption name Hash value 9",
        )
        assert engine.settings.move_overhead_ms == 99
        assert engine.settings.hash_mb == 16
        assert said[0] == "info string option Hash will be set when the search has ended"
        assert len(said) == 3
        gui.send("stop")
        gui.expect("bestmove")
        gui.answer()
        assert engine.calls[3:] == ["configure hash_mb=9", "clear_hash"]

    def test_waiting_ones_are_set_before_the_next_search(
        self, gui: InProcess, engine: FakeEngine
    ) -> None:
        gui.send("go infinite", "setoption name Threads value 2", "go depth 1")
        gui.expect("bestmove")
        gui.expect("bestmove")
        assert engine.calls == ["go", "stop", "configure threads=2", "go"]

    def test_waiting_ones_are_set_without_another_command(
        self, gui: InProcess, engine: FakeEngine
    ) -> None:
        engine.may_end.clear()
        gui.send("go depth 1")
        gui.expect("info depth 1 seldepth")
        gui.answer("setoption name Clear Hash")
        engine.may_end.set()
        gui.expect("bestmove")
        gui.session.finish()
        assert engine.calls == ["go", "clear_hash"]

    def test_none_waits_that_comes_right_after_the_bestmove(
        self, gui: InProcess, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The GUI reads it while the thread that says it is still about to go on."""
        gui.send("isready")
        gui.expect("readyok")
        monkeypatch.setattr(gui, "flush", lambda: time.sleep(A_MOMENT))
        gui.send("go depth 1")
        gui.expect("bestmove")
        assert gui.answer("setoption name Hash value 9") == []
        assert engine.calls[-1] == "configure hash_mb=9"


class TestDebugLog:
    def test_has_both_directions(self, gui: InProcess, tmp_path: Path) -> None:
        path = tmp_path / "my  log é.txt"
        gui.send(f"setoption name Debug Log File value {path}", "go depth 1")
        gui.expect("bestmove")
        gui.answer("setoption name Debug Log File value <empty>", "d")
        log = path.read_text(encoding="utf-8").splitlines()
        assert all(len(line.split(" ", 2)[0]) == 12 for line in log)
        texts = [line.split(" ", 1)[1] for line in log]
        assert texts[0].startswith("-- log of process ")
        assert texts[1] == ">> go depth 1"
        assert "<< bestmove a1b1 ponder c7c5" in texts
        assert texts[-1] == ">> setoption name Debug Log File value <empty>"

    def test_can_be_opened_while_the_engine_is_loading(
        self, engine: FakeEngine, tmp_path: Path
    ) -> None:
        loading = threading.Event()
        gui = InProcess(engine, loading.wait)
        gui.send(f"setoption name Debug Log File value {tmp_path / 'log'}", "uci")
        gui.expect("uciok")
        assert "<< uciok" in (tmp_path / "log").read_text(encoding="utf-8")
        loading.set()
        gui.close()

    def test_cannot_be_opened(self, gui: InProcess, tmp_path: Path) -> None:
        (line,) = gui.answer(f"setoption name Debug Log File value {tmp_path}")
        (missing,) = gui.answer(f"setoption name Debug Log File value {tmp_path / 'no' / 'log'}")
        start = "info string option Debug Log File unchanged: "
        assert line.startswith(start)
        assert missing == f"{start}{tmp_path / 'no' / 'log'}: No such file or directory"

    def test_is_not_written_to_a_named_pipe(self, gui: InProcess, tmp_path: Path) -> None:
        if sys.platform == "win32":
            pytest.skip("no named pipes there")
        os.mkfifo(tmp_path / "pipe")
        (line,) = gui.answer(f"setoption name Debug Log File value {tmp_path / 'pipe'}")
        assert line.endswith(f"unchanged: {tmp_path / 'pipe'} is not a file")
        assert gui.answer(f"setoption name Debug Log File value {os.devnull}") == []

    def test_on_a_full_disk(self, gui: InProcess, tmp_path: Path) -> None:
        if not os.path.exists("/dev/full"):
            pytest.skip("no full disk here")
        gui.send(f"setoption name Debug Log File value {tmp_path / 'log'}")
        (line,) = gui.answer("setoption name Debug Log File value /dev/full")
        assert line.endswith("Debug Log File unchanged: No space left on device")
        assert "No space left" in (tmp_path / "log").read_text(encoding="utf-8")

    def test_tells_the_whole_story_of_an_internal_error(
        self, gui: InProcess, engine: FakeEngine, tmp_path: Path
    ) -> None:
        engine.fail_in = {"eval_text"}
        gui.answer(f"setoption name Debug Log File value {tmp_path / 'log'}", "eval")
        assert "-- Traceback" in (tmp_path / "log").read_text(encoding="utf-8")


class TestTheEnd:
    @pytest.mark.parametrize(
        "go", ["go depth 3", "go nodes 5", "go movetime 5", "go mate 2", "go wtime 9", "go btime 9"]
    )
    def test_a_bounded_search_is_finished(
        self, gui: InProcess, engine: FakeEngine, go: str
    ) -> None:
        engine.may_end.clear()
        threading.Timer(A_MOMENT, engine.may_end.set).start()
        gui.send(go)
        gui.close()
        assert gui.rest()[-1].startswith("bestmove")
        assert "stop" not in engine.calls

    def test_what_was_piped_in_is_done(self, engine: FakeEngine) -> None:
        loading = threading.Event()
        gui = InProcess(engine, loading.wait)
        threading.Timer(A_MOMENT, loading.set).start()
        gui.send("position startpos moves e2e4", "go depth 5", "perft 3")
        gui.close()
        assert gui.rest()[-2:] == ["", "Nodes searched: 42"]

    def test_quit_at_a_terminal_does_not_wait(
        self, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        gui = InProcess(engine, at_terminal=True)
        gui.answer()
        counting = threading.Event()
        monkeypatch.setattr(engine, "perft", lambda depth: counting.wait())
        gui.send("perft 9", "quit")
        gui.join()
        assert not gui.rest()
        counting.set()

    @pytest.mark.parametrize(
        "lines, answer",
        [
            (["uci", "perft 3", "d"], ["Nodes searched: 42", "Fen: None", "Key: 0"]),
            (["position startpos", "go depth 1"], ["bestmove a1b1 ponder c7c5"]),
        ],
    )
    def test_quit_lets_a_script_see_its_answers(
        self,
        engine: FakeEngine,
        monkeypatch: pytest.MonkeyPatch,
        lines: list[str],
        answer: list[str],
    ) -> None:
        monkeypatch.setattr(session, "LOADING_PATIENCE_S", A_MOMENT)
        loading = threading.Event()
        gui = InProcess(engine, loading.wait)
        threading.Timer(4 * A_MOMENT, loading.set).start()  # as if it compiled
        gui.send(*lines, "quit")
        gui.join()
        assert gui.rest()[-len(answer) :] == answer

    @pytest.mark.parametrize(
        "lines, answer",
        [
            (["isready"], "readyok"),
            (["setoption name Bogus value 1"], "info string no option 'Bogus'"),
        ],
    )
    def test_quit_lets_a_script_see_what_was_wrong(
        self, engine: FakeEngine, lines: list[str], answer: str
    ) -> None:
        loading = threading.Event()
        gui = InProcess(engine, loading.wait)
        threading.Timer(A_MOMENT, loading.set).start()
        gui.send(*lines, "quit")
        gui.join()
        assert gui.rest()[-1].startswith(answer)


class TestTrouble:
    def test_the_engine_cannot_be_loaded(self, engine: FakeEngine) -> None:
        def fail() -> None:
            raise ImportError("No module named 'llvmlite'")

        gui = InProcess(engine, fail)
        gui.send("uci")
        gui.expect("uciok")
        (line,) = gui.answer("setoption name Hash value 5", "position startpos", "stop")
        assert line.startswith("info string the engine could not be loaded: ImportError: ")
        assert "llvmlite" in line
        assert gui.answer("go infinite") == [
            "info string no search: the engine could not be loaded", "bestmove (none)",
        ]  # fmt: skip
        assert gui.answer("d") == ["info string the engine could not be loaded"]
        gui.close()

    def test_a_search_that_cannot_start_still_gives_a_legal_move(
        self, gui: InProcess, engine: FakeEngine
    ) -> None:
        engine.fail_in = {"go"}
        line, best = gui.answer("go depth 3")
        assert line.startswith("info string internal error in a search: ZeroDivisionError")
        assert best == "bestmove h2h3"
        engine.fail_in = {"go", "legal_moves"}
        assert gui.answer("go depth 3")[-1] == "bestmove (none)"

    def test_a_search_that_fails_is_told_and_answered(
        self, gui: InProcess, engine: FakeEngine
    ) -> None:
        engine.search_fails = True
        gui.send("go depth 1")
        gui.expect("info string internal error in a search: ZeroDivisionError: 'crash'")
        assert gui.expect("bestmove") == "bestmove h2h3"

    @pytest.mark.parametrize(
        ("command", "method"),
        [("position startpos", "set_position"), ("ucinewgame", "new_game"), ("d", "board_text"),
         ("setoption name Hash value 8", "configure"), ("perft 2", "perft")],
    )  # fmt: skip
    def test_an_internal_error_is_told_and_survived(
        self, gui: InProcess, engine: FakeEngine, command: str, method: str
    ) -> None:
        gui.answer()
        engine.fail_in = {method}
        (line,) = gui.answer(command)
        assert line.startswith("info string internal error in ")
        assert "ZeroDivisionError" in line

    @pytest.mark.parametrize(
        "raw",
        [b"\xff\xfe\x00junk\n", b"\x00\x00\n", b"\n", b"\r\n", b" \t \n", b"# comment\n",
         b"x" * 100_000 + b"\n", b"go wtime \xff movetime 5\n", b"debug on\n", b"register later\n",
         b"position fen " + b"\x80" * 1000 + b"\n", b"setoption name \xe9 value \xe9\n"],
    )  # fmt: skip
    def test_junk_is_survived(self, gui: InProcess, raw: bytes) -> None:
        gui.send_bytes(raw)
        for line in gui.answer():
            assert line.startswith(("info string ", "info depth", "bestmove ")), line
            assert len(line) < 300

    def test_windows_line_ends_and_byte_order_mark(self, gui: InProcess) -> None:
        gui.send_bytes(b"\xef\xbb\xbfuci\r\n")
        gui.expect("uciok")
        gui.send_bytes(b"\t go  depth\t1 \r\n")
        gui.expect("bestmove")
