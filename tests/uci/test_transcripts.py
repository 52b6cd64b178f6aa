"""Conversations with the real engine in a process: what GUIs and match runners send and expect.

Legality is judged by python-chess.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import chess
import pytest

from tests.reference.hostile_fens import HOSTILE
from tests.uci.gui import Process

pytestmark = pytest.mark.jit_only  # as plain Python a search takes minutes

MOVE = r"[a-h][1-8][a-h][1-8][qrbn]?"
INFO = re.compile(
    r"info depth \d+ seldepth \d+ multipv \d+ score (cp -?\d+|mate -?\d+)( (lower|upper)bound)?"
    r"( wdl \d+ \d+ \d+)? nodes \d+ nps \d+ hashfull \d+ tbhits \d+ time \d+"
    rf"( pv {MOVE}( {MOVE})*)?"
)
START = chess.STARTING_FEN
MATED = "7k/5QQ1/8/8/8/8/8/K7 b - - 0 1"
STALEMATE = "7k/5Q2/8/8/8/8/8/K7 b - - 0 1"
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1"
ONE_MOVE = "7k/8/8/8/8/8/1r6/K7 w - - 0 1"


@pytest.fixture(scope="module")
def process() -> Iterator[Process]:
    """One process for all tests here: what one test leaves behind must not harm the next."""
    process = Process()
    process.send("uci")
    process.expect("uciok")
    yield process
    process.send("quit")
    assert process.wait() == 0
    errors = process.errors()
    process.kill()
    assert errors == ""


@pytest.fixture
def gui(process: Process) -> Process:
    process.answer("stop", "ucinewgame", "position startpos")
    process.heard.clear()
    return process


def play(gui: Process, go: str, board: chess.Board) -> chess.Move | None:
    """Send `go`; the answer must be legal, as must be all moves of the lines shown before."""
    start = len(gui.heard)
    gui.send(go)
    words = gui.expect("bestmove").split()
    shown = [line for line in gui.heard[start:] if line.startswith("info depth")]
    assert any(" score " in line for line in shown)
    for line in shown:
        assert INFO.fullmatch(line) or " currmove " in line, line
        here = board.copy()
        for move in line.partition(" pv ")[2].split():
            here.push_uci(move)
    if words[1] == "(none)":
        assert words == ["bestmove", "(none)"]
        assert not list(board.legal_moves)
        return None
    if not shown[-1].endswith("bound"):
        assert shown[-1].partition(" pv ")[2].split()[0] == words[1]
    best = board.parse_uci(words[1])
    if words[2:]:
        board.push(best)
        assert words[2] == "ponder"
        board.parse_uci(words[3])
        board.pop()
    return best


@pytest.mark.parametrize(
    "go",
    ["go depth 4", "go nodes 2000", "go movetime 20", "go mate 1", "go mate 0", "go wtime 100",
     "go btime 100", "go wtime 100 winc 100 btime 100 binc 100",
     "go btime 100 binc 100 wtime 100 winc 100", "go wtime 100 btime 100 movestogo 1",
     "go searchmoves a2a3 h2h4 depth 3", "go depth 3 searchmoves a2a3 h2h4"],
)  # fmt: skip
def test_every_limit_gives_a_legal_move(gui: Process, go: str) -> None:
    if "mate" in go:
        gui.send(f"position fen {MATE_IN_ONE}")
        best = play(gui, go, chess.Board(MATE_IN_ONE))
    else:
        best = play(gui, go, chess.Board())
    assert best is not None
    if "searchmoves" in go:
        assert best.uci() in ("a2a3", "h2h4")


@pytest.mark.parametrize(
    "go",
    ["go depth 0", "go nodes 0", "go movetime 0", "go depth -1", "go wtime 0",
     "go wtime -1000 btime -1000", "go wtime 1 btime 1 winc 0 binc 0", "go movetime 1",
     "go wtime 0 btime 0 movestogo 0", "go wtime 500 movestogo -3", "go depth x", "go movetime",
     "go nodes 1 searchmoves 0000", "go depth 1 searchmoves e2e5 zzzz", "go depth 99999 nodes 10",
     "go nodes 999999999999999999999999 depth 2", "go depth 2 winc -5", "go wtime 9e9"],
)  # fmt: skip
def test_nonsense_limits_give_a_legal_move_too(gui: Process, go: str) -> None:
    assert play(gui, go, chess.Board()) is not None


def test_a_search_that_is_stopped_at_once_has_depth_1(gui: Process) -> None:
    gui.send("position startpos", "go nodes 1")
    gui.expect("bestmove")
    assert gui.heard[-2].startswith("info depth 1 seldepth 1 multipv 1 score cp ")


@pytest.mark.parametrize(
    ("fen", "score"), [(MATED, "mate 0"), (STALEMATE, "cp 0")], ids=["mate", "stalemate"]
)
@pytest.mark.parametrize("go", ["go depth 3", "go wtime 100 btime 100", "go infinite"])
def test_no_move_when_the_game_is_over(gui: Process, fen: str, score: str, go: str) -> None:
    gui.send("go depth 1")
    gui.expect("bestmove")
    gui.send(f"position fen {fen}")
    if go == "go infinite":
        gui.send(go)
        gui.expect("info depth 0")
        assert gui.silent_for(0.05)
        gui.send("stop")
        assert gui.expect("bestmove") == "bestmove (none)"
    else:
        assert play(gui, go, chess.Board(fen)) is None
        assert f"info depth 0 seldepth 0 multipv 1 score {score} " in gui.heard[-2]


def test_the_only_move_is_played_at_once(gui: Process) -> None:
    gui.send(f"position fen {ONE_MOVE}")
    gui.send("go wtime 3600000 btime 3600000")
    assert gui.expect("bestmove", patience_s=5).split()[1] == "a1b2"
    assert " score " in gui.heard[-2]


class TestEndless:
    @pytest.mark.parametrize("go", ["infinite", "ponder wtime 100 btime 100", "infinite depth 1"])
    @pytest.mark.parametrize("fen", [MATE_IN_ONE, ONE_MOVE])
    def test_bestmove_waits_for_stop(self, gui: Process, fen: str, go: str) -> None:
        gui.send(f"position fen {fen}", f"go {go}")
        gui.expect("info depth 1 ")
        time.sleep(0.1)  # both searches have soon seen everything
        assert not [line for line in gui.answer() if line.startswith("bestmove")]
        gui.send("stop")
        gui.expect("bestmove")

    def test_stop_right_after_go(self, gui: Process) -> None:
        for _ in range(30):
            gui.send("go infinite", "stop")
            gui.expect("bestmove")

    @pytest.mark.parametrize("go", ["go ponder wtime 100 btime 100", "go ponder movetime 30"])
    def test_ponderhit_right_after_go(self, gui: Process, go: str) -> None:
        for _ in range(10):
            gui.send(go, "ponderhit")
            gui.expect("bestmove", patience_s=5)

    def test_commands_during_a_search(self, gui: Process) -> None:
        gui.send("go infinite")
        gui.expect("info depth 2")
        shown = gui.answer(*["d"] * 20)  # the position asked about, not one in the tree
        assert [line for line in shown if line.startswith("Fen: ")] == [f"Fen: {START}"] * 20
        said = gui.answer("uci", "debug on", "setoption name Hash value 17", "ponderhit", "x")
        assert not any(line.startswith("bestmove") for line in said)
        assert "uciok" in said
        gui.send("position startpos moves d2d4")
        gui.expect("bestmove")
        board = chess.Board()
        board.push_uci("d2d4")
        play(gui, "go depth 3", board)
        gui.answer("setoption name Hash value 16")


class TestPositions:
    @pytest.mark.parametrize(
        "command",
        ["position", "position fen", "position startpos moves e2e5", "position startpos moves xyz",
         "position fen 8/8/8/8/8/8/8/8 w - - 0 1", "position fen x", "position startpos e2e4",
         "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
         "position fen rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
         "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1",
         "position fen 4k3/8/8/8/8/8/8/4K2P w - - 0 1", "position fen kK6/8/8/8/8/8/8/8 w - - 0 1",
         "position startpos moves e2e4 e7e5 e1e3 e8e7"],
    )  # fmt: skip
    def test_after_a_bad_one_there_is_no_move(self, gui: Process, command: str) -> None:
        gui.answer("position startpos moves e2e4")
        (told,) = gui.answer(command)
        assert told.startswith("info string no position: ")
        for look in ("d", "eval", "flip", "perft 1", "go perft 1"):
            assert gui.answer(look) == [told]
        assert gui.answer("go wtime 1000 btime 1000") == [told, "bestmove (none)"]
        gui.send("position startpos moves e2e4")
        board = chess.Board()
        board.push_uci("e2e4")
        assert play(gui, "go depth 2", board) is not None

    @pytest.mark.parametrize(
        "fen",
        ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/QQQQKQQQ w kq - 0 1",
         "4k3/8/8/8/NNNNNNNN/NNNNNNNN/NNNNNNNN/NNNN1NKN w - - 0 1",
         "kN2QQQQ/NNQQ3Q/1Q5Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1",
         "qqqqqqqk/pppppppp/8/8/8/8/PPPPPPPP/QQQQQQQK w - - 0 1",
         "4k3/8/3N1N2/2N3N1/8/4R3/8/K7 b - - 0 1"],
    )  # fmt: skip
    @pytest.mark.parametrize("evaluation", ["network", "classical"])
    def test_what_no_game_leads_to_is_searched(
        self, gui: Process, fen: str, evaluation: str
    ) -> None:
        gui.answer(f"setoption name Evaluation value {evaluation}", f"position fen {fen}")
        for go in ("go nodes 20000", "go movetime 50", "go nodes 20000 searchmoves a1a2 e8d8"):
            assert play(gui, go, chess.Board(fen)) is not None
        gui.answer("setoption name Evaluation value network")

    def test_whatever_is_called_a_fen(self, gui: Process) -> None:
        self.survives(gui, HOSTILE)

    def test_whatever_others_call_a_fen(self, gui: Process, data: Path) -> None:
        for file in sorted((data / "parser").iterdir()):
            text = file.read_text(encoding="utf-8", errors="replace")
            self.survives(gui, [line.split(";")[0] for line in text.splitlines()])

    def survives(self, gui: Process, fens: Iterable[str]) -> None:
        for fen in fens:
            gui.send(f"position fen {fen}", "go nodes 300")
            best = gui.expect("bestmove")
            assert re.fullmatch(rf"bestmove (\(none\)|{MOVE}( ponder {MOVE})?)", best), fen


class TestOptions:
    def test_multipv_beyond_the_number_of_moves(self, gui: Process) -> None:
        gui.send("setoption name MultiPV value 256", f"position fen {ONE_MOVE}", "go depth 3")
        gui.expect("bestmove")
        gui.answer("setoption name MultiPV value 1")
        assert not [line for line in gui.heard if " multipv 2 " in line]

    def test_wdl(self, gui: Process) -> None:
        gui.send("setoption name UCI_ShowWDL value true", "go depth 3")
        gui.expect("bestmove")
        gui.answer("setoption name UCI_ShowWDL value false")
        shares = [
            [int(share) for share in line.split(" wdl ")[1].split()[:3]]
            for line in gui.heard
            if line.startswith("info depth")
        ]
        assert shares
        assert all(sum(three) == 1000 for three in shares)

    def test_more_memory_than_there_is(self, gui: Process) -> None:
        (told,) = gui.answer("setoption name Hash value 131072")
        assert told.startswith("info string option Hash unchanged: ")
        assert play(gui, "go depth 3", chess.Board()) is not None


def test_the_same_nodes_after_ucinewgame(gui: Process) -> None:
    """As Stockfish's reprosearch: whatever is remembered from the game before changes a count."""

    def game() -> list[str]:
        gui.answer("ucinewgame")
        gui.heard.clear()
        for moves in ("", " moves e2e4 e7e5", " moves e2e4 e7e5 g1f3 b8c6"):
            for nodes in (150, 1139, 8649):
                gui.send(f"position startpos{moves}", f"go nodes {nodes}")
                gui.expect("bestmove")
        return [
            re.sub(r" (nps|time) \d+", "", line)
            for line in gui.heard
            if line.startswith(("info depth", "bestmove"))
        ]

    assert game() == game()
