"""The program: starting, command line, and every way to end."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence

import pytest

from engine import __version__
from engine.checked import LARGEST
from engine.settings import RANGES
from tests.uci.gui import ROOT, Process, Run
from uci.render import GREETING

FAKE = (sys.executable, "-m", "tests.uci.fake_program")
REAL = (sys.executable, "-m", "uci")
SLOW_IMPORTS = """
import builtins, time
usual = builtins.__import__
def slow(name, *others):
    if name == "uci.session":
        print("importing", flush=True)
        time.sleep(5)
    return usual(name, *others)
builtins.__import__ = slow
import uci.__main__
"""
SOON_S = 3.0  # generous: the machine may be busy; what must not happen takes forever

Start = Callable[..., Process]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts processes, and sees that none is left."""
    processes: list[Process] = []

    def start(command: Sequence[str] = FAKE) -> Process:
        processes.append(Process(command))
        return processes[-1]

    yield start
    for process in processes:
        process.kill()


def run(*arguments: str, typed: str = "", program: Sequence[str] = REAL) -> tuple[int, str, str]:
    """As `wadjet` in conftest.py, in a process of its own."""
    done = subprocess.run(
        [*program, *arguments],
        input=typed,
        capture_output=True,
        encoding="utf-8",
        cwd=ROOT,
        timeout=120,
    )
    return done.returncode, done.stdout, done.stderr


class TestStart:
    def test_nothing_heavy_is_imported_before_uciok(self) -> None:
        code = (
            "import sys, uci.__main__; "
            "print(*{'numpy', 'numba', 'llvmlite', 'ctypes', 'argparse', 'logging', 'asyncio', "
            "'engine.api', 'engine.native'} & set(sys.modules))"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, encoding="utf-8", cwd=ROOT
        )
        assert (done.stdout.strip(), done.stderr) == ("", "")

    @pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
    def test_a_person_at_a_terminal_is_answered_whatever_comes(self) -> None:
        pexpect = pytest.importorskip("pexpect")
        terminal = pexpect.spawn(sys.executable, ["-m", "uci"], cwd=str(ROOT), timeout=60)
        terminal.expect_exact(GREETING)
        assert "help" in GREETING and "play" in GREETING
        terminal.sendline("e2e4")
        terminal.expect_exact("unknown command 'e2e4', type help for a list")
        for typed, answer in (
            ("isredy", "unknown command 'isredy', did you mean isready?"),
            ("GO depth 1", "unknown command 'GO depth 1', did you mean go?"),
            ("go depht 10", "go: ignored 'depht', '10', did you mean depth?"),
            ("setoption name Thread value 1", "no option 'Thread', did you mean Threads?"),
        ):
            terminal.sendline(typed)
            terminal.expect_exact(answer)
        terminal.expect("bestmove [a-h]")  # whatever is typed
        terminal.sendline("quit")
        terminal.expect(pexpect.EOF)
        terminal.close()
        assert terminal.exitstatus == 0

    def test_a_gui_is_not_bothered_with_what_is_for_people(self) -> None:
        assert run(typed="e2e4\nquit\n") == (0, "", "")
        for name in ("play", "board"):
            assert run(typed=f"{name}\n", program=FAKE)[1] == (
                f"info string {name} needs a terminal: wadjet {name}\n"
            )

    @pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
    @pytest.mark.parametrize(
        "typed, answer",
        [("play --help", "usage: wadjet play"), ("board --port x", "from 0 to 65535, not 'x'"),
         ("analyse 8/8/8/8 w", "the board must have 8 ranks, not 4")],
    )  # fmt: skip
    def test_a_person_at_a_terminal_gets_to_the_other_programs(
        self, typed: str, answer: str
    ) -> None:
        pexpect = pytest.importorskip("pexpect")
        terminal = pexpect.spawn(sys.executable, ["-m", "uci"], cwd=str(ROOT), timeout=60)
        terminal.expect_exact(GREETING)
        terminal.sendline(typed)
        terminal.expect_exact(answer)
        terminal.expect(pexpect.EOF)


