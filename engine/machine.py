"""Plain Python: what this machine, or the container we run in, can bear."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

# The memory a container may use, where Linux shows it inside the container
CONTAINER_LIMITS = (
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
)
LARGEST_HASH_SHARE = 0.9  # of the memory
LARGEST_THREADS_SHARE = 0.5  # of the memory
THREADS_PER_CORE = 32  # with many more, a search ends seconds after its deadline
STACK_BYTES = 16 << 20


def memory_mb() -> int | None:
    """What the machine has, or the container may use. None where the system does not say."""
    most = _installed_bytes()
    if most is None:
        return None
    for path in CONTAINER_LIMITS:
        with suppress(OSError, ValueError):  # no such file, or "max" in it
            most = min(most, int(Path(path).read_text(encoding="ascii")))
    return most >> 20


def _installed_bytes() -> int | None:
    if sys.platform == "win32":
        state = _MemoryState(size=ctypes.sizeof(_MemoryState))
        known = _windows("kernel32").GlobalMemoryStatusEx(ctypes.byref(state))
        return int(state.installed) if known else None
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


class _MemoryState(ctypes.Structure):
    """MEMORYSTATUSEX of Windows."""

    _fields_ = (
        ("size", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        ("installed", ctypes.c_uint64),
        ("others", ctypes.c_uint64 * 6),
    )


def _windows(library: str) -> Any:
    """A library of Windows."""
    return getattr(ctypes, "windll")[library]  # noqa: B009 - exists on Windows only


def cores() -> int:
    """Those this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_starting = threading.Lock()


def start_thread(target: Callable[..., object], *arguments: Any) -> threading.Thread:
    """A daemon that runs `target` on a stack large enough for the search, which recurses: some
    systems give threads only 512 KiB. Raises RuntimeError if the system refuses."""
    thread = threading.Thread(target=target, args=arguments, daemon=True)
    with _starting:
        usual = threading.stack_size(STACK_BYTES)
        try:
            thread.start()
        finally:
            threading.stack_size(usual)
    return thread


def check_hash(hash_mb: int) -> None:
    """Raises MemoryError with the reason if so much cannot fit."""
    most_mb = memory_mb()
    if most_mb is not None and hash_mb > most_mb * LARGEST_HASH_SHARE:
        raise MemoryError(f"{hash_mb} MB of hash do not fit into {most_mb} MB of memory")


def check_threads(threads: int, thread_bytes: int) -> None:
    """Raises MemoryError with the reason if this machine has no memory for them."""
    if threads > (most := most_threads(thread_bytes)):
        raise MemoryError(f"{threads} threads are too many for this machine, which bears {most}")


def most_threads(thread_bytes: int) -> int:
    """How many search threads are bearable, each of which needs so much memory."""
    most = THREADS_PER_CORE * cores()
    most_mb = memory_mb()
    if most_mb is not None:
        most = min(most, int(LARGEST_THREADS_SHARE * (most_mb << 20)) // thread_bytes)
    return max(1, most)
