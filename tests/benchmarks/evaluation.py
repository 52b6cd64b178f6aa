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

from engine import kernels
from engine.bench import POSITIONS
from engine.board.fen import set_fen
from engine.board.packed import POSITION, PackedPosition, pack
from engine.board.position import Position
from engine.eval.classical.trace import extract
from engine.eval.evaluate import evaluate
from engine.eval.memory import Evaluator
from engine.native import compiler, jit, loader, processor, registry
from engine.native.memory import Struct, StructArray, pointer_to, pointer_to_array
from engine.search.setup import Shared, new_thread

ROUNDS = 2000
REPEATS = 15
TRACED = 100_000


class Work(Struct):
    evaluator = pointer_to(Evaluator)
    positions = pointer_to_array(Position)


def evaluate_often(work: Work, rounds: int, count: int) -> int:
    """The sum is returned, so that nothing can be left out."""
    total = 0
    for _ in range(rounds):
        for number in range(count):
            total += evaluate(work.positions[number], work.evaluator)
    return total


def compiled() -> Callable[[Work, int, int], int]:
    """`evaluate_often` in machine code, with all of the engine, which then comes from there too."""
    kernels.import_all()
    loop = jit.Entry(jit.kernel(evaluate_often))
    registry.ENTRIES[registry.symbol(evaluate_often)] = loop
    cpu = processor.usable_levels()[0]
    machine_code = compiler.compile_kernels(list(registry.KERNELS.values()), [cpu])[cpu]
    library = loader.Library(machine_code, "this measurement")
    loader._libraries.update(dict.fromkeys(kernels.OBJECTS, library))
    return loop.bind(library)


def seconds(task: Callable[[], object], clock: Callable[[], float]) -> float:
    before = clock()
    task()
    return clock() - before


def main() -> None:
    loop = compiled()
    shared = Shared(hash_mb=1)
    work = Work()
    work.evaluator = new_thread(shared).evaluator
    positions = StructArray(Position, len(POSITIONS))
    packed = np.zeros(len(POSITIONS), POSITION)
    for number, fen in enumerate(POSITIONS):
        positions[number].tables = shared.tables
        set_fen(positions[number], fen)
        one = PackedPosition(packed[number : number + 1].view(np.uint8))
        pack(positions[number], one)
    work.positions = positions
    loop(work, 100, len(POSITIONS))
    times = [
        seconds(lambda: loop(work, ROUNDS, len(POSITIONS)), time.process_time) * 1e9
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
