"""The commit in `wadjet --version`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from uci import version


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that passes for a clone or an installation."""
    folder = tmp_path / "wadjet" / "uci"
    folder.mkdir(parents=True)
    monkeypatch.setattr(version, "__file__", str(folder / "version.py"))
    return folder


def test_of_an_installation_is_recorded(place: Path) -> None:
    (place / version.RECORD).write_text("1234abc\n", encoding="utf-8")
    assert version.commit() == "1234abc"


def test_of_somebody_elses_repository_around_it_is_not_ours(place: Path) -> None:
    subprocess.run(["git", "init", "-q", place.parents[1]], check=True)
    assert version.commit() is None


def test_without_git_it_is_not_known(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place.parent / ".git").mkdir()
    monkeypatch.setenv("PATH", "")
    assert version.commit() is None
