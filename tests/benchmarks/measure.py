"""Measures speed, latency and memory, and compares them with what Wadjet promises.

    python -m tests.benchmarks.measure [perft search start stop threads memory ...]

For people, on a quiet machine, some minutes: nothing is asserted, and the exit status says only
whether all could be run. Speeds are ratios of medians of alternating runs, so that a machine that
is slow, today or for a minute, is slow for both sides. Stockfish is measured beside us if it is
installed.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from statistics import median

from engine.machine import cores
from tests.soak.memory import resident_kb
from tests.uci.gui import PATIENCE_S, Process

CLONE = [sys.executable, "-m", "uci"]  # when started in ROOT
# Programs may be beside this Python, on PATH, or where Debian has games.
FOLDERS = (str(Path(sys.executable).parent), os.environ.get("PATH", ""), "/usr/games")
STOCKFISH = shutil.which("stockfish", path=os.pathsep.join(FOLDERS))
INSTALLED = shutil.which("wadjet", path=os.pathsep.join(FOLDERS))
WADJET = [INSTALLED] if INSTALLED else CLONE
CORES = cores()

POSITIONS = {
    "start position": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "kiwipete": "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
}
PERFT_DEPTHS = {"start position": 6, "kiwipete": 5}

RUNS = 5  # of each side of a comparison, of starts and of quits
SEARCH_MS = 4000
ANSWERS = 20  # to `stop` and to `go movetime`; an even number


class SkippedError(Exception):
    """This machine does not have what a measurement needs."""


@dataclass(frozen=True)
class Row:
    what: str
    measured: str
    goal: str = "goal"
    ok: str = "ok"


def at_most(what: str, value: float, goal: float, unit: str) -> Row:
    """Of times and sizes; ratios of speeds are the other way round."""
    return Row(what, f"{value:.3g} {unit}", f"<= {goal:g} {unit}", "yes" if value <= goal else "NO")


def note(text: str) -> None:
    """What the table has no room for, said when it is known."""
    print(f"  {text}", flush=True)


# --- The programs -------------------------------------------------------------------------------


class Program(Process):
    """A UCI engine in a process of its own, and when it says what."""

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def send(self, *lines: str) -> float:  # type: ignore[override]
        """Returns when."""
        sent = time.perf_counter()
        super().send(*lines)
        return sent

    def hear(self, start: str) -> tuple[list[str], float]:
        """What it says up to the first line that starts so, and when that line arrived."""
        already = len(self.heard)
        self.expect(start)
        arrived = time.perf_counter()
        heard = self.heard[already:]
        for line in heard:
            if "could not be loaded" in line:  # it may answer, but not play
                raise RuntimeError(line)
        return heard, arrived

    def ready(self, *lines: str) -> None:
        """Send, and return when all of it has been done."""
        self.send(*lines, "isready")
        self.hear("readyok")

    def leaves_per_second(self, name: str) -> float:
        """Of a perft."""
        self.ready(f"position fen {POSITIONS[name]}")
        sent = self.send(f"go perft {PERFT_DEPTHS[name]}")
        lines, answered = self.hear("Nodes searched")
        return int(lines[-1].split()[-1]) / (answered - sent)

    def nodes_per_second(self, name: str) -> float:
        """Of a search with nothing known beforehand, by our clock."""
        self.ready("ucinewgame", f"position fen {POSITIONS[name]}")
        sent = self.send(f"go movetime {SEARCH_MS}")
        lines, answered = self.hear("bestmove")
        counts = re.findall(r"^info depth .* nodes (\d+)", "\n".join(lines), re.M)
        return int(counts[-1]) / (answered - sent)

    def answer_ms(self, name: str, go: str, then: str | None = None) -> float:
        """From the last command to `bestmove`."""
        self.ready("ucinewgame", f"position fen {POSITIONS[name]}")
        sent = self.send(go)
        if then is not None:
            time.sleep(0.2)
            sent = self.send(then)
        return (self.hear("bestmove")[1] - sent) * 1000

    def quit_seconds(self) -> float:
        """From `quit` to the end of the process."""
        sent = self.send("quit")
        self._reader.join(PATIENCE_S)  # more exact than `wait` with a time limit
        self.process.wait(PATIENCE_S)
        return time.perf_counter() - sent

    def resident_mb(self) -> float:
        """The physical memory that it uses."""
        try:
            return resident_kb(self.process.pid) * 1024 / 1e6
        except OSError as reason:
            raise SkippedError(str(reason)) from None


def wadjet(threads: int = 1) -> Program:
    program = Program(WADJET)
    program.ready("uci", "setoption name Hash value 16", f"setoption name Threads value {threads}")
    return program


def stockfish() -> Program:
    if STOCKFISH is None:
        raise SkippedError("no stockfish on PATH or in /usr/games")
    program = Program([STOCKFISH])
    program.send("uci")
    note("beside " + program.hear("id name")[0][-1].removeprefix("id name "))
    program.ready("setoption name Hash value 16", "setoption name Threads value 1")
    return program


# --- What is measured ---------------------------------------------------------------------------

Speed = Callable[[Program, str], float]  # of a program in a position


def measure_perft() -> Iterator[Row]:
    """Generating, making and unmaking moves, leaves a second; ours : Stockfish's"""
    with stockfish() as other, wadjet() as own:
        yield from compare("perft", Program.leaves_per_second, own, other, 0.85)


