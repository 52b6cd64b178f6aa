"""How the arithmetic of training is compiled: by Numba alone, not as the engine's kernels are.

Those use integers only, and training is floating point on NumPy arrays. Compiling takes some ten
seconds, so the user's cache keeps what Python calls.
"""

from __future__ import annotations

import contextlib
import shutil

from numba import config, njit

from engine.native.objects import saving_folders
from engine.native.sources import build_id_here


def set_cache_folder() -> bool:
    """Choose where Numba keeps what it compiles. False if no folder is writable.

    Of a changed source Numba sees only a function's own file, so each version of all that training
    is made of has a folder of its own; the last VERSIONS_KEPT stay.
    """
    for cache in saving_folders():
        folder = cache / f"training-{build_id_here(f'{__package__}.model')}"
        with contextlib.suppress(OSError):  # read-only, or another process prunes too
            folder.mkdir(mode=0o700, exist_ok=True)
            folder.touch()
            versions = sorted(cache.glob("training-*"), key=lambda path: -path.stat().st_mtime)
            for old in versions[VERSIONS_KEPT:]:
                shutil.rmtree(old, ignore_errors=True)
            config.CACHE_DIR = str(folder)
            return True
    return False


VERSIONS_KEPT = 4
compiled = njit(nogil=True, fastmath=True)
kept = njit(nogil=True, fastmath=True, cache=set_cache_folder())  # what Python calls
