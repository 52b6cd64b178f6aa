"""Workers and the engines that they started end with the program, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no process groups")

# A command whose worker starts an engine that ignores the end of its input, as gnuchess does.
PROGRAM = """
import signal, subprocess, sys, time
from pathlib import Path
from tuning.processes import workers
from engine.command_line import Subcommand, run_command

def play(file):
    engine = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"])
    Path(file).with_suffix(".new").write_text(str(engine.pid), "utf-8")
    Path(file).with_suffix(".new").rename(file)
    time.sleep(100)

def add_arguments(parser):
    parser.add_argument("file")

def run(arguments):
    with workers(1) as pool:
        pool.submit(play, arguments.file).result()
    return 0

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored if a script began the tests
    table = {"play": Subcommand(Path(__file__).stem, "play")}
    sys.exit(run_command("program", "Plays.", "matches_of_ours", table, None))
"""


def is_running(pid: int) -> bool:
    """Whether a process exists and is not a zombie that nobody has waited for yet."""
    state = Path(f"/proc/{pid}/stat")
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return (
        not state.exists() or state.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    )


def wait_until(reached: Callable[[], bool]) -> None:
    until = time.monotonic() + 20
    while not reached():
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.parametrize("end, status", [("SIGINT", 1), ("SIGTERM", 1), ("SIGKILL", -9)])
def test_an_engine_of_a_worker_ends_with_the_program(end: str, status: int, tmp_path: Path) -> None:
    package = tmp_path / "matches_of_ours"
    package.mkdir()
    program = package / "playing.py"
    program.write_text(PROGRAM, encoding="utf-8")
    pid_file = tmp_path / "pid"
    path = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[2])])
    messages = tmp_path / "messages"
    with messages.open("w", encoding="utf-8") as standard_error:
        running = subprocess.Popen(
            [sys.executable, str(program), "play", str(pid_file)],
            env=os.environ | {"PYTHONPATH": path},
            stderr=standard_error,
        )
    wait_until(pid_file.exists)
    engine = int(pid_file.read_text(encoding="utf-8"))
    assert is_running(engine)

    running.send_signal(signal.Signals[end])

    assert running.wait(20) == status
    wait_until(lambda: not is_running(engine))
    if end != "SIGKILL":  # then the interpreter's own helper may speak of semaphores
        assert messages.read_text(encoding="utf-8") == "interrupted; finished work is kept\n"
