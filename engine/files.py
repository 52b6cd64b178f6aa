"""Files that are written completely or not at all, paths that a person wrote, and why something
failed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


def expanded(text: str) -> Path:
    """A path that a person wrote: `~` is a home. Raises ValueError with the reason."""
    try:
        return Path(text).expanduser()
    except RuntimeError as reason:  # ~somebody
        raise ValueError(f"{text}: {reason}") from None


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


def reason_of(error: Exception) -> str:
    """Why something failed, without the number of the system's error, which says nothing."""
    if isinstance(error, OSError) and error.strerror:
        where = "" if error.filename is None else f"{error.filename}: "
        return f"{where}{error.strerror}"
    return str(error)
