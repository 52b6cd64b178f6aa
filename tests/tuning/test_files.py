"""A file is written as a whole or not at all."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from engine.files import write_text, written_whole
from tuning import files
from tuning.files import load_arrays


def test_an_error_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_text(path, "old")

    def fail() -> None:
        with written_whole(path) as file:
            file.write(b"half of the ne")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="missing"):
        write_text(tmp_path / "missing" / "file", "text")


def test_what_is_no_archive_of_arrays_is_named_without_advice(tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_text("text", encoding="utf-8")
    with pytest.raises(ValueError, match=r"^it is not an \.npz file$"):
        load_arrays(tmp_path / "a.npz")


class Msvcrt(SimpleNamespace):
    """Windows' own locks: they cover the byte at the place of the file, and nobody may read it."""

    LK_NBLCK = 2

    def __init__(self) -> None:
        self.locked: dict[tuple[int, int], int] = {}  # (file, place) -> descriptor

    def locking(self, descriptor: int, mode: int, length: int) -> None:
        assert (mode, length) == (self.LK_NBLCK, 1)
        place = os.lseek(descriptor, 0, os.SEEK_CUR)
        if self.locked.setdefault((os.fstat(descriptor).st_ino, place), descriptor) != descriptor:
            raise PermissionError(13, "Permission denied")


@pytest.fixture(params=["this system", "Windows"])
def files_module(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ModuleType]:
    """tuning/files.py, as it is here and as Windows imports it."""
    if request.param == "this system":
        yield files
        return
    msvcrt: Any = Msvcrt()
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "msvcrt", msvcrt)
    specification = importlib.util.spec_from_file_location("files_of_windows", files.__file__)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    yield module
    assert all(place == module.FAR_BEYOND for _, place in msvcrt.locked)


def test_one_process_writes_to_a_file(files_module: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "some.games"
    path.write_bytes(b"games")
    with open(path, "r+b") as first, open(path, "r+b") as second:
        first.seek(2)
        files_module.lock(first, path)
        assert first.tell() == 2  # where it was
        with pytest.raises(OSError, match=r"some\.games: another process is writing to this file"):
            files_module.lock(second, path)
        assert second.read() == b"games"  # reading is allowed


def test_a_file_system_without_locks_is_used_without(
    files_module: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    module = files_module.msvcrt if files_module is not files else files_module.fcntl
    monkeypatch.setattr(module, "locking" if files_module is not files else "flock", refuse)
    with open(tmp_path / "some.games", "wb") as file:
        files_module.lock(file, tmp_path / "some.games")
