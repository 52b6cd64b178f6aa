"""Several engines that analyse positions side by side.

Threads suffice, because kernels release the lock of the interpreter; each thread has an engine of
its own, and so a transposition table that it shares with nobody.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
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

    def analyse(self, places: Sequence[Place], limits: Limits) -> Iterator[tuple[Place, Analysis]]:
        """Yields each place with its analysis as soon as it is done.

        Each engine takes one stretch of `places`, in order: what its transposition table keeps of a
        position helps with the next. If the caller closes the iterator, or a search fails, running
        searches are stopped.
        """
        done: SimpleQueue[tuple[Place, Analysis] | BaseException] = SimpleQueue()
        is_over = threading.Event()

        def work(engine: Engine, stretch: Sequence[Place]) -> None:
            try:
                for place in stretch:
                    if is_over.is_set():
                        return
                    done.put((place, analyse(engine, place, limits)))
            except BaseException as error:  # raised again in the thread that waits
                done.put(error)

        count = len(self._engines)
        for number, engine in enumerate(self._engines):
            first, end = (len(places) * edge // count for edge in (number, number + 1))
            stretch = places[first:end]
            threading.Thread(target=work, args=(engine, stretch), daemon=True).start()
        try:
            for _ in places:
                yield _next(done)
        finally:
            is_over.set()
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
