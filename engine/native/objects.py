"""Object files: their names and folders; reading, saving and pruning them.

Objects are in the package (`pip install` puts them there, compiled by whatever Numba the builder
had) or in the user's cache, compiled by the Numba and llvmlite that are installed now. Machine code
is trusted only in folders that nobody else can write. Nothing here loads or compiles, so that the
front end can call `needs_compiling` at once.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from engine.kernels import PLAY
from engine.native.settings import CACHE, CHECKED, INTERPRETED
from engine.native.sources import build_id, build_id_here

PACKAGED_OBJECTS = Path(__file__).with_name("machine_code")
OBJECTS_KEPT = 48  # in the cache, the most recently used
LEFTOVER_AGE_S = 3600  # of a file that an engine was writing
_OURS = re.compile(r"[\w.]+-[0-9a-f]{16}-(?:checked|plain)-.+\.(?:o|part)")  # both names below


# --- Names -------------------------------------------------------------------------------------


def _prefix(name: str, build: str) -> str:
    return f"{name}-{build}-{'checked' if CHECKED else 'plain'}-"


def packaged_file(name: str, triple: str, cpu: str) -> str:
    """The name of an object's file in the package. `name`: PLAY or a module."""
    return f"{_prefix(name, build_id(name))}{triple}-{cpu}.o"


def cached_file(name: str, triple: str, cpu: str) -> str:
    """The same in the user's cache."""
    return f"{_prefix(name, build_id_here(name))}{triple}-{cpu}.o"


def needs_compiling() -> bool:
    """Whether the first kernel call of a game will compile. Loads nothing to find out.

    The answer can be wrong if machines of different kinds share a cache; then only the message to
    the user is wrong, too.
    """
    if INTERPRETED:
        return False
    if any(PACKAGED_OBJECTS.glob(packaged_file(PLAY, "*", "*"))):
        return False
    pattern = cached_file(PLAY, "*", "*")
    return not any(any(folder.glob(pattern)) for folder in _private_folders())


# --- Folders -----------------------------------------------------------------------------------


def cache_folders() -> list[Path]:
    """The folders in which this user's objects may be saved, best first."""
    if CACHE:
        return [Path(CACHE)]
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "")
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    folders = [Path(os.path.expanduser(base)) / "wadjet"]
    with contextlib.suppress(FileNotFoundError):  # no usable folder for temporary files
        temporary = Path(tempfile.gettempdir())
        if sys.platform == "win32":
            folders.append(temporary / "wadjet-user")
        else:
            folders.append(temporary / f"wadjet-{os.getuid()}")
    return [folder for folder in folders if folder.is_absolute()]


def is_private(folder: Path) -> bool:
    """Whether it is a folder where only this user can write. Others could put their machine code
    elsewhere, or a link in its place."""
    try:
        state = folder.lstat()
    except OSError:
        return False
    if not stat.S_ISDIR(state.st_mode):
        return False
    if sys.platform == "win32":
        return True  # mode bits mean nothing there; %LOCALAPPDATA% and %TEMP% are the user's own
    return state.st_uid == os.getuid() and not state.st_mode & 0o022


def _private_folders() -> Iterator[Path]:
    return filter(is_private, cache_folders())


def saving_folders() -> Iterator[Path]:
    """The private cache folders, created if missing. They may be read-only."""
    for folder in cache_folders():
        with contextlib.suppress(OSError):  # the next one may be possible
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if is_private(folder):
            yield folder


# --- Reading and saving: a file is a SHA-256 digest, then the machine code ---------------------


def read_object(path: Path) -> bytes | None:
    """The machine code, or None if the file is missing or damaged."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    digest, machine_code = content[:32], content[32:]
    return machine_code if hashlib.sha256(machine_code).digest() == digest else None


def write_object(path: Path, machine_code: bytes) -> None:
    """Save atomically, so that engines started together never read half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(machine_code).digest() + machine_code)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError:  # the disk is full, or on Windows another engine is reading the file
        Path(temporary).unlink(missing_ok=True)
        raise


def find_object(name: str, triple: str, cpu: str) -> tuple[Path, bytes] | None:
    """The path of an object and its machine code. None if there is none."""
    path = PACKAGED_OBJECTS / packaged_file(name, triple, cpu)
    machine_code = read_object(path)
    if machine_code is not None:
        return path, machine_code
    return find_cached(cached_file(name, triple, cpu))


def find_cached(file: str) -> tuple[Path, bytes] | None:
    """The same for a file of the user's cache."""
    for folder in _private_folders():
        path = folder / file
        machine_code = read_object(path)
        if machine_code is not None:
            with contextlib.suppress(OSError):  # a read-only cache is not pruned either
                os.utime(path)  # recently used: `prune` keeps it
            return path, machine_code
    return None


def save_object(name: str, machine_code: bytes) -> Path | None:
    """Save an object for the next start and prune old ones. None if no folder is writable."""
    for folder in saving_folders():
        try:
            write_object(folder / name, machine_code)
        except OSError:  # read-only or full: the next folder may not be
            continue
        prune(folder)
        return folder / name
    return None


def prune(folder: Path) -> None:
    """Delete the least recently used objects, and leftovers of killed engines.

    Failures are ignored: another engine may be pruning too, Windows does not delete open files,
    and an engine can play with a cache that stays large.
    """
    objects: list[tuple[float, Path]] = []
    for path in folder.iterdir():
        with contextlib.suppress(OSError):
            state = path.lstat()
            if not _OURS.fullmatch(path.name) or not stat.S_ISREG(state.st_mode):
                continue  # the folder may hold other people's files too
            age_s = time.time() - state.st_mtime
            if path.suffix == ".o":
                objects.append((age_s, path))
            elif age_s > LEFTOVER_AGE_S:
                path.unlink()
    for _, path in sorted(objects)[OBJECTS_KEPT:]:
        with contextlib.suppress(OSError):
            path.unlink()
