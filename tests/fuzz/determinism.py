"""One signature: on every processor level, checked, interpreted, and after any options."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from random import Random

from engine.api import Engine
from engine.bench import POSITIONS
from engine.events import SearchEvent, SearchInfo
from engine.limits import Limits
from engine.native import processor
from engine.settings import DEFAULTS
from tests.soak.page import Row

DEPTH = 3  # interpreted kernels take minutes for more
SEARCHED = POSITIONS[:12]
# Chooses the level before any module asks for it.
ON_LEVEL = """
import sys
from engine.native import processor
level = sys.argv[1]
if level:
    processor.usable_levels = lambda: [level]
from engine.bench import run_bench
print(run_bench(depth=int(sys.argv[2]), hash_mb=1, on_line=lambda line: None).nodes)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--times", type=int, default=1000, help="sequences (default: 1000)")
    parser.add_argument("--first", type=int, default=0, help="first sequence (default: 0)")
    parser.add_argument("--no-levels", action="store_true", help="only the sequences of options")


def run(arguments: argparse.Namespace) -> list[Row]:
    rows = [] if arguments.no_levels else [levels_row()]
    return [*rows, options_row(arguments.first, arguments.times)]


def levels_row() -> Row:
    found = dict(signatures())
    return Row(
        test="determinism: levels",
        command="python -m tests.fuzz determinism",
        size=f"bench {DEPTH}: {', '.join(found)}",
        result=" ".join(map(str, sorted(set(found.values())))) + " nodes",
        faults=len(set(found.values())) - 1,
        order=80,
    )


def signatures() -> Iterator[tuple[str, str]]:
    """The nodes of a shallow bench, by way of running the kernels."""
    usable = processor.usable_levels()
    levels = list(processor.X86_64_LEVELS) if processor.is_x86_64() else usable
    levels[:0] = [level for level in usable if level.endswith(processor.PEXT)]
    for level in levels:
        yield level, _bench(level, {})
    yield "checked", _bench("", {"WADJET_KERNEL_CHECKS": "1"})
    yield "interpreted", _bench("", {"NUMBA_DISABLE_JIT": "1"})


def _bench(level: str, variables: Mapping[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", ON_LEVEL, level, str(DEPTH)],
        env={**os.environ, **variables},
        capture_output=True,
        encoding="utf-8",
    )
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


# --- Options -----------------------------------------------------------------------------------


def options_row(first: int, times: int) -> Row:
    engine = Engine(hash_mb=1)
    expected = signature(engine)
    different = [
        number
        for number in range(first, first + times)
        if after_options(engine, number) != expected
    ]
    return Row(
        test="determinism: options",
        command=f"python -m tests.fuzz determinism --no-levels --first {first} --times {times}",
        size=f"{times:,} random sequences of options and searches, then the defaults",
        result=f"{expected} nodes each time" if not different else f"other nodes: {different[:9]}",
        faults=len(different),
        order=81,
    )


def after_options(engine: Engine, number: int) -> int:
    """The signature of an engine that has been through anything and is set back."""
    random = Random(number)
    for _ in range(random.randrange(1, 9)):
        _change(engine, random)
        if random.random() < 0.5:
            _search(engine, random.choice(POSITIONS), Limits(nodes=random.randrange(1, 2000)))
    defaults = {name: getattr(DEFAULTS, name) for name in CHANGES}
    engine.configure(**{**defaults, "hash_mb": 1})
    engine.set_evaluation("network")
    engine.set_tablebases("")
    engine.new_game()
    return signature(engine)


CHANGES = {
    "hash_mb": (1, 2, 3, 8),
    "threads": (1, 2, 3),
    "multi_pv": (1, 2, 5),
    "ponder": (False, True),
    "chess960": (False, True),
    "move_overhead_ms": (0, 10, 500),
    "show_wdl": (False, True),
    "nodes_per_ms": (0, 100),
    "tablebase_least_depth": (1, 10),
    "tablebase_fifty_moves": (True, False),
    "tablebase_most_men": (0, 3, 7),
}


def _change(engine: Engine, random: Random) -> None:
    kind = random.randrange(6)
    if kind == 0:
        engine.set_evaluation(random.choice(("classical", "network")))
    elif kind == 1:
        engine.set_tablebases(random.choice(("", "nowhere")))
    elif kind == 2:
        random.choice((engine.clear_hash, engine.new_game))()
    else:
        name = random.choice(list(CHANGES))
        engine.configure(**{name: random.choice(CHANGES[name])})


def signature(engine: Engine) -> int:
    nodes = 0
    for fen in SEARCHED:
        engine.new_game()
        nodes += _search(engine, fen, Limits(depth=DEPTH))
    return nodes


def _search(engine: Engine, fen: str, limits: Limits) -> int:
    """The nodes of a search."""
    events: list[SearchEvent] = []
    engine.set_position(fen, ())
    engine.go(limits, events.append)
    engine.wait()
    infos = [event for event in events if isinstance(event, SearchInfo)]
    return infos[-1].nodes if infos else 0
