"""What machines bear and how precisely they sleep. Windows is imitated."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

import pytest

from engine import machine


class WindowsLibraries(dict[str, Any]):
    """`ctypes.windll`, as far as it is used."""

    def __init__(self) -> None:
        super().__init__(kernel32=self)
        self.installed_bytes = 8 << 30
        self.knows = 1

    def GlobalMemoryStatusEx(self, state: Any) -> int:  # noqa: N802 - Windows names it so
        structure = state._obj
        assert structure.size == ctypes.sizeof(structure) == 64
        structure.installed = self.installed_bytes
        return self.knows


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> WindowsLibraries:
    libraries = WindowsLibraries()
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(ctypes, "windll", libraries, raising=False)
    monkeypatch.delattr(os, "sysconf", raising=False)
    return libraries


def test_memory_of_windows(windows: WindowsLibraries) -> None:
    assert machine.memory_mb() == 8192
    with pytest.raises(MemoryError, match="8000 MB of hash do not fit into 8192 MB"):
        machine.check_hash(8000)
    windows.knows = 0
    assert machine.memory_mb() is None
    machine.check_hash(8000)  # nobody knows better


def test_memory_where_the_system_does_not_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sysconf", raising=False)
    monkeypatch.setattr(sys, "platform", "some other")
    assert machine.memory_mb() is None
    assert machine.most_threads(1 << 20) == machine.THREADS_PER_CORE * machine.cores()
