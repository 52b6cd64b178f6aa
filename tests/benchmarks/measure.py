"""Measures speed, latency and memory, and compares them with what Wadjet promises.

    python tests/benchmarks/measure.py [perft search start stop threads memory ...]

Without arguments it measures everything, which takes some minutes. For people, on a quiet
machine: nothing is asserted, and the exit status says only whether all could be run. Speeds are
ratios of medians of alternating runs, because then a machine that is slow today, or for a minute,
is slow for both sides. Stockfish is measured beside us if it is installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import queue
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
POSITIONS = {
    "start position": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "kiwipete": "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
}
PERFT_DEPTHS = {"start position": 6, "kiwipete": 5}

RUNS = 3  # of each side, where a run is long
SEARCH_MS = 4000
QUICK_RUNS = 5  # of starts and quits
ANSWERS = 20  # to `stop` and to `go movetime`
MOVETIME_MS = 50
GAMES = 200
WARM_UP_GAMES = 10  # in which caches fill and memory may still grow
STEADY_MB = 1.0  # growth that is noise
GAME_PLIES = 60
RANDOM_PLIES = 4  # at the start of a game: else all games were the same
GAME_NODES = 2000  # for each move
PATIENCE_S = 60.0  # for any answer


class SkippedError(Exception):
    """This machine does not have what a measurement needs."""


class FailedError(Exception):
    """A program did not do what it was asked."""


@dataclass(frozen=True)
class Row:
    what: str
    measured: str
    goal: str = "goal"
    ok: str = "ok"


def at_least(what: str, value: float, goal: float) -> Row:
    """For ratios of speeds."""
    return Row(what, f"{value:.2f}", f">= {goal:.2f}", "yes" if value >= goal else "NO")


def at_most(what: str, value: float, goal: float, unit: str) -> Row:
    """For times and sizes."""
    return Row(what, f"{value:.3g} {unit}", f"<= {goal:g} {unit}", "yes" if value <= goal else "NO")


def note(text: str) -> None:
    """What the table has no room for, said when it is known."""
    print(f"  {text}", flush=True)


# --- The programs -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    text: str
    arrived: float  # on the clock of time.perf_counter


class Program:
    """A UCI engine in a process of its own.

    A thread reads what it says and stamps each line at once, so that waiting with a time limit
    costs no accuracy.
    """

    def __init__(self, command: Sequence[str], **environment: str) -> None:
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._lines: queue.Queue[Line | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(Line(line.decode(errors="replace").strip(), time.perf_counter()))
        self._lines.put(None)

    def send(self, *lines: str) -> float:
        """Returns when."""
        assert self.process.stdin is not None
        sent = time.perf_counter()
        self.process.stdin.write("".join(line + "\n" for line in lines).encode())
        self.process.stdin.flush()
        return sent

    def hear(self, start: str) -> list[Line]:
        """What it says up to the first line that starts so, which is the last returned."""
        heard: list[Line] = []
        while not heard or not heard[-1].text.startswith(start):
            try:
                line = self._lines.get(timeout=PATIENCE_S)
            except queue.Empty:
                raise FailedError(f"no {start!r} for {PATIENCE_S:.0f} s") from None
            if line is None:
                raise FailedError(f"the program ended before {start!r}")
            heard.append(line)
        return heard

    def when(self, start: str) -> float:
        """When the next line that starts so arrives."""
        return self.hear(start)[-1].arrived

    def ready(self, *lines: str) -> None:
        """Send, and return when all of it has been done."""
        self.send(*lines, "isready")
        self.when("readyok")

    def nodes_per_second(self, fen: str) -> float:
        """Of a search with nothing known beforehand, by our clock."""
        self.ready("ucinewgame", f"position fen {fen}")
        sent = self.send(f"go movetime {SEARCH_MS}")
        lines = self.hear("bestmove")
        counts = re.findall(r"^info depth .* nodes (\d+)", "\n".join(x.text for x in lines), re.M)
        if not counts:
            raise FailedError("the program searched but did not say how many nodes")
        return int(counts[-1]) / (lines[-1].arrived - sent)

    def answer_ms(self, number: int, go: str, then: str | None = None) -> float:
        """From the last command to `bestmove`; with numbers the positions change."""
        fen = list(POSITIONS.values())[number % len(POSITIONS)]
        self.ready("ucinewgame", f"position fen {fen}")
        sent = self.send(go)
        if then is not None:
            time.sleep(0.2)
            sent = self.send(then)
        return (self.when("bestmove") - sent) * 1000

    def resident_mb(self) -> float:
        """The physical memory that it uses."""
        status = Path(f"/proc/{self.process.pid}/status")
        if not status.exists():
            raise SkippedError("only Linux tells how much memory a process uses")
        resident = re.search(r"^VmRSS:\s+(\d+) kB", status.read_text(), re.M)
        if resident is None:
            raise FailedError("the program has ended")
        return int(resident[1]) * 1024 / 1e6


def wadjet_command() -> list[str]:
    """The installed command, first of this Python, or in its absence this clone."""
    beside = shutil.which("wadjet", path=str(Path(sys.executable).parent))
    installed = beside or shutil.which("wadjet")
    return [installed] if installed else [sys.executable, "-m", "uci"]


def wadjet(threads: int = 1) -> Program:
    program = Program(wadjet_command())
    program.ready("uci", "setoption name Hash value 16", f"setoption name Threads value {threads}")
    return program


def stockfish() -> Program:
    path = shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")
    if path is None:
        raise SkippedError("no stockfish on PATH or in /usr/games")
    program = Program([path])
    program.send("uci")
    note("beside " + program.hear("id name")[-1].text.removeprefix("id name "))
    program.ready("setoption name Hash value 16", "setoption name Threads value 1")
    return program


def core_count() -> int:
    """The cores that we may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def alternate(
    name: str, unit: str, first: Callable[[], float], second: Callable[[], float]
) -> float:
    """The ratio, first to second, of the medians of measurements taken in turns."""
    note(f"{name}, in {unit}:")
    pairs = []
    for _ in range(RUNS):
        pairs.append((first(), second()))
        note(f"  {pairs[-1][0]:13,.3f} : {pairs[-1][1]:13,.3f}")
    return median(pair[0] for pair in pairs) / median(pair[1] for pair in pairs)


