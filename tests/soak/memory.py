"""The memory of a process that plays game after game."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.soak.page import Row
from tuning.matches.built_in import GameRunner
from tuning.matches.rules import Conditions, Contender
from tuning.selfplay.starts import RandomStarts

WARM_UP = 50  # games, after which nothing should grow
ALLOWED_GROWTH = 0.03  # of the memory after the warm-up: what the allocator keeps varies


@dataclass(frozen=True)
class Growth:
    games: int
    before_kb: int  # after WARM_UP games
    after_kb: int

    @property
    def is_fault(self) -> bool:
        return self.after_kb > self.before_kb * (1 + ALLOWED_GROWTH)


def resident_kb(process_id: int) -> int:
    """The memory that a process has in RAM. OSError where the system does not tell."""
    if sys.platform != "linux":
        raise OSError("memory is measured on Linux only")
    for line in Path(f"/proc/{process_id}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise OSError(f"no memory of process {process_id}")


def measure(command: str, games: int, nodes: int, on_game: Callable[[int], None]) -> Growth:
    """Let one process play both sides of many short games."""
    random, starts = Random(1), RandomStarts()
    warm_up = min(WARM_UP, max(1, games // 2))
    before = 0
    conditions = Conditions(Path(), games, nodes=nodes, options={"Hash": "16"})
    with ExitStack() as stack:
        contender = Contender("wadjet", command)
        runner = GameRunner(stack, [contender], conditions)
        process = runner.engines[0].transport.get_pid()
        for number in range(1, games + 1):
            game = runner.play(starts.choose(random), 0, 0)
            if game.headers["Termination"] not in ("normal", "adjudication"):
                raise OSError(f"{command}: {game.end().comment} in {game.end().board().fen()}")
            on_game(number)
            if number == warm_up:
                before = resident_kb(process)
        return Growth(games, before, resident_kb(process))


def row_of(growth: Growth, nodes: int, command: str) -> Row:
    return Row(
        test="soak: memory",
        command=command,
        size=f"{growth.games} games of one process, {nodes} nodes a move",
        result=f"{growth.before_kb / 1024:.1f} MB after {WARM_UP} games, "
        f"{growth.after_kb / 1024:.1f} MB at the end",
        faults=int(growth.is_fault),
        order=30,
    )