class TestCommandLine:
    def test_version(self) -> None:
        status, said, errors = run("--version")
        assert (status, errors) == (0, "")
        commit = r" \(commit [0-9a-f]{7,}(-dirty)?\)" if (ROOT / ".git").exists() else ""
        assert re.fullmatch(rf"Wadjet {re.escape(__version__)}{commit}\n", said)

    def test_help(self, wadjet: Run) -> None:
        status, said, errors = wadjet("--help")
        assert (status, errors) == (0, "")
        assert "wadjet bench" in said
        assert "ucinewgame" in said
        for program in ("play", "board", "analyse"):
            assert re.search(rf"^wadjet {program} +\w", said, re.MULTILINE)
        assert wadjet("help") == wadjet("-h") == wadjet("help", "bench") == (0, said, "")

    @pytest.mark.parametrize("program", ["play", "board", "analyse", "analyze"])
    def test_help_of_a_program(self, wadjet: Run, program: str) -> None:
        status, said, errors = wadjet("help", program)
        assert (status, errors) == (0, "") and "usage: wadjet" in said

    @pytest.mark.parametrize(
        ("line", "complaint"),
        [
            ("anlyse game.pgn", "unknown command 'anlyse', did you mean analyse?"),
            ("paly", "unknown command 'paly', did you mean play?"),
            ("bord", "unknown command 'bord', did you mean board?"),
            ("hepl", "unknown command 'hepl', did you mean help?"),
            ("--vresion", "unknown command '--vresion', did you mean --version?"),
            ("README.md", "'README.md' is a file; wadjet analyse README.md analyses its games"),
            ("go depht 10", "go: ignored 'depht', '10', did you mean depth?"),
            ("go depth ten", "go: no readable number after 'depth'"),
            ("perft many", "perft: 'many' is not a whole number"),
            ("go perft 2.5", "perft: '2.5' is not a whole number"),
            ("perft", "perft needs a depth"),
            ("eval 8/8/8/8/8/8/8/K1k5 w - - 0 1", "eval: unknown word '8/8/8/8/8/8/8/K1k5'"),
            ("d fen", "d: unknown word 'fen'"),
            ("bench 0", f"bench must be 1 to {LARGEST}"),
            ("setoption Hash 1", "setoption needs a name: 'setoption Hash 1'"),
        ],
    )
    def test_wrong_values_are_refused(self, wadjet: Run, line: str, complaint: str) -> None:
        assert wadjet(*line.split()) == (2, "", f"wadjet: {complaint}\n")

    @pytest.mark.jit_only
    @pytest.mark.parametrize(
        ("line", "answer"),
        [
            ("position fen 8/8 w", "no position: the board must have 8 ranks, not 2"),
            ("position satrtpos", "no position: it needs startpos or fen <fen>, not 'satrtpos'"),
            ("setoption name Hahs value 1", "no option 'Hahs', did you mean Hash?"),
            (
                "setoption name Hash value x",
                "option Hash unchanged: must be a whole number, not 'x'",
            ),
        ],
    )
    def test_what_the_engine_refuses_ends_with_2(self, wadjet: Run, line: str, answer: str) -> None:
        assert wadjet(*line.split()) == (2, f"info string {answer}\n", "")

    def test_tunables(self) -> None:
        assert "razoring_margin" not in run(typed="uci\nquit\n")[1]
        status, said, errors = run("--tunables", typed="uci\nquit\n")
        assert (status, errors) == (0, "")
        assert re.search(r"^option name razoring_margin type spin default \d+ min", said, re.M)

    @pytest.mark.jit_only
    def test_a_command_that_fails_ends_with_1(self) -> None:
        status, said, _ = run("bench", "1", str(RANGES["hash_mb"][1]))
        assert (status, "no bench" in said) == (1, True)
        status, said, _ = run("eval", program=(*FAKE, "load"))
        assert (status, "could not be loaded" in said) == (1, True)

    @pytest.mark.parametrize("arguments", [["fly"], ["--fast"], ["e2e4", "e7e5"]])
    def test_what_is_no_command(self, wadjet: Run, arguments: list[str]) -> None:
        status, said, errors = wadjet(*arguments)
        assert (status, said) == (2, "")
        assert "unknown command" in errors

    @pytest.mark.jit_only
    @pytest.mark.parametrize(
        ("arguments", "pattern"),
        [
            (["uci"], r"(?s)id name Wadjet .*\nuciok\n"),
            (["go", "depth", "3"], r"(?s)(info .*\n)+bestmove [a-h][1-8][a-h][1-8].*\n"),
            (["go nodes 500 searchmoves a2a3"], r"(?s).*bestmove a2a3.*\n"),
            (["perft", "2"], r"(?s).*\ne2e4: 20\n.*\n\nNodes searched: 400\n"),
            (["go", "perft", "1"], r"(?s).*Nodes searched: 20\n"),
            (["d"], r"(?s).*Fen: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n.*"),
            (["eval"], r"(?s).*Total.*\n"),
            (
                ["bench", "1"],
                r"(?s).*\nTotal time \(ms\) : \d+\nNodes searched  : \d+\nNodes/second    : \d+\n",
            ),
            (["bench", "--effectiveness", "1"], r"(?s).*minimax.*\n +1 .*\n"),
        ],
        ids=lambda value: value[0] if isinstance(value, list) else "",
    )
    def test_every_command_at_once(self, wadjet: Run, arguments: list[str], pattern: str) -> None:
        status, said, errors = wadjet(*arguments)
        assert (status, errors) == (0, "")
        assert re.fullmatch(pattern, said), said


