"""Fixtures for tests of the program and of its pages."""

from __future__ import annotations

import gc
import io
import signal
import sys
import threading
from collections.abc import Iterator
from typing import NoReturn

import pytest

from tests.uci.analysis.browser import Browser
from tests.uci.gui import ROOT, Run


@pytest.fixture
def wadjet(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """A function that runs the program in this process, in the root of the repository.

    It takes the words of the command line, what is typed and whether at a terminal; it returns the
    exit status, the output and the errors.
    """
    interrupted = signal.getsignal(signal.SIGINT)
    from uci import __main__ as program  # it changes what Ctrl-C does

    def leave(code: int) -> NoReturn:
        raise SystemExit(code)

    def run(*words: object, typed: str = "", at_terminal: bool = False) -> tuple[int, str, str]:
        keyboard = io.TextIOWrapper(io.BytesIO(typed.encode()), encoding="utf-8")
        monkeypatch.setattr(keyboard, "isatty", lambda: at_terminal)
        monkeypatch.setattr(sys, "argv", ["wadjet", *map(str, words)])
        monkeypatch.setattr(sys, "stdin", keyboard)
        with pytest.raises(SystemExit) as end:
            program.main()
        said, errors = capsys.readouterr()
        return int(end.value.code or 0), said, errors

    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("uci.output.leave", leave)
    monkeypatch.setattr(program, "leave", leave)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)  # the program sets its own
    yield run
    signal.signal(signal.SIGINT, interrupted)
    gc.unfreeze()  # what `load_engine` froze
    gc.collect()  # engines keep files open until they are found


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with Browser() as browser:
        yield browser
