"""Plain Python: memory-mapped files, which may be cut short while kernels read them.

Reading a page beyond the end of its file is a bus error and ends the program. On Linux and macOS a
signal handler substitutes zeros for the missing page and notifies the owner of the mapping; the
read goes on. Windows does not allow a mapped file to be cut; other systems have no such guard here.
"""

from __future__ import annotations

import ctypes
import mmap
import signal
import sys
from collections.abc import Callable
from typing import Any, BinaryIO, NamedTuple
from weakref import WeakSet

import numpy as np


class MappedFile:
    """A file in memory. The system loads each page when it is first read.

    `content` and `array` (uint8) show the same bytes. `on_loss` is called, in the thread that
    reads, when bytes are missing; they read as 0 until the file is mapped again.
    """

    def __init__(self, file: BinaryIO):
        self.content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if hasattr(self.content, "madvise"):
            self.content.madvise(mmap.MADV_RANDOM)
        self.array = np.frombuffer(self.content, np.uint8)
        self.start = self.array.ctypes.data
        self.end = self.start + len(self.array)
        self.on_loss: Callable[[], None] = lambda: None
        if sys.platform in _SYSTEMS:
            _guard.watch(self)


# --- The guard, for Linux and macOS ---------------------------------------------------------------

_MAP_FIXED = 0x10  # Python's mmap does not name it
_Handler = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


class _LinuxAction(ctypes.Structure):
    """struct sigaction, as glibc and musl have it, 64 bits."""

    _fields_ = (
        ("handler", _Handler),
        ("mask", ctypes.c_ubyte * 128),
        ("flags", ctypes.c_int),
        ("restorer", ctypes.c_void_p),
    )


class _MacAction(ctypes.Structure):
    """struct sigaction of macOS."""

    _fields_ = (("handler", _Handler), ("mask", ctypes.c_uint32), ("flags", ctypes.c_int))


class _System(NamedTuple):
    action: type[ctypes.Structure]
    with_address: int  # SA_SIGINFO: the handler gets a siginfo_t
    address_at: int  # where the address is in it, in bytes


_SYSTEMS = {
    "linux": _System(_LinuxAction, with_address=0x4, address_at=16),
    "darwin": _System(_MacAction, with_address=0x40, address_at=24),
}


class _Guard:
    """The handler of bus errors. It runs in the thread that read, which holds no lock then."""

    def __init__(self) -> None:
        self.files: WeakSet[MappedFile] = WeakSet()
        self.library: Any = None
        self.system = _SYSTEMS.get(sys.platform, _SYSTEMS["linux"])
        self.before = self.system.action()
        self.handler = _Handler(self._on_bus_error)  # has to live as long as the process

    def watch(self, file: MappedFile) -> None:
        if self.library is None:
            self.library = ctypes.CDLL(None)
            self.library.mmap.restype = ctypes.c_void_p
            self.library.mmap.argtypes = (
                ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int,
                ctypes.c_long,
            )  # fmt: skip
            action = self.system.action(handler=self.handler, flags=self.system.with_address)
            self.library.sigaction(signal.SIGBUS, ctypes.byref(action), ctypes.byref(self.before))
        self.files.add(file)

    def _on_bus_error(self, number: int, info: int, _context: int) -> None:
        address = ctypes.c_size_t.from_address(info + self.system.address_at).value
        for file in list(self.files):
            if file.start <= address < file.end:
                page = address - address % mmap.PAGESIZE
                flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_FIXED
                self.library.mmap(page, file.end - page, mmap.PROT_READ, flags, -1, 0)
                file.on_loss()
                return
        # Not ours: it happens again, to whoever handled it before.
        self.library.sigaction(number, ctypes.byref(self.before), None)


_guard = _Guard()
