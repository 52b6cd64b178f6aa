"""Command lines of engines mean what they say, on every system."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import chess
import chess.engine
import pytest

from tests.tuning.fake_engine import COMMAND, XBOARD_COMMAND
from tuning.engines import command_of, engine, is_xboard, name_of


def test_words_and_names() -> None:
    text = "'/my engines/sf' --depth \"1 2\" # a\\ b"
    assert command_of(text) == ["/my engines/sf", "--depth", "1 2", "#", "a b"]
    assert name_of(text) == "sf"
    assert name_of(" wadjet ") == "wadjet"
    xboard = "xboard:phalanx -b-"
    assert command_of(xboard) == ["phalanx", "-b-"] and name_of(xboard) == "phalanx"
    assert is_xboard(xboard) and not is_xboard("phalanx -b-")
    for wrong in ("", "'open", "xboard:"):
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
        (tmp_path / name / "__init__.py").write_text(
            "raise SystemExit('another engine')", encoding="utf-8"
        )
    monkeypatch.delenv("PYTHONPATH", raising=False)
    program = subprocess.run(
        [*command_of("wadjet"), "--version"],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert program.stdout.startswith("Wadjet") and not program.stderr


@pytest.mark.parametrize("memory, told", [("--memory", {"memory 32"}), ("", set())])
def test_an_xboard_engine_is_told_its_memory_if_it_has_some(
    tmp_path: Path, memory: str, told: set[str]
) -> None:
    heard = tmp_path / "heard"
    words = f'{XBOARD_COMMAND} --hears "{heard}" {memory}'
    with engine(words, {"Hash": "32"}) as running:
        played = running.play(chess.Board(), chess.engine.Limit(white_clock=5, black_clock=5))
    assert played.move in chess.Board().legal_moves
    lines = heard.read_text(encoding="utf-8").splitlines()
    assert {line for line in lines if line.startswith("memory")} == told


@pytest.mark.parametrize("remark, warned", [("info string 32 MB", False), ("segfault", True)])
def test_an_engine_may_say_something_about_its_options(
    caplog: pytest.LogCaptureFixture, remark: str, warned: bool
) -> None:
    with engine(f'{COMMAND} --remark "{remark}"', {"Hash": "32"}) as running:
        running.ping()
    assert (remark in caplog.text) == warned


@pytest.mark.parametrize("failure", [TimeoutError, asyncio.TimeoutError])
def test_an_engine_that_does_not_answer(
    monkeypatch: pytest.MonkeyPatch, failure: type[Exception]
) -> None:
    def popen(*_: Any, **__: Any) -> None:
        raise failure

    monkeypatch.setattr(chess.engine.SimpleEngine, "popen", popen)
    for command, kind in (("mute", "a UCI"), ("xboard:mute", "an XBoard")):
        message = f"{command}: not {kind} engine: it does not answer"
        with pytest.raises(OSError, match=message), engine(command):
            pass


def test_an_option_that_this_engine_leaves_unchanged_is_an_error() -> None:
    reason = r"wadjet: option EvalFile unchanged: no\.nnue: No such file"
    with pytest.raises(OSError, match=reason), engine("wadjet", {"EvalFile": "no.nnue"}):
        pass


def test_an_engine_that_ends_in_the_middle() -> None:
    words = f"{sys.executable} -c \"input(); print('uciok'); input()\""  # uci, isready
    with pytest.raises(OSError, match=r"uciok.*exit code: 0"), engine(words) as running:
        running.ping()