class TestTheEnd:
    @pytest.mark.parametrize(
        "typed",
        ["", "uci\n", "isready", "go infinite\n", "go ponder\n", "go depth 1"],
    )
    def test_end_of_input_at_any_moment(self, typed: str) -> None:
        status, said, errors = run(typed=typed, program=FAKE)
        assert (status, errors) == (0, "")
        assert ("bestmove" in said) == ("go" in typed)

    @pytest.mark.parametrize("before", [(), ("go infinite",), ("go depth 1", "isready")])
    def test_quit(self, start: Start, before: tuple[str, ...]) -> None:
        process = start()
        process.send(*before, "isready")
        process.expect("readyok")
        process.send("quit")
        assert process.wait() == 0
        assert process.errors() == ""

    @pytest.mark.alone
    def test_quit_while_loading_is_at_once(self, start: Start) -> None:
        process = start((*FAKE, "loading"))
        process.send("uci", "isready", "position startpos", "go depth 1")
        process.expect("uciok")
        sent = time.monotonic()
        process.send("quit")
        assert process.wait() == 0
        assert time.monotonic() - sent < SOON_S

    @pytest.mark.jit_only
    def test_a_script_with_quit_gets_a_bestmove(self) -> None:
        _, said, _ = run(typed="position startpos moves e2e4\ngo depth 8\nquit\n")
        assert re.fullmatch(r"bestmove [a-h][78]\S* ponder \S+", said.splitlines()[-1]), said

    @pytest.mark.alone
    @pytest.mark.jit_only
    def test_quit_during_a_search_is_at_once(self, start: Start) -> None:
        process = start(REAL)
        process.send("setoption name Threads value 2", "go infinite")
        process.expect("info depth 3")
        sent = time.monotonic()
        process.send("quit")
        assert process.wait() == 0
        assert time.monotonic() - sent < SOON_S
        assert process.errors() == ""

    @pytest.mark.skipif(sys.platform == "win32", reason="no such signal there")
    @pytest.mark.parametrize("before", [("uci",), ("uci", "go infinite")])
    def test_interrupted_from_the_keyboard(self, start: Start, before: tuple[str, ...]) -> None:
        process = start()
        process.send(*before)
        process.expect("uciok")
        process.process.send_signal(signal.SIGINT)
        assert process.wait() == -signal.SIGINT
        assert process.errors() == ""

    @pytest.mark.skipif(sys.platform == "win32", reason="no such signal there")
    def test_interrupted_while_importing(self, start: Start) -> None:
        process = start((sys.executable, "-c", SLOW_IMPORTS))
        process.expect("importing")
        process.process.send_signal(signal.SIGINT)
        assert process.wait() == -signal.SIGINT
        assert process.errors() == ""

    def test_nobody_listens_any_more(self, start: Start) -> None:
        process = start()
        process.send("uci")
        process.expect("uciok")
        subprocess_output = process.process.stdout
        assert subprocess_output is not None
        # The thread that reads holds the pipe, so the other end is closed below Python.
        os.dup2(os.open(os.devnull, os.O_RDONLY), subprocess_output.fileno())
        for _ in range(3):
            process.send("isready")
            time.sleep(0.05)
            if process.process.poll() is not None:
                break
        assert process.wait() == 1
        assert process.errors() == ""

    @pytest.mark.skipif(sys.platform == "win32", reason="uses a shell")
    @pytest.mark.parametrize(
        "command",
        ["uci --help", "uci uci", "uci play --help", "uci analyse startpos --nodes 2000",
         "tuning --help", "tablebases info tablebases/data"],
    )  # fmt: skip
    def test_a_pipe_that_is_closed_at_the_other_end(self, command: str) -> None:
        """Like the writer before `head` that has read enough."""
        read_end, write_end = os.pipe()
        os.close(read_end)
        # Unbuffered, argparse itself would notice and ignore that nobody reads its help.
        buffered = {name: text for name, text in os.environ.items() if name != "PYTHONUNBUFFERED"}
        try:
            done = subprocess.run(
                [sys.executable, "-m", *command.split()],
                stdin=subprocess.DEVNULL,
                stdout=write_end,
                stderr=subprocess.PIPE,
                cwd=ROOT,
                env=buffered,
                timeout=60,
            )
        finally:
            os.close(write_end)
        assert (done.returncode, done.stderr) == (1, b"")

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="not there")
    @pytest.mark.parametrize(
        "command", ["uci --version", "uci bench 1", "uci analyse startpos --nodes 2000"]
    )
    def test_output_to_a_full_disk_is_said(self, command: str) -> None:
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [sys.executable, "-m", *command.split()],
                stdin=subprocess.DEVNULL,
                stdout=full,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                cwd=ROOT,
                timeout=60,
            )
        assert done.returncode == 1
        assert done.stderr == "wadjet: standard output: No space left on device\n"

    @pytest.mark.skipif(sys.platform == "win32", reason="uses a shell")
    @pytest.mark.parametrize(
        "redirection, status",
        [
            ("<&-", 0),
            (">&-", 1),
            ("2>&-", 0),
            ("< /", 1),
            pytest.param(
                "> /dev/full 2>&1", 1,
                marks=pytest.mark.skipif(not os.path.exists("/dev/full"), reason="not there"),
            ),
            pytest.param(
                "> /dev/full 2>&-", 1,
                marks=pytest.mark.skipif(not os.path.exists("/dev/full"), reason="not there"),
            ),
        ],
    )  # fmt: skip
    def test_standard_streams_may_be_missing_or_broken(self, redirection: str, status: int) -> None:
        done = subprocess.run(
            f"echo uci | exec {sys.executable} -m uci {redirection}",
            shell=True,
            capture_output=True,
            encoding="utf-8",
            cwd=ROOT,
            timeout=60,
        )
        assert done.returncode == status
        assert "Traceback" not in done.stdout + done.stderr
