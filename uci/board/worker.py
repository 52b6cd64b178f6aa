"""The one engine of a desk, and the thread that it belongs to.

It carries out what it is asked, in order; while nobody asks anything, it shows the best lines of
the position that somebody looks at.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import chess

from engine.api import PositionError
from engine.events import SearchInfo
from uci.analysis.lines import Line, Reasons, explained, line_of
from uci.game.opponent import Opponent

SHOW_EVERY_S = 0.1


@dataclass(frozen=True)
class Findings:
    """Of a search that goes on."""

    lines: list[Line]  # the best one first
    reasons: Reasons
    depth: int
    nodes: int
    nodes_per_second: int


@dataclass(frozen=True, eq=False)
class Look:
    """A position to look at until another is wanted. `show` is called from the worker's thread."""

    board: chess.Board  # nobody else's; the game goes on
    lines: int
    show: Callable[[Findings], None]
    refuse: Callable[[str], None]  # with the reason why the engine does not take the position


class Worker:
    def __init__(self, make_opponent: Callable[[], Opponent]) -> None:
        """The opponent is made in the worker's thread: a page can be shown before it is there."""
        self._make_opponent = make_opponent
        self._changed = threading.Condition()  # guards the rest
        self._jobs: deque[tuple[Callable[[Opponent], Any], Future[Any]]] = deque()
        self._look: Look | None = None
        self._looking: Look | None = None  # what the engine searches now
        self._opponent: Opponent | None = None
        self._closing = False
        self._thread = threading.Thread(target=self._work, name="engine", daemon=True)
        self._thread.start()

    def ask(self, job: Callable[[Opponent], Any]) -> Future[Any]:
        """Have something done with the engine, after what was asked before."""
        with self._changed:
            future: Future[Any] = Future()
            if self._closing:
                future.set_exception(RuntimeError("the engine has ended"))
                return future
            self._jobs.append((job, future))
            self._interrupt_look()
            return future

    def look(self, look: Look | None) -> None:
        """Show the lines of this position, or of none, as soon as nothing else is to be done."""
        with self._changed:
            self._look = look
            self._interrupt_look()

    def hurry(self) -> None:
        """What the engine searches for somebody is not wanted any more, or at once."""
        with self._changed:
            if self._opponent is not None and self._looking is None:
                self._opponent.engine.stop()

    def close(self) -> None:
        """End the engine."""
        with self._changed:
            self._closing = True
            self._jobs.clear()
            self._changed.notify_all()
            if self._opponent is not None:
                self._opponent.engine.stop()
        self._thread.join(10)

    def _interrupt_look(self) -> None:
        self._changed.notify_all()
        if self._looking is not None and self._opponent is not None:
            self._opponent.engine.stop()

    def _work(self) -> None:
        opponent = self._make_opponent()
        with self._changed:
            self._opponent = opponent
        refused: Look | None = None
        while True:
            with self._changed:
                if self._look is refused:
                    self._look = None
                self._changed.wait_for(lambda: self._closing or self._jobs or self._look)
                if self._closing:
                    break
                job = self._jobs.popleft() if self._jobs else None
                self._looking = look = None if job else self._look
            if job is not None:
                _carry_out(*job, opponent)
            elif look is not None:
                try:
                    if self._show(opponent, look):
                        refused = look
                except Exception as error:  # the engine still plays
                    look.refuse(f"The engine has failed: {error}")
                    refused = look
                with self._changed:
                    self._looking = None
        opponent.engine.close()

    def _is_wanted(self, look: Look) -> bool:
        with self._changed:
            return self._look is look and not self._jobs and not self._closing

    def _show(self, opponent: Opponent, look: Look) -> bool:
        """Until somebody wants something else. Returns whether it would be senseless again."""
        engine, board = opponent.engine, look.board
        try:
            engine.set_position(board)
        except PositionError as reason:
            look.refuse(str(reason))
            return True
        engine.options.multi_pv = most = min(look.lines, max(1, board.legal_moves.count()))
        reasons = explained(engine)
        found: dict[int, SearchInfo] = {}
        last_shown = 0.0
        with engine.infos() as infos:  # without limits
            for info in infos:
                if not self._is_wanted(look):  # perhaps before the search could be stopped
                    return False
                if info.bound != "exact":
                    continue
                found[info.multi_pv] = info
                if info.multi_pv == most and time.monotonic() - last_shown >= SHOW_EVERY_S:
                    last_shown = time.monotonic()
                    lines = [
                        line_of(found[one], found[one].pv, board.turn) for one in sorted(found)
                    ]
                    look.show(
                        Findings(lines, reasons, info.depth, info.nodes, info.nodes_per_second)
                    )
        return False


def _carry_out(job: Callable[[Opponent], Any], future: Future[Any], opponent: Opponent) -> None:
    try:
        future.set_result(job(opponent))
    except BaseException as error:  # for whoever asked
        future.set_exception(error)
