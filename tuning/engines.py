"""UCI and XBoard engines as processes, run by python-chess."""

from __future__ import annotations

import asyncio
import logging
import shlex
import shutil
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, contextmanager
from itertools import islice
from pathlib import Path
from typing import TypeVar

import chess.engine

from engine.command_line import UsageError

START_TIMEOUT_S = 120.0  # an engine that compiles first needs a while
OURS = "wadjet"  # stands for the engine of these sources
XBOARD = "xboard:"  # before a command line: the engine speaks XBoard's protocol

# Python looks first in the current folder, where the user may have another version; and the other
# engine would inherit a PYTHONPATH, too.
_START_OURS = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from wadjet import run_engine; run_engine()"
)
_ROOT = Path(__file__).resolve().parents[__name__.count(".")]  # where `wadjet` is found
_Task = TypeVar("_Task")
_Answer = TypeVar("_Answer")
# Until Python 3.10 asyncio has a TimeoutError of its own.
_FAILURES = (chess.engine.EngineError, TimeoutError, asyncio.TimeoutError)


def command_of(text: str) -> list[str]:
    """The words of an engine's command line; `wadjet` is the engine beside this package."""
    words = _split(text)
    if words == [OURS]:
        return [sys.executable, "-c", _START_OURS, str(_ROOT)]
    return words


def is_xboard(text: str) -> bool:
    """Whether a command line says that its engine speaks XBoard's protocol instead of UCI."""
    return text.strip().startswith(XBOARD)


def command_at(folder: Path, *arguments: str) -> str:
    """The command line that starts the engine whose sources are in a folder."""
    words = [sys.executable, "-c", _START_OURS, str(folder.resolve()), *arguments]
    if sys.platform == "win32":
        return " ".join(f'"{word}"' for word in words)
    return shlex.join(words)


def find_program(text: str) -> Path:
    """The program of a command line. OSError if it is not there."""
    program = command_of(text)[0]
    found = shutil.which(program)
    if found is None:
        raise OSError(f"{program}: no such program")
    return Path(found)


def name_of(text: str) -> str:
    """The name of the engine of a command line: its program, without folders."""
    words = _split(text)
    return OURS if words == [OURS] else Path(words[0]).name


def _split(text: str) -> list[str]:
    lexer = shlex.shlex(text.strip().removeprefix(XBOARD), posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.commenters = True, ""
    if sys.platform == "win32":  # a backslash separates folders, and ' may be part of a name
        lexer.escape, lexer.quotes = "", '"'
    try:
        words = list(lexer)
    except ValueError as reason:
        raise UsageError(f"{text}: not a command: {reason}") from reason
    if not words:
        raise UsageError("an engine needs a command")
    return words


def options_of(texts: Sequence[str]) -> dict[str, str]:
    """From `Name=value` words. ValueError if one is not."""
    options = {}
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator or not name:
            raise UsageError(f"an option is NAME=VALUE, not {text!r}")
        options[name] = value
    return options


def options_for(command: str, options: Mapping[str, str]) -> dict[str, str]:
    """UCI options as the engine of a command line calls them: XBoard's word for Hash is memory."""
    if is_xboard(command):
        return {"memory" if name == "Hash" else name: value for name, value in options.items()}
    return dict(options)


def _is_worth_a_warning(record: logging.LogRecord) -> bool:
    """python-chess warns of every line that an XBoard engine may, but need not, send, and of the
    `info string` with which a UCI engine answers an option."""
    is_usual = any(
        isinstance(word, chess.engine.XBoardProtocol) or str(word).startswith("info string")
        for word in record.args or ()
    )
    return record.levelno >= logging.ERROR or not is_usual


class _Uci(chess.engine.UciProtocol):  # type: ignore[misc]  # mypy does not look into chess.engine
    """Keeps our engine's reasons for leaving options as they are, which python-chess skips."""

    def __init__(self) -> None:
        super().__init__()
        self.refusals: list[str] = []

    def line_received(self, line: str) -> None:
        if line.startswith("info string option ") and " unchanged: " in line:
            self.refusals.append(line.removeprefix("info string "))


@contextmanager
def engine(
    command: str, options: Mapping[str, str] | None = None
) -> Iterator[chess.engine.SimpleEngine]:
    """A running engine. Raises OSError if it does not start or take its options, and if it dies in
    the block. Where several engines run in one block, `failures_of` tells them apart.

    `options`: by their UCI names. An engine that cannot be told its memory goes without.
    """
    protocol: type[chess.engine.Protocol] = _Uci
    if is_xboard(command):
        protocol = chess.engine.XBoardProtocol
    logging.getLogger("chess.engine").addFilter(_is_worth_a_warning)
    try:
        # Ctrl-C on Windows would end engines, too; elsewhere they belong to the group of a worker.
        windows = sys.platform == "win32"
        start = chess.engine.SimpleEngine.popen
        running = start(protocol, command_of(command), timeout=START_TIMEOUT_S, setpgrp=windows)
    except _FAILURES as reason:
        kind = "an XBoard" if is_xboard(command) else "a UCI"
        raise OSError(f"{command}: not {kind} engine: {_words_of(reason)}") from reason
    try:
        wanted = options_for(command, options or {})
        for memory in ("memory", "Hash"):
            if memory not in running.options:
                wanted.pop(memory, None)
        with failures_of(command):
            if wanted:
                running.configure(wanted)
                running.ping()
            if isinstance(running.protocol, _Uci) and running.protocol.refusals:
                raise OSError(f"{command}: {running.protocol.refusals[0]}")
            yield running
    finally:
        running.close()


@contextmanager
def failures_of(command: str) -> Iterator[None]:
    """Raises OSError with the engine's command line if it fails in the block."""
    try:
        yield
    except _FAILURES as reason:
        raise OSError(f"{command}: {_words_of(reason)}") from reason


def share_out(
    tasks: Iterable[_Task],
    count: int,
    opened: Callable[[], AbstractContextManager[Callable[[_Task], _Answer]]],
    on_answer: Callable[[_Answer], None],
) -> None:
    """`count` threads share the tasks, each with engines that it opens for itself. Answers come in
    any order, one at a time.

    The first failure of an engine stops all and is raised here.
    """
    waiting = iter(tasks)
    lock, failed = threading.Lock(), threading.Event()

    def work() -> None:
        with opened() as answer_to:
            while not failed.is_set():
                with lock:
                    following = list(islice(waiting, 1))
                if not following:
                    return
                answer = answer_to(following[0])
                with lock:
                    on_answer(answer)

    with ThreadPoolExecutor(count) as pool:
        futures = [pool.submit(work) for _ in range(count)]
        try:
            for future in as_completed(futures):
                future.result()
        except BaseException:
            failed.set()
            raise


def _words_of(reason: BaseException) -> str:
    return str(reason) or "it does not answer"  # a timeout has no message
