"""Several engines that analyse positions side by side.

Threads suffice, because kernels release the lock of the interpreter; each thread has an engine of
its own, and so a transposition table that it shares with nobody.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Iterator
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from uci.analysis.positions import Analysis, Place, analyse

if TYPE_CHECKING:
    from engine.api import Engine
    from engine.limits import Limits

POLL_S = 0.2  # so often the main thread can hear Ctrl-C; Windows needs that


class Analysts:
    def __init__(self, count: int, **settings: Any) -> None:
        """`count` engines with these settings (engine/settings.py). Raises MemoryError."""
        from engine.api import Engine

        self._engines = [
            Engine(show_wdl=True, analyse_mode=True, move_overhead_ms=0, **settings)
            for _ in range(count)
        ]

    @property
    def problem(self) -> str:
        """What the user should know about the evaluation; usually empty."""
        return self._engines[0].start_problem

    def check(self, place: Place) -> None:
        """Raises PositionError if the engine does not take that position or its moves."""
        self._engines[0].configure(chess960=place.chess960)
        self._engines[0].set_position(place.fen, place.moves)

    def analyse(self, places: Iterable[Place], limits: Limits) -> Iterator[tuple[Place, Analysis]]:
        """Yields each place with its analysis as soon as it is done; begins them in order.

        If the caller closes the iterator, or a search fails, running searches are stopped.
        """
        waiting = deque(places)
        expected = len(waiting)
        done: SimpleQueue[tuple[Place, Analysis] | BaseException] = SimpleQueue()

        def work(engine: Engine) -> None:
            try:
                while True:
                    try:
                        place = waiting.popleft()
                    except IndexError:
                        return
                    done.put((place, analyse(engine, place, limits)))
            except BaseException as error:  # raised again in the thread that waits
                done.put(error)

        for engine in self._engines:
            threading.Thread(target=work, args=(engine,), daemon=True).start()
        try:
            for _ in range(expected):
                yield _next(done)
        finally:
            waiting.clear()
            for engine in self._engines:
                engine.stop()


def _next(
    done: SimpleQueue[tuple[Place, Analysis] | BaseException],
) -> tuple[Place, Analysis]:
    while True:
        try:
            item = done.get(timeout=POLL_S)
        except Empty:
            continue
        if isinstance(item, BaseException):
            raise item
        return item
