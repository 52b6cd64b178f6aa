"""Where the games of a process are played: each player is seated when it first plays."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import ExitStack
from multiprocessing.util import Finalize
from random import Random

from tuning.calibration.games import play
from tuning.calibration.players import ANCHORS, LevelPlayer, Player, seat

_levels: dict[str, int] = {}
_seated: dict[str, Player] = {}
_programs = ExitStack()


def enter(levels: Mapping[str, int]) -> None:
    """Open this process's hall: `levels` by name, with their ratings."""
    _levels.update(levels)
    # A worker process does not run the usual handlers at its end; its programs would go on.
    Finalize(None, _programs.close, exitpriority=1)


def game(white: str, black: str, seed: int) -> tuple[int, list[str], float]:
    """Half points of White, the moves, and seconds. Raises OSError if a program does not play."""
    players = _player(white), _player(black)
    started = time.monotonic()
    points, moves = play(*players, Random(seed))
    return points, moves, time.monotonic() - started


def _player(name: str) -> Player:
    if name not in _seated:
        if name in _levels:
            _seated[name] = LevelPlayer(_levels[name])
        else:
            anchor = next(anchor for anchor in ANCHORS if anchor.name == name)
            _seated[name] = _programs.enter_context(seat(anchor))
    return _seated[name]