# --- What is measured ---------------------------------------------------------------------------


def measure_perft() -> Iterator[Row]:
    """Generating, making and unmaking moves, without the engine's pipes; ours : Stockfish's"""
    from engine.board.fen import set_fen
    from engine.board.perft import perft
    from engine.board.position import MoveLists
    from engine.board.tables import new_position, new_tables

    pos, lists = new_position(new_tables()), MoveLists()

    def our_speed(depth: int) -> float:
        started = time.perf_counter()
        leaves = int(perft(pos, lists, depth, 0))
        return leaves / (time.perf_counter() - started)

    def their_speed(depth: int) -> float:
        sent = other.send(f"go perft {depth}")
        last = other.hear("Nodes searched")[-1]
        return int(last.text.split()[-1]) / (last.arrived - sent)

    with stockfish() as other:
        for name, fen in POSITIONS.items():
            set_fen(pos, fen)
            other.ready(f"position fen {fen}")
            our_speed(2)  # loads the machine code
            what, depth = f"perft of the {name}", PERFT_DEPTHS[name]
            ours, theirs = partial(our_speed, depth), partial(their_speed, depth)
            yield at_least(what, alternate(what, "leaves/s", ours, theirs), 0.85)


def measure_search() -> Iterator[Row]:
    """Nodes a second of one thread; ours : Stockfish's"""
    with stockfish() as other, wadjet() as own:
        yield from compare_searches("search", own, other, 4.0)


def measure_threads() -> Iterator[Row]:
    """Nodes a second; two threads : one"""
    if core_count() < 2:
        raise SkippedError("there is only one core")
    with wadjet(threads=2) as double, wadjet(threads=1) as single:
        yield from compare_searches("two threads", double, single, 1.9)


def compare_searches(what: str, first: Program, second: Program, goal: float) -> Iterator[Row]:
    for name, fen in POSITIONS.items():
        speeds = [partial(program.nodes_per_second, fen) for program in (first, second)]
        yield at_least(f"{what}, {name}", alternate(name, "nodes/s", *speeds), goal)


def measure_start() -> Iterator[Row]:
    """From starting the process to its first answers, with compiled kernels and without."""

    def start(command: Sequence[str], **environment: str) -> tuple[float, float]:
        with Program(command, **environment) as program:
            program.send("uci", "isready")
            greeted = program.when("uciok")
            return greeted - program.started, program.when("readyok") - program.started

    times = [start(wadjet_command()) for _ in range(QUICK_RUNS)]
    note("uciok, readyok: " + ", ".join(f"{a:.3f} s {b:.3f} s" for a, b in times))
    yield at_most("start to uciok", median(greeted for greeted, _ in times), 0.1, "s")
    yield at_most("start to readyok", median(ready for _, ready in times), 0.5, "s")

    found = importlib.util.find_spec("engine")
    if found is None or Path(found.origin or "").parent != ROOT / "engine":
        raise SkippedError("cold clone: an installed engine never compiles")
    with tempfile.TemporaryDirectory() as cache:
        _, ready = start([sys.executable, "-m", "uci"], WADJET_CACHE=cache)
    yield at_most("cold clone, start to readyok", ready, 15.0, "s")


