"""How kernels run: environment variables, read once when the process starts.

NUMBA_DISABLE_JIT=1     compile and load nothing: kernels run as plain Python
WADJET_KERNEL_CHECKS=1  compile kernels that compare every index with its bound
WADJET_CACHE=FOLDER     keep compiled kernels there, not in the user's cache folder
"""

from __future__ import annotations

import os


def _is_on(variable: str) -> bool:
    return os.environ.get(variable, "") not in ("", "0")


INTERPRETED = _is_on("NUMBA_DISABLE_JIT")
CHECKED = _is_on("WADJET_KERNEL_CHECKS")
CACHE = os.environ.get("WADJET_CACHE", "")
