"""The start of the one file that build.py makes: unpacks the engine once, then runs it.

It becomes `__main__.py` of the archive and uses the standard library alone.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
import tempfile
import zipfile
from pathlib import Path

KEPT = 8  # unpacked engines, the most recently used: a test alternates between two


def main() -> None:
    folder = unpacked(Path(__file__).resolve().parent)
    sys.path.insert(0, str(folder))
    from wadjet import run_engine

    run_engine()


def unpacked(archive: Path) -> Path:
    """The folder with the content of this archive; unpacked now if it is not there yet."""
    cache = _private_folder()
    folder = cache / hashlib.sha256(archive.read_bytes()).hexdigest()[:16]
    if folder.is_dir():
        os.utime(folder)
        return folder
    unfinished = Path(tempfile.mkdtemp(dir=cache, suffix=".part"))
    with zipfile.ZipFile(archive) as content:
        content.extractall(unfinished)
    try:
        unfinished.rename(folder)
    except OSError:  # another engine was faster
        shutil.rmtree(unfinished, ignore_errors=True)
    _prune(cache, folder)
    return folder


def _private_folder() -> Path:
    """Where nobody else can put programs."""
    if sys.platform == "win32":
        sys.exit("clients of OpenBench run Wadjet on Linux or macOS only")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = Path(os.environ.get("WADJET_CACHE") or Path(base, "wadjet")) / "openbench"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    state = folder.lstat()
    if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.getuid() or state.st_mode & 0o022:
        sys.exit(f"{folder}: others can write there; name another in WADJET_CACHE")
    return folder


def _prune(cache: Path, mine: Path) -> None:
    def last_used(folder: Path) -> float:
        return folder.stat().st_mtime

    others = (path for path in cache.iterdir() if path.suffix != ".part" and path != mine)
    for folder in sorted(others, key=last_used, reverse=True)[KEPT - 1 :]:
        shutil.rmtree(folder, ignore_errors=True)  # not in use: a start renews the time


if __name__ == "__main__":
    main()