def measure_search() -> Iterator[Row]:
    """Nodes a second of one thread; ours : Stockfish's"""
    with stockfish() as other, wadjet() as own:
        yield from compare("search", Program.nodes_per_second, own, other, 4.0)


def measure_threads() -> Iterator[Row]:
    """Nodes a second; two threads : one"""
    if CORES < 2:
        raise SkippedError("there is only one core")
    with wadjet(threads=2) as double, wadjet(threads=1) as single:
        yield from compare("two threads", Program.nodes_per_second, double, single, 1.9)


def compare(what: str, speed: Speed, one: Program, other: Program, goal: float) -> Iterator[Row]:
    """The ratio, one : other, of the medians of speeds measured in turns."""
    for name in POSITIONS:
        pairs = []
        for _ in range(RUNS):
            pairs.append((speed(one, name), speed(other, name)))
            note(f"{name}: {pairs[-1][0]:13,.0f} : {pairs[-1][1]:13,.0f}")
        ratio = median(pair[0] for pair in pairs) / median(pair[1] for pair in pairs)
        ok = "yes" if ratio >= goal else "NO"
        yield Row(f"{what}, {name}", f"{ratio:.2f}", f">= {goal:.2f}", ok)


def measure_start() -> Iterator[Row]:
    """From starting the process to its first answers, with compiled kernels and without."""

    def start(command: Sequence[str], **environment: str) -> tuple[float, float]:
        os.environ.update(environment)
        started = time.perf_counter()
        with Program(command) as program:
            program.send("uci", "isready")
            greeted, ready = program.hear("uciok")[1], program.hear("readyok")[1]
            return greeted - started, ready - started

    # The first start of a clone writes byte code, which an installation has, unless forbidden.
    _, *times = [start(WADJET, PYTHONDONTWRITEBYTECODE="") for _ in range(1 + RUNS)]
    note("uciok, readyok: " + ", ".join(f"{a:.3f} s {b:.3f} s" for a, b in times))
    yield at_most("start to uciok", median(greeted for greeted, _ in times), 0.06, "s")
    yield at_most("start to readyok", median(ready for _, ready in times), 0.3, "s")

    with tempfile.TemporaryDirectory() as cache:
        _, ready = start(CLONE, WADJET_CACHE=cache)
    yield at_most("cold clone, start to readyok", ready, 15.0, "s")


def measure_stop() -> Iterator[Row]:
    """How soon a search ends when it should."""
    quits = []
    for _ in range(RUNS):
        with wadjet() as program:
            program.send("position startpos", "go infinite")
            time.sleep(0.5)
            quits.append(program.quit_seconds())
    yield at_most(f"quit during a search, worst of {RUNS}", max(quits), 0.2, "s")

    names = list(POSITIONS) * (ANSWERS // len(POSITIONS))
    with wadjet() as program:
        times = [program.answer_ms(name, "go infinite", "stop") for name in names]
    yield from median_and_worst("stop to bestmove", times, 5.0)

    with wadjet(threads=CORES) as program:
        times = [program.answer_ms(name, "go movetime 50") for name in names]
    yield from median_and_worst(f"go movetime 50, {CORES} threads", times, 55.0)


def median_and_worst(what: str, times_ms: list[float], goal_ms: float) -> Iterator[Row]:
    note(f"{what}: " + " ".join(f"{ms:.1f}" for ms in times_ms) + " ms")
    yield at_most(f"{what}, median of {len(times_ms)}", median(times_ms), goal_ms, "ms")
    yield at_most(f"{what}, worst of {len(times_ms)}", max(times_ms), goal_ms, "ms")


def measure_memory() -> Iterator[Row]:
    """Physical memory with 16 MB of hash; `python -m tests.soak` watches whether it grows"""
    with wadjet() as program:
        yield at_most("memory when ready", program.resident_mb(), 150.0, "MB")
        program.nodes_per_second("kiwipete")
        yield at_most("memory after a search", program.resident_mb(), 150.0, "MB")


SECTIONS: dict[str, Callable[[], Iterator[Row]]] = {
    "perft": measure_perft,
    "search": measure_search,
    "start": measure_start,
    "stop": measure_stop,
    "threads": measure_threads,
    "memory": measure_memory,
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure speed, latency and memory of Wadjet.")
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, "all"], default="all")
    chosen = parser.parse_args().sections

    print(f"{' '.join(WADJET)}, Python {platform.python_version()}, {CORES} cores")
    with wadjet():  # a clone compiles its kernels now, not while something is measured
        pass
    rows, all_run = [Row("what", "measured")], True
    for name in SECTIONS if "all" in chosen else chosen:
        print(f"{name}: {SECTIONS[name].__doc__}", flush=True)
        try:
            rows.extend(SECTIONS[name]())  # keeps those of a section that fails later
        except SkippedError as reason:
            rows.append(Row(name, f"skipped: {reason}", "", ""))
        except (AssertionError, RuntimeError, OSError, subprocess.TimeoutExpired) as reason:
            rows.append(Row(name, f"FAILED: {reason}", "", ""))
            all_run = False
    print()
    width = [max(len(text) for text in column) for column in zip(*map(astuple, rows), strict=True)]
    for row in rows:
        cells = zip(astuple(row), width, strict=True)
        print(" | ".join(text.ljust(size) for text, size in cells).rstrip())
    return 0 if all_run else 1


if __name__ == "__main__":
    sys.exit(main())
