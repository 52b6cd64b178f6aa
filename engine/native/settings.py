"""How the kernels are run, as the environment asks. Read once, when the process starts.

NUMBA_DISABLE_JIT=1     nothing is compiled or loaded: kernels run as plain Python
WADJET_KERNEL_CHECKS=1  compiled so that every index is compared with its bound
WADJET_CACHE=FOLDER     where compiled kernels are kept, instead of the user's cache folder
"""

from __future__ import annotations

import os
import time

STARTED = time.time()  # before any kernel was imported


def _is_on(variable: str) -> bool:
    return os.environ.get(variable, "") not in ("", "0")


INTERPRETED = _is_on("NUMBA_DISABLE_JIT")
CHECKED = _is_on("WADJET_KERNEL_CHECKS")
CACHE = os.environ.get("WADJET_CACHE", "")
