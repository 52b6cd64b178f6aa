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
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from types import TracebackType

ROOT = Path(__file__).resolve().parents[2]
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
POSITIONS = {"start position": "position startpos", "kiwipete": f"position fen {KIWIPETE}"}
PERFT_DEPTH = {"start position": 6, "kiwipete": 5}

RUNS = 3  # of each side, where a run is long
SEARCH_MS = 4000
QUICK_RUNS = 5  # of starts and quits
ANSWERS = 20  # to `stop` and to `go movetime`
MOVETIME_MS = 50
GAMES = 200
WARM_UP_GAMES = 10  # in which caches fill and memory may still grow
GAME_PLIES = 60
RANDOM_PLIES = 4  # at the start of a game: else all games were the same
GAME_NODES = 2000  # for each move
PATIENCE_S = 60.0  # for any answer


class Skipped(Exception):
    """This machine does not have what a measurement needs."""


class Failed(Exception):
    """A program did not do what it was asked."""


# --- The table ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    what: str
    measured: str
    goal: str = ""
    ok: str = ""


def at_least(what: str, value: float, goal: float) -> Row:
    """For ratios of speeds."""
    return Row(what, f"{value:.2f}", f">= {goal:.2f}", "yes" if value >= goal else "NO")


def at_most(what: str, value: float, goal: float, unit: str) -> Row:
    """For times and sizes."""
    return Row(what, f"{value:.3g} {unit}", f"<= {goal:g} {unit}", "yes" if value <= goal else "NO")


