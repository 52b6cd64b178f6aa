"""The guard against files that are cut short. What it does on Linux: test_damage.py."""

from __future__ import annotations

import ctypes
import mmap
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from tablebases import mapping

MAC_SIGINFO = 0x40  # <sys/signal.h>


class Recorder:
    """The functions of a C library, which do nothing but remember."""

    def __init__(self) -> None:
        self.mapped: list[tuple[int, int]] = []
        self.actions: list[tuple[int, Any]] = []

    def sigaction(self, number: int, action: Any, _before: Any) -> int:
        self.actions.append((number, action._obj if action else None))
        return 0

    def mmap(self, start: int, length: int, *_: int) -> int:
        self.mapped.append((start, length))
        return start


@pytest.fixture
def mac(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    """macOS, as the guard sees it."""
    library = Recorder()

    class Functions:
        sigaction = staticmethod(lambda *arguments: library.sigaction(*arguments))

        def __init__(self, _name: None) -> None:
            self.mmap = lambda *arguments: library.mmap(*arguments)

    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(ctypes, "CDLL", Functions)
    monkeypatch.setattr(mapping, "_guard", mapping._Guard())
    return library


@pytest.mark.skipif(not hasattr(signal, "SIGBUS"), reason="Windows cuts no mapped file")
def test_macos_has_its_own_structures(mac: Recorder, tmp_path: Path) -> None:
    (tmp_path / "table").write_bytes(bytes(100_000))
    losses: list[str] = []
    with open(tmp_path / "table", "rb") as file:
        mapped = mapping.MappedFile(file)
    mapped.on_loss = lambda: losses.append("lost")
    ((number, action),) = mac.actions
    assert (number, action.flags) == (signal.SIGBUS, MAC_SIGINFO)
    assert ctypes.sizeof(action) == 16

    # siginfo_t of macOS: six int, then the address
    info = (ctypes.c_uint64 * 8)()
    page = mmap.PAGESIZE
    info[3] = mapped.start + page + 5
    mapping._guard._on_bus_error(signal.SIGBUS, ctypes.addressof(info), 0)
    assert losses == ["lost"]
    assert mac.mapped == [(mapped.start + page, len(mapped.array) - page)]

    info[3] = mapped.end + 100 * page  # a fault of somebody else, who is asked next
    mapping._guard._on_bus_error(signal.SIGBUS, ctypes.addressof(info), 0)
    assert losses == ["lost"]
    assert len(mac.actions) == 2


def test_no_guard_where_the_structures_are_unknown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "platform", "some other")
    monkeypatch.setattr(mapping, "_guard", None)
    (tmp_path / "table").write_bytes(b"1234")
    with open(tmp_path / "table", "rb") as file:
        assert bytes(mapping.MappedFile(file).content) == b"1234"
