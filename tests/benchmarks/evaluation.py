"""How long one evaluation takes, and how many positions a second give their features.

    python -m tests.benchmarks.evaluation

The evaluation is called in a loop that is compiled with it for this measurement (some seconds),
over the positions of the bench in turn, with all pawns in the cache. In processor time, which a
busy machine distorts less.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from engine.bench import POSITIONS
from engine.board.fen import set_fen
from engine.board.position import Position
from engine.native.structs import StructArray
from engine.search.shared import Shared, new_worker
from tests.benchmarks.evaluation_loop import Work, evaluate_often
from tuning.data.packed import POSITION, PackedPosition, pack
from tuning.fitting.trace import extract

ROUNDS = 2000
REPEATS = 15
TRACED = 100_000


def seconds(task: Callable[[], object], clock: Callable[[], float]) -> float:
    before = clock()
    task()
    return clock() - before


def main() -> None:
    shared = Shared(hash_mb=1)
    work = Work()
    work.evaluator = new_worker(shared).evaluator
    positions = StructArray(Position, len(POSITIONS))
    packed = np.zeros(len(POSITIONS), POSITION)
    for number, fen in enumerate(POSITIONS):
        positions[number].tables = shared.tables
        set_fen(positions[number], fen)
        one = PackedPosition(packed[number : number + 1].view(np.uint8))
        pack(positions[number], one)
    work.positions = positions
    evaluate_often(work, 100, len(POSITIONS))
    times = [
        seconds(lambda: evaluate_often(work, ROUNDS, len(POSITIONS)), time.process_time) * 1e9
        for _ in range(REPEATS)
    ]
    calls = ROUNDS * len(POSITIONS)
    print(
        f"evaluation: {sorted(times)[REPEATS // 2] / calls:.0f} ns, best {min(times) / calls:.0f}"
    )

    many = np.resize(packed, TRACED)
    for threads in (1, 2):
        took = seconds(lambda: extract(many, shared.evaluation.weights, threads), time.perf_counter)  # noqa: B023
        print(f"features, {threads} threads: {TRACED / took:,.0f} positions a second")


if __name__ == "__main__":
    main()
