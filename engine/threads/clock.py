"""Plain Python: the time that a search has taken, and the thread that ends it at its deadline."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from engine.machine import short_sleeps

NAP_MS = 1.0
LAST_NAPS_MS = 20.0  # naps before a deadline, because a long wait may end this late
TICK_MS = 100.0
STALL_MS = 5.0  # workers that have a processor stop far sooner


class Clock:
    """Runs from its creation on. Once started, its thread calls `on_tick` every now and then, and
    `on_deadline` when the deadline has passed; `on_stall` when that has not led to `end` soon."""

    def __init__(
        self,
        on_deadline: Callable[[], None],
        on_stall: Callable[[], None],
        on_tick: Callable[[], None],
    ) -> None:
        self._on_deadline = on_deadline
        self._on_stall = on_stall
        self._on_tick = on_tick
        self._started = time.perf_counter()
        self._deadline: float | None = None  # on the clock of time.perf_counter
        self._ended = threading.Event()
        self._changed = threading.Condition()  # guards the deadline and ends the waiting
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def elapsed_ms(self) -> float:
        return (time.perf_counter() - self._started) * 1000

    @property
    def has_deadline(self) -> bool:
        return self._deadline is not None

    def set_deadline(self, after_ms: float, from_now: bool) -> None:
        """`after_ms` count from now or from the beginning."""
        start = time.perf_counter() if from_now else self._started
        with self._changed:
            self._deadline = start + after_ms / 1000
            self._changed.notify_all()

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        """Cancel the deadline. Safe from any thread."""
        self._ended.set()
        with self._changed:
            self._changed.notify_all()

    def join(self) -> None:
        """End, and return when no callback can follow."""
        self.end()
        if self._thread.ident is not None:
            self._thread.join()

    def _watch(self) -> None:
        with short_sleeps():
            self._wait()

    def _wait(self) -> None:
        while not self._ended.is_set():
            now = time.perf_counter()
            deadline = self._deadline
            if deadline is not None and now >= deadline:
                self._on_deadline()
                if not self._ended.wait(STALL_MS / 1000):
                    self._on_stall()
                return
            left_ms = TICK_MS if deadline is None else (deadline - now) * 1000
            if left_ms > LAST_NAPS_MS:
                with self._changed:  # what changed before this moment is seen, not waited for
                    if self._deadline == deadline and not self._ended.is_set():
                        self._changed.wait(min(left_ms - LAST_NAPS_MS, TICK_MS) / 1000)
            else:
                time.sleep(min(left_ms, NAP_MS) / 1000)
            if not self._ended.is_set():
                self._on_tick()