def measure_stop() -> Iterator[Row]:
    """How soon a search ends when it should."""
    quits = []
    for _ in range(QUICK_RUNS):
        with wadjet() as program:
            program.send("position startpos", "go infinite")
            time.sleep(0.5)
            sent = program.send("quit")
            program.process.wait(PATIENCE_S)
            quits.append(time.perf_counter() - sent)
    yield at_most(f"quit during a search, worst of {QUICK_RUNS}", max(quits), 0.2, "s")

    with wadjet() as program:
        times = [program.answer_ms(number, "go infinite", "stop") for number in range(ANSWERS)]
    yield from median_and_worst("stop to bestmove", times, 5.0)

    cores, go = core_count(), f"go movetime {MOVETIME_MS}"
    with wadjet(threads=cores) as program:
        times = [program.answer_ms(number, go) for number in range(ANSWERS)]
    yield from median_and_worst(f"{go}, {cores} threads", times, MOVETIME_MS + 5.0)


def median_and_worst(what: str, times_ms: list[float], goal_ms: float) -> Iterator[Row]:
    note(f"{what}: " + " ".join(f"{ms:.1f}" for ms in times_ms) + " ms")
    yield at_most(f"{what}, median of {len(times_ms)}", median(times_ms), goal_ms, "ms")
    yield at_most(f"{what}, worst of {len(times_ms)}", max(times_ms), goal_ms, "ms")


def measure_memory() -> Iterator[Row]:
    """Physical memory with 16 MB of hash, and whether game after game makes it grow."""
    with wadjet() as program:
        yield at_most("memory when ready", program.resident_mb(), 150.0, "MB")
        program.nodes_per_second(POSITIONS["kiwipete"])
        yield at_most("memory after a search", program.resident_mb(), 150.0, "MB")

    dice = random.Random(1)
    note(f"{GAMES} games against itself, {GAME_NODES} nodes a move, {GAME_PLIES} plies at most")
    with wadjet() as program:
        sizes = []
        for number in range(1, GAMES + 1):
            play_game(program, dice)
            sizes.append(program.resident_mb())
            if number in (1, WARM_UP_GAMES) or number % 50 == 0:
                note(f"  {number:3} games: {sizes[-1]:.2f} MB")
    growth = sizes[-1] - sizes[WARM_UP_GAMES - 1]
    yield at_most(f"memory after {GAMES} games", sizes[-1], 150.0, "MB")
    yield at_most(f"growth from game {WARM_UP_GAMES} to {GAMES}", growth, STEADY_MB, "MB")


def play_game(program: Program, dice: random.Random) -> None:
    """A short game of the program against itself, from a random opening."""
    moves: list[str] = []
    program.ready("ucinewgame")
    while len(moves) < GAME_PLIES:
        program.send(" ".join(["position startpos moves", *moves]))
        if len(moves) < RANDOM_PLIES:
            program.send("go perft 1")
            counts = [line.text for line in program.hear("Nodes") if line.text.endswith(": 1")]
            move = dice.choice(counts).split(":")[0]
        else:
            program.send(f"go nodes {GAME_NODES}")
            move = program.hear("bestmove")[-1].text.split()[1]
        if move == "(none)":
            return
        moves.append(move)


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
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(SECTIONS))
    wanted: list[str] = parser.parse_args().sections or list(SECTIONS)
    unknown = [name for name in wanted if name not in SECTIONS]
    if unknown:
        parser.error(f"no section {unknown[0]!r}, there are: {', '.join(SECTIONS)}")
    sys.path.append(str(ROOT))  # last, so that an installed engine is preferred here too

    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    python = f"Python {platform.python_version()}"
    print(f"{' '.join(wadjet_command())}, {python}, {core_count()} cores{load}")
    with wadjet():  # a clone compiles its kernels now, not while something is measured
        pass
    rows: list[Row] = [Row("what", "measured")]
    all_run = True
    for name in wanted:
        print(f"{name}: {SECTIONS[name].__doc__}", flush=True)
        try:
            for row in SECTIONS[name]():
                rows.append(row)  # one by one: a section that fails has had results before
        except SkippedError as reason:
            rows.append(Row(name, f"skipped: {reason}", "", ""))
        except (FailedError, OSError, subprocess.TimeoutExpired) as reason:
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
