"""A file is written as a whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tuning.files import load_arrays, write_text, written_whole


def test_an_error_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_text(path, "old")

    def fail() -> None:
        with written_whole(path) as file:
            file.write(b"half of the ne")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="missing"):
        write_text(tmp_path / "missing" / "file", "text")


def test_what_is_no_archive_of_arrays_is_named_without_advice(tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_text("text")
    with pytest.raises(ValueError, match=r"^it is no \.npz file$"):
        load_arrays(tmp_path / "a.npz")
