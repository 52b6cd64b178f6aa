"""Files that are written completely or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from zipfile import is_zipfile

import numpy as np

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


FAR_BEYOND = 1 << 40  # the end of any file


@contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """A binary file to write, which replaces `path` when the block ends without an error.

    Until then it has another name in the same folder; after an error it is removed.
    """
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(temporary, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Replace `path` by `text` in UTF-8, completely or not at all."""
    with written_whole(path) as file:
        file.write(text.encode())


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
