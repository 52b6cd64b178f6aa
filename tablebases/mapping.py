"""Files in memory, without a descriptor for each.

Tables of up to six men are more than a thousand files, and a process may open 256 to 1,024.
Python's `mmap` keeps a descriptor of every file that it maps, which the system does not need
(and, from Python 3.13 on, `trackfd=False` spares).
"""

from __future__ import annotations

import ctypes
import mmap
import os
import sys
import weakref
from typing import IO

import numpy as np

from engine.native.structs import Array

if sys.platform == "win32":

    def map_file(file: IO[bytes]) -> Array:
        """As below. Thousands of handles are no trouble here."""
        return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)

else:
    _libc = ctypes.CDLL(None, use_errno=True)
    _mmap, _munmap, _madvise = _libc.mmap, _libc.munmap, _libc.madvise
    _mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_int64]
    _mmap.restype = ctypes.c_void_p
    _munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    _madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    _FAILED = ctypes.c_void_p(-1).value

    def map_file(file: IO[bytes]) -> Array:
        """The bytes of an open file that is not empty: uint8, read-only.

        The system loads each page when it is first read. The file may be closed; it is mapped as
        long as the array or a part of it lives. Raises OSError.
        """
        size = os.fstat(file.fileno()).st_size
        address = _mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), 0)
        if address == _FAILED:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), file.name)
        pages = (ctypes.c_uint8 * size).from_address(address)
        # Not at the end of the program: a search may still read.
        weakref.finalize(pages, _munmap, address, size).atexit = False
        _madvise(address, size, mmap.MADV_RANDOM)
        content: Array = np.ctypeslib.as_array(pages)
        content.flags.writeable = False
        return content
