"""Files that belong to one process, and arrays read from files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO, Any
from zipfile import is_zipfile

import numpy as np

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


FAR_BEYOND = 1 << 40  # the end of any file


def lock(file: IO[bytes], path: Path) -> None:
    """Keep an open file for this process until it is closed. OSError if another has it."""
    try:
        if sys.platform == "win32":
            position = file.tell()
            file.seek(FAR_BEYOND)  # locked bytes cannot be read
            try:
                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            finally:
                file.seek(position)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        raise OSError(f"{path}: another process is writing to this file") from None
    except OSError:  # this file system has no locks
        return


def load_arrays(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of an `.npz` file. OSError, and whatever a damaged one raises."""
    with open(path, "rb") as file:
        if not is_zipfile(file):  # NumPy would advise to unpickle it
            raise ValueError("it is not an .npz file")
        file.seek(0)
        with np.load(file, allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
