"""The clock that kernels read, the one of time.perf_counter, as a function of the system.

Kernels call it by its address and compare its ticks with a deadline.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

NEVER = (1 << 63) - 1  # a deadline that is not reached

if sys.platform == "win32":
    CLOCK_ID = None
    _function: Any = ctypes.windll.kernel32.QueryPerformanceCounter
    _frequency = ctypes.c_int64()
    ctypes.windll.kernel32.QueryPerformanceFrequency(ctypes.byref(_frequency))
    TICKS_PER_SECOND = _frequency.value
else:
    CLOCK_ID = 8 if sys.platform == "darwin" else 1  # CLOCK_UPTIME_RAW; CLOCK_MONOTONIC
    _function = ctypes.CDLL(None).clock_gettime
    TICKS_PER_SECOND = 1_000_000_000

ADDRESS: int = ctypes.cast(_function, ctypes.c_void_p).value or 0


def ticks(seconds: float) -> int:
    """A time of time.perf_counter as kernels see it."""
    return min(int(seconds * TICKS_PER_SECOND), NEVER)
