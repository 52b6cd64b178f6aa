"""Object files: damage, folders of others, and clearing away."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import pytest

from engine.native import objects


def test_a_damaged_object_is_not_loaded(tmp_path: Path) -> None:
    path = tmp_path / "kernels.o"
    objects.write_object(path, b"machine code")
    assert objects.read_object(path) == b"machine code"
    path.write_bytes(path.read_bytes()[:-1])
    assert objects.read_object(path) is None
    assert objects.read_object(tmp_path / "missing.o") is None
    assert [file.name for file in tmp_path.iterdir()] == ["kernels.o"]


@pytest.mark.skipif(sys.platform == "win32", reason="mode bits mean nothing there")
def test_a_folder_that_others_can_write_is_not_trusted(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    assert objects.is_private(tmp_path)
    tmp_path.chmod(0o770)
    assert not objects.is_private(tmp_path)
    assert not objects.is_private(tmp_path / "missing")


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_link_to_a_folder_is_not_trusted(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    assert objects.is_private(tmp_path / "folder")
    assert not objects.is_private(tmp_path / "link")


def test_there_may_be_no_folder_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_folder() -> str:
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr(objects, "CACHE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    monkeypatch.setenv("LOCALAPPDATA", "not/absolute")
    monkeypatch.setattr(tempfile, "gettempdir", no_folder)
    if sys.platform != "darwin":
        assert objects.cache_folders() == []
        assert objects.save_object("kernels.o", b"machine code") is None


def test_old_files_are_cleared_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "CACHE", str(tmp_path))
    tmp_path.chmod(0o700)
    now = time.time()

    def make(name: str, age_s: float) -> None:
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (now - age_s, now - age_s))

    def ours(build: int | str, suffix: str = ".o") -> str:
        return f"play-{build:0>16}-plain-x86_64-unknown-linux-gnu-skylake{suffix}"

    for number in range(objects.OBJECTS_KEPT + 3):
        make(ours(number), 100 * number)
    make(ours("1e3", ".part"), 60)
    make(ours("01d", ".part"), 2 * objects.LEFTOVER_AGE_S)
    others = {"somebody's.txt", "package.lock", "download.part"}
    others |= {f"their{number}.o" for number in range(objects.OBJECTS_KEPT + 3)}
    for name in others:
        make(name, 1e8)

    saved = ours("5a7ed")
    assert objects.save_object(saved, b"machine code") == tmp_path / saved
    left = {path.name for path in tmp_path.iterdir()}
    newest = {ours(number) for number in range(objects.OBJECTS_KEPT - 1)}
    assert left == newest | {saved, ours("1e3", ".part")} | others


def test_what_is_written_has_a_name_of_ours() -> None:
    for name in ("play", "wadjet.tablebases.cityhash"):
        machine = ("arm64-apple-darwin23.1.0", "generic")
        for file in (objects.packaged_file(name, *machine), objects.cached_file(name, *machine)):
            assert objects._OURS.fullmatch(file)


def test_use_keeps_an_object_young(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "CACHE", str(tmp_path))
    tmp_path.chmod(0o700)
    path = tmp_path / objects.cached_file("play", "a triple", "a processor")
    objects.write_object(path, b"machine code")
    os.utime(path, (0, 0))
    assert objects.find_object("play", "a triple", "a processor") == (path, b"machine code")
    assert time.time() - path.stat().st_mtime < 60
