"""Compares our probing of tables with python-chess's, in values and in speed.

    python -m tests.benchmarks.tablebases agree [--positions 2000000] [FOLDER ...]
    python -m tests.benchmarks.tablebases speed [FOLDER ...]

FOLDER: where tables are, `tablebases/data` if none is named. `agree` probes as
many random positions of each material, WDL and, where there is a table, DTZ; its exit status is 1
if one differs. `speed` measures processor time, on one thread, after all tables have been touched.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

from engine.board.attack_tables import new_attack_tables
from engine.board.position import MoveLists, Position
from engine.native.jit import entry
from engine.tb.memory import Prober
from engine.tb.probing import probe_wdl
from tablebases.commands.sampling import Sample, new_sample, place_at_random
from tablebases.material import men
from tests.reference.tablebases import Bench, python_chess_board

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = [ROOT / "tablebases" / "data"]
OUR_PROBES = 200_000  # for each material
THEIR_PROBES = 300
ROUNDS = 100  # over all materials


@entry
def probe_at_random(
    sample: Sample, prober: Prober, pos: Position, lists: MoveLists, count: int
) -> None:
    """Probe the WDL of `count` random positions."""
    for _ in range(count):
        place_at_random(sample, pos)
        probe_wdl(prober, pos, lists, 0)


def agree(bench: Bench, positions: int) -> int:
    names = list(bench.ours.found.wdl)
    each = -(-positions // (ROUNDS * len(names)))
    different = []
    started = time.perf_counter()
    for number in range(1, ROUNDS + 1):
        for name in names:
            different += bench.compare(name, number, each)
        done, seconds = number * len(names) * each, time.perf_counter() - started
        print(f"{done} positions, {len(different)} differ, {seconds:.0f} s", flush=True)
    for line in different[:20]:
        print(line)
    return min(len(different), 1)


def speed(bench: Bench) -> int:
    names = [name for name in bench.ours.found.wdl if men(name) == 4]
    ours, theirs = 0.0, 0.0
    for name in names:
        sample = new_sample(name, random.randrange(1 << 32))
        arguments = (sample, bench.prober, bench.position, bench.lists)
        probe_at_random(*arguments, OUR_PROBES // 10)
        started = time.thread_time()
        probe_at_random(*arguments, OUR_PROBES)
        ours += time.thread_time() - started
        boards = []
        for _ in range(THEIR_PROBES):
            place_at_random(sample, bench.position)
            boards.append(python_chess_board(bench.position))
        bench.theirs.probe_wdl(boards[0])
        started = time.thread_time()
        for board in boards:
            bench.theirs.probe_wdl(board)
        theirs += time.thread_time() - started
    our_speed = OUR_PROBES * len(names) / ours
    their_speed = THEIR_PROBES * len(names) / theirs
    print(f"{len(names)} materials of 4 men, random positions, WDL")
    print(f"ours, setting up the positions included: {our_speed / 1e6:.2f} million a second")
    print(f"python-chess: {their_speed / 1e6:.4f} million a second")
    print(f"ratio: {our_speed / their_speed:.0f}")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare our probing with python-chess's.")
    parser.add_argument("section", choices=["agree", "speed"])
    parser.add_argument("folders", nargs="*", type=Path, default=FOLDERS, metavar="FOLDER")
    parser.add_argument("--positions", type=int, default=2_000_000)
    chosen = parser.parse_intermixed_args()
    bench = Bench(chosen.folders, new_attack_tables())
    problems = bench.prepare(*bench.ours.found.wdl)
    if problems or not bench.ours.found.wdl:
        print("\n".join(problems) or "no tables are there", file=sys.stderr)
        return 1
    if chosen.section == "speed":
        return speed(bench)
    return agree(bench, chosen.positions)


if __name__ == "__main__":
    sys.exit(main())