def print_table(rows: Sequence[Row]) -> None:
    cells = [("what", "measured", "goal", "ok")]
    cells += [(row.what, row.measured, row.goal, row.ok) for row in rows]
    widths = [max(len(line[column]) for line in cells) for column in range(4)]
    cells.insert(1, ("-" * widths[0], "-" * widths[1], "-" * widths[2], "-" * widths[3]))
    for line in cells:
        print(" | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)))


def note(text: str) -> None:
    """What the table is too short for, said when it is known."""
    print(f"  {text}", flush=True)


# --- The programs ---------------------------------------------------------------------------------


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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
                raise Failed(f"no {start!r} for {PATIENCE_S:.0f} s") from None
            if line is None:
                raise Failed(f"the program ended before {start!r}")
            heard.append(line)
        return heard

    def when(self, start: str) -> float:
        """When the next line that starts so arrives."""
        return self.hear(start)[-1].arrived

    def ready(self, *lines: str) -> None:
        """Send, and return when all of it has been done."""
        self.send(*lines, "isready")
        self.when("readyok")

    def nodes_per_second(self, position: str) -> float:
        """Of a search with nothing known beforehand, by our clock."""
        self.ready("ucinewgame", position)
        sent = self.send(f"go movetime {SEARCH_MS}")
        lines = self.hear("bestmove")
        counts = re.findall(r"^info depth .* nodes (\d+)", "\n".join(x.text for x in lines), re.M)
        if not counts:
            raise Failed("the program searched but did not say how many nodes")
        return int(counts[-1]) / (lines[-1].arrived - sent)

    def resident_mb(self) -> float:
        """The physical memory that it uses."""
        status = Path(f"/proc/{self.process.pid}/status")
        if not status.exists():
            raise Skipped("only Linux tells how much memory a process uses")
        resident = re.search(r"^VmRSS:\s+(\d+) kB", status.read_text(), re.M)
        if resident is None:
            raise Failed("the program has ended")
        return int(resident[1]) * 1024 / 1e6


def wadjet_command() -> list[str]:
    """The installed command of this Python or, in its absence, this clone."""
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
        raise Skipped("no stockfish on PATH or in /usr/games")
    program = Program([path])
    program.send("uci")
    note(program.hear("id name")[-1].text.removeprefix("id name "))
    program.ready("setoption name Hash value 16", "setoption name Threads value 1")
    return program


def core_count() -> int:
    """The cores that we may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def alternate(
    first: Callable[[], float], second: Callable[[], float], unit: str
) -> tuple[float, float]:
    """The medians of two measurements taken in turns."""
    pairs = [(first(), second()) for _ in range(RUNS)]
    for name, values in zip(("first ", "second"), zip(*pairs, strict=True), strict=True):
        note(f"  {name} " + "  ".join(f"{value:12,.3f}" for value in values) + f" {unit}")
    return median(pair[0] for pair in pairs), median(pair[1] for pair in pairs)


# --- What is measured -----------------------------------------------------------------------------


def measure_perft() -> Iterator[Row]:
    """Making, unmaking and generating moves: time of Stockfish over ours for the same count."""
    from engine.board.fen import START, set_fen
    from engine.board.perft import perft
    from engine.board.position import MoveLists
    from engine.board.tables import new_position, new_tables

    pos, lists = new_position(new_tables()), MoveLists()
    with stockfish() as other:
        for name, position in POSITIONS.items():
            set_fen(pos, START if name == "start position" else KIWIPETE)
            depth = PERFT_DEPTH[name]
            perft(pos, lists, 2, 0)  # loads the machine code
            leaves: dict[str, int] = {}

            def our_time(depth: int = depth, leaves: dict[str, int] = leaves) -> float:
                started = time.perf_counter()
                leaves["ours"] = int(perft(pos, lists, depth, 0))
                return time.perf_counter() - started

            def their_time(depth: int = depth, leaves: dict[str, int] = leaves) -> float:
                sent = other.send(f"go perft {depth}")
                last = other.hear("Nodes searched")[-1]
                leaves["theirs"] = int(last.text.split()[-1])
                return last.arrived - sent

            other.ready(position)
            note(f"perft {depth} of the {name}, first ours, second Stockfish's")
            ours, theirs = alternate(our_time, their_time, "s")
            if leaves["ours"] != leaves["theirs"]:
                raise Failed(f"the counts differ: {leaves}")
            note(f"  {leaves['ours'] / ours / 1e6:.0f} million leaves a second")
            yield at_least(f"perft {depth}, {name}: ours / Stockfish's", theirs / ours, 0.85)


def measure_search() -> Iterator[Row]:
    """Nodes a second of one thread over those of Stockfish."""
    with stockfish() as other, wadjet() as own:
        for name, position in POSITIONS.items():
            note(f"search of the {name}, first ours, second Stockfish's")
            ours, theirs = alternate(
                lambda position=position: own.nodes_per_second(position),
                lambda position=position: other.nodes_per_second(position),
                "nodes/s",
            )
            yield at_least(f"nodes/s, {name}: ours / Stockfish's", ours / theirs, 4.0)


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
        raise Skipped("cold clone: not a clone, and an installed engine never compiles")
    note("a clone with an empty cache, which compiles the kernels")
    with tempfile.TemporaryDirectory() as cache:
        _, ready = start([sys.executable, "-m", "uci"], WADJET_CACHE=cache)
    yield at_most("cold clone, start to readyok", ready, 15.0, "s")


def measure_stop() -> Iterator[Row]:
    """How soon a search ends when it should."""
    quits, stops, moves = [], [], []
    for _ in range(QUICK_RUNS):
        with wadjet() as program:
            program.send("position startpos", "go infinite")
            time.sleep(0.5)
            sent = program.send("quit")
            program.process.wait(PATIENCE_S)
            quits.append(time.perf_counter() - sent)
    note("quit: " + " ".join(f"{seconds * 1000:.0f}" for seconds in quits) + " ms")
    yield at_most("quit during a search, worst", max(quits), 0.2, "s")

    with wadjet() as program:
        for number in range(ANSWERS):
            program.ready("ucinewgame", tuple(POSITIONS.values())[number % 2])
            program.send("go infinite")
            time.sleep(0.2)
            sent = program.send("stop")
            stops.append((program.when("bestmove") - sent) * 1000)
    note("stop: " + " ".join(f"{ms:.1f}" for ms in stops) + " ms")
    yield at_most(f"stop to bestmove, median of {ANSWERS}", median(stops), 5.0, "ms")
    yield at_most(f"stop to bestmove, worst of {ANSWERS}", max(stops), 5.0, "ms")

    threads = core_count()
    with wadjet(threads) as program:
        for number in range(ANSWERS):
            program.ready("ucinewgame", tuple(POSITIONS.values())[number % 2])
            sent = program.send(f"go movetime {MOVETIME_MS}")
            moves.append((program.when("bestmove") - sent) * 1000)
    note(f"go movetime {MOVETIME_MS}: " + " ".join(f"{ms:.1f}" for ms in moves) + " ms")
    what = f"go movetime {MOVETIME_MS}, {threads} threads"
    yield at_most(f"{what}, median of {ANSWERS}", median(moves), MOVETIME_MS + 5.0, "ms")
    yield at_most(f"{what}, worst of {ANSWERS}", max(moves), MOVETIME_MS + 5.0, "ms")


def measure_threads() -> Iterator[Row]:
    """Nodes a second of two threads over those of one."""
    if core_count() < 2:
        raise Skipped("there is only one core")
    with wadjet(1) as single, wadjet(2) as double:
        for name, position in POSITIONS.items():
            note(f"search of the {name}, first one thread, second two")
            one, two = alternate(
                lambda position=position: single.nodes_per_second(position),
                lambda position=position: double.nodes_per_second(position),
                "nodes/s",
            )
            yield at_least(f"nodes/s, {name}: 2 threads / 1", two / one, 1.9)


def measure_memory() -> Iterator[Row]:
    """Physical memory with 16 MB of hash, and whether a long tournament makes it grow."""
    with wadjet() as program:
        yield at_most("memory when ready, Hash 16", program.resident_mb(), 150.0, "MB")
        program.nodes_per_second(POSITIONS["kiwipete"])
        yield at_most("memory after a search, Hash 16", program.resident_mb(), 150.0, "MB")

    dice = random.Random(1)
    note(f"{GAMES} games against itself, {GAME_NODES} nodes a move")
    with wadjet() as program:
        sizes = []
        for number in range(1, GAMES + 1):
            play_game(program, dice)
            sizes.append(program.resident_mb())
            if number in (1, WARM_UP_GAMES) or number % 50 == 0:
                note(f"  after {number:3} games {sizes[-1]:.2f} MB")
    growth = sizes[-1] - sizes[WARM_UP_GAMES - 1]
    yield at_most(f"memory after {GAMES} games", sizes[-1], 150.0, "MB")
    yield at_most(f"growth from game {WARM_UP_GAMES} to {GAMES}", growth, 1.0, "MB")


def play_game(program: Program, dice: random.Random) -> None:
    """A short game of the program against itself, from a random opening."""
    moves: list[str] = []
    program.ready("ucinewgame")
    while len(moves) < GAME_PLIES:
        program.send(" ".join(["position startpos moves", *moves]))
        if len(moves) < RANDOM_PLIES:
            program.send("go perft 1")
            legal = [
                line.text.split(":")[0] for line in program.hear("Nodes") if ": 1" in line.text
            ]
            moves.append(dice.choice(legal))
            continue
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
    print(
        f"{' '.join(wadjet_command())}, Python {platform.python_version()}, {core_count()} cores{load}"
    )
    rows, all_run = [], True
    for name in wanted:
        print(f"{name}: {SECTIONS[name].__doc__}", flush=True)
        try:
            if not rows:
                wadjet().__exit__(None, None, None)  # a clone compiles its kernels now, not later
            for row in SECTIONS[name]():
                rows.append(row)
        except Skipped as reason:
            rows.append(Row(name, f"skipped: {reason}"))
        except (Failed, OSError, subprocess.TimeoutExpired) as reason:
            rows.append(Row(name, f"FAILED: {reason}"))
            all_run = False
    print()
    print_table(rows)
    return 0 if all_run else 1


if __name__ == "__main__":
    sys.exit(main())
