"""How long engines take to a depth: nodes and seconds over the positions of the bench.

    python -m tests.benchmarks.time_to_depth --depth 18 "python -m uci" "../older/wadjet"

Each argument is the command of a UCI engine; each searches with one thread and an empty table.
Engines take turns position by position, so that a machine that gets slower slows all of them.
"""

from __future__ import annotations

import argparse
import shlex
import time
from pathlib import Path
from statistics import median

import chess
import chess.engine

from engine.bench import POSITIONS

ROOT = Path(__file__).resolve().parents[2]


def measure(
    engine: chess.engine.SimpleEngine, fen: str, depth: int, most_s: float
) -> tuple[int, float]:
    """Nodes and seconds of one search; infinite seconds if it was given up after `most_s`."""
    started = time.perf_counter()
    limit = chess.engine.Limit(depth=depth, time=most_s)
    info = engine.analyse(chess.Board(fen), limit, game=object())
    seconds = time.perf_counter() - started
    finished = info.get("depth", 0) >= depth
    return info.get("nodes", 0), seconds if finished else float("inf")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("engines", nargs="+", metavar="COMMAND")
    parser.add_argument("--depth", type=int, default=18)
    parser.add_argument("--hash", type=int, default=64, metavar="MB")
    parser.add_argument("--most", type=float, default=60, metavar="SECONDS",
        help="longest search of a position (default: 60)")  # fmt: skip
    arguments = parser.parse_args()
    engines = [
        chess.engine.SimpleEngine.popen_uci(shlex.split(command), cwd=ROOT)
        for command in arguments.engines
    ]
    results: list[list[tuple[int, float]]] = [[] for _ in engines]
    try:
        for engine in engines:
            engine.configure({"Hash": arguments.hash, "Threads": 1})
        for number, fen in enumerate(POSITIONS, 1):
            for engine, found in zip(engines, results, strict=True):
                found.append(measure(engine, fen, arguments.depth, arguments.most))
            shown = "  ".join(f"{found[-1][0]:>12,} {found[-1][1]:7.2f} s" for found in results)
            print(f"{number:2}/{len(POSITIONS)}  {shown}", flush=True)
    finally:
        for engine in engines:
            engine.quit()
    for command, found in zip(arguments.engines, results, strict=True):
        nodes, seconds = median(n for n, _ in found), median(s for _, s in found)
        given_up = sum(s == float("inf") for _, s in found)
        print(
            f"{command}: median to depth {arguments.depth} {nodes:,.0f} nodes, {seconds:.2f} s,"
            f" {given_up} positions given up after {arguments.most:g} s"
        )


if __name__ == "__main__":
    main()
