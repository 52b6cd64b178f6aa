"""The parts of the soak: each a kind of game in which engines have failed."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from tuning.engines import command_of

CROWD = 3  # games at once in a part with a number of cores, by our runner

# Debian's engines, as they are called there and elsewhere.
OPPONENTS = ("stockfish", "ethereal-chess", "toga2", "glaurung")


@dataclass(frozen=True)
class Part:
    """Games of the engine against itself and others. `own_options` are for our side only."""

    purpose: str
    games: int
    time_control: str = "1+0.01"
    nodes: int | None = None
    options: dict[str, str] = field(default_factory=dict)
    own_options: dict[str, str] = field(default_factory=dict)
    chess960: bool = False
    ponder: bool = False
    cores: int = 0  # for CROWD games at once; forfeits are no fault if the others have as many
    checked: bool = False  # by kernels that check every index, against itself only


PARTS = {
    "bullet": Part("the clock is always short", 5000),
    "hyper-bullet": Part("the increment is smaller than the overhead", 500, "0.5+0.005"),
    "crowded": Part("three games at once, by python-chess, on two cores", 200, cores=2),
    "one-core": Part("three games at once, by python-chess, on one core", 200, cores=1),
    "sudden-death": Part("no increment", 500, "5+0"),
    "chess960": Part("castling as king takes rook", 200, "2+0.02", chess960=True),
    "ponder": Part("thinks on the opponent's time", 200, "2+0.02", ponder=True),
    "threads": Part("two threads", 200, "2+0.02", options={"Threads": "2"}),
    "book": Part(
        "own book, tablebases from the start of the ending",
        100,
        "2+0.02",
        own_options={"OwnBook": "true", "SyzygyPath": "no-such-folder"},
    ),
    "checked": Part("every index of the kernels checked", 100, nodes=2000, checked=True),
}


def checked_command(command: str) -> str:
    """The engine whose kernels check every index."""
    words = command_of(command)
    quoted = " ".join(f'"{word}"' for word in words)
    if sys.platform == "win32":
        raise OSError("the part `checked` needs the program env")
    return f"env WADJET_KERNEL_CHECKS=1 {quoted}"
