"""The thread that ends a search."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from engine.threads import clock


def test_sleeps_are_short_while_a_clock_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows they would take 15.6 ms, and every search would end late."""
    said: list[str] = []

    @contextmanager
    def short_sleeps() -> Iterator[None]:
        said.append("short")
        yield
        said.append("as usual")

    monkeypatch.setattr(clock, "short_sleeps", short_sleeps)
    over = threading.Event()
    watch = clock.Clock(over.set, over.set, lambda: said.append("tick"))
    watch.set_deadline(5, from_now=True)
    assert said == []
    watch.start()
    assert over.wait(30)
    watch.join()
    assert said[0] == "short"
    assert said[-1] == "as usual"
