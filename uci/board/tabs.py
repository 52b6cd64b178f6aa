"""The tabs that watch a desk, and what they are told."""

from __future__ import annotations

import json
import queue
import time
from typing import Any

from uci.board.asked import RefusedError

MOST_TABS = 64
MOST_UNHEARD = 200  # messages to a tab that does not listen; then it is let go


class Tabs:
    """Guarded by the lock of the desk."""

    def __init__(self) -> None:
        self._all: list[queue.Queue[str]] = []
        self.none_since = time.monotonic()  # while there is none

    def __bool__(self) -> bool:
        return bool(self._all)

    def add(self) -> queue.Queue[str]:
        """A new tab: it takes messages in JSON. Raises RefusedError if there are too many."""
        if len(self._all) >= MOST_TABS:
            raise RefusedError("too many tabs are open")
        self._all.append(queue.Queue(MOST_UNHEARD))
        return self._all[-1]

    def remove(self, heard: queue.Queue[str]) -> None:
        if heard in self._all:
            self._all.remove(heard)
            self.none_since = time.monotonic()

    def tell(self, kind: str, **message: Any) -> None:
        text = json.dumps({"type": kind, **message}, separators=(",", ":"))
        for heard in list(self._all):
            try:
                heard.put_nowait(text)
            except queue.Full:
                self.remove(heard)
