"""Command lines of engines mean what they say, on every system."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import chess.engine
import pytest

from tuning.engines import command_of, engine, name_of


def test_words_and_names() -> None:
    text = "'/my engines/sf' --depth \"1 2\" # a\\ b"
    assert command_of(text) == ["/my engines/sf", "--depth", "1 2", "#", "a b"]
    assert name_of(text) == "sf"
    assert name_of(" wadjet ") == "wadjet"
    for wrong in ("", "'open"):
        with pytest.raises(ValueError, match="command"):
            command_of(wrong)


def test_on_windows_a_backslash_separates_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("tuning.engines.sys.platform", "win32")
        words = command_of('"C:\\My Engines\\sf.exe" -x D:\\O\'Neil\\y --a="b c"')
    assert words == [r"C:\My Engines\sf.exe", "-x", r"D:\O'Neil\y", "--a=b c"]


@pytest.mark.jit_only
def test_ours_is_ours_in_every_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even where another engine has packages of the same names."""
    for name in ("uci", "engine"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('another engine')")
    monkeypatch.delenv("PYTHONPATH", raising=False)
    program = subprocess.run(
        [*command_of("wadjet"), "--version"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert program.stdout.startswith("Wadjet") and not program.stderr


@pytest.mark.parametrize("failure", [TimeoutError, asyncio.TimeoutError])
def test_an_engine_that_does_not_answer(
    monkeypatch: pytest.MonkeyPatch, failure: type[Exception]
) -> None:
    def popen_uci(*_: Any, **__: Any) -> None:
        raise failure

    monkeypatch.setattr(chess.engine.SimpleEngine, "popen_uci", popen_uci)
    message = "mute: not a UCI engine: it does not answer"
    with pytest.raises(OSError, match=message), engine("mute"):
        pass


def test_an_engine_that_ends_in_the_middle() -> None:
    words = f"{sys.executable} -c \"print('uciok'); input(); input()\""
    with pytest.raises(OSError, match=r"uciok.*exit code: 0"), engine(words) as running:
        running.ping()
