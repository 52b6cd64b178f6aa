"""The tabs that watch a desk, and what they are told."""

from __future__ import annotations

import json
import queue
import time
from contextlib import suppress
from typing import Any

MOST_TABS = 5  # a browser keeps six connections to an address, and one must be left to ask
MOST_UNHEARD = 200  # messages to a tab that does not listen; then it is let go


class Tabs:
    """Guarded by the lock of the desk."""

    def __init__(self) -> None:
        self._all: list[queue.Queue[str]] = []
        self.none_since = time.monotonic()  # while there is none

    def __bool__(self) -> bool:
        return bool(self._all)

    def __contains__(self, heard: queue.Queue[str]) -> bool:
        return heard in self._all

    def add(self) -> queue.Queue[str]:
        """A new tab: it takes messages in JSON. If there are too many, the oldest is let go."""
        while len(self._all) >= MOST_TABS:
            oldest = self._all[0]
            self.remove(oldest)
            with suppress(queue.Full):
                oldest.put_nowait(json.dumps({"type": "away"}))
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
