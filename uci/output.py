"""Where text goes: standard output, a whole line at a time, and the debug log."""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import NoReturn, TextIO

from uci import render

# What a write meets when the reader has gone, on Windows and elsewhere; it needs no word.
NOBODY_READS = (errno.EPIPE, errno.EINVAL)


def overwrites(stream: TextIO, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a line can be drawn anew: at a terminal that does more than print."""
    return stream.isatty() and environment.get("TERM") != "dumb"


class DebugLog:
    """Records both directions of the conversation, with times, in a file of the user's choice.

    It serves bug reports, so it must not cause bugs: when writing fails, it closes.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._file: TextIO | None = None

    def open(self, path: str) -> None:
        """Append to the file from now on, or end the log. Raises OSError, ValueError.

        `path`: empty to end it.
        """
        file: TextIO | None = None
        if path:
            from engine.files import expanded  # not at startup

            path = str(expanded(path))
            # Opening a named pipe, or writing to a full one, would wait for its reader.
            if os.path.exists(path) and not stat.S_ISREG(mode := os.stat(path).st_mode):
                if not stat.S_ISCHR(mode):
                    raise OSError(f"{path} is not a file")
            file = open(path, "a", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115
            try:
                day = time.strftime("%Y-%m-%d")
                file.write(_stamped("--", f"log of process {os.getpid()}, {day}"))
                file.flush()
            except OSError:
                with suppress(OSError):
                    file.close()
                raise
        with self._lock:
            if self._file is not None:
                self._file.close()
            self._file = file

    def received(self, text: str) -> None:
        self._write(">>", text)

    def sent(self, text: str) -> None:
        self._write("<<", text)

    def note(self, text: str) -> None:
        """Record something that does not go to standard output."""
        self._write("--", text)

    def note_error(self, error: BaseException) -> None:
        """Record an error of our own with its traceback."""
        import traceback  # not at startup

        self.note("".join(traceback.format_exception(error)))

    def _write(self, arrow: str, text: str) -> None:
        if self._file is None:
            return
        lines = _stamped(arrow, text)
        with self._lock:
            if self._file is None:
                return
            try:
                self._file.write(lines)
                self._file.flush()
            except (OSError, ValueError):
                self._file = None


def _stamped(arrow: str, text: str) -> str:
    """Lines of the log, with the time of day."""
    now = time.time()
    stamp = f"{time.strftime('%H:%M:%S', time.localtime(now))}.{int(now * 1000) % 1000:03}"
    return "".join(f"{stamp} {arrow} {line}\n" for line in text.splitlines())


class Output:
    """The one writer of standard output; any thread may use it."""

    def __init__(self, stream: TextIO, log: DebugLog) -> None:
        self.log = log
        self._stream = stream
        self._lock = threading.Lock()

    def say(self, text: str, more_follows: bool = False) -> None:
        """Write one or more whole lines, and flush unless `more_follows` at once: then the reader
        wakes once for all. Ends the process if the output is closed, or its disk is full."""
        with self._lock:
            self.log.sent(text)
            try:
                self._stream.write(text + "\n")
                if not more_follows:
                    self._stream.flush()
            except (OSError, ValueError) as reason:
                if isinstance(reason, OSError) and reason.errno not in NOBODY_READS:
                    with suppress(OSError, AttributeError):  # it may be closed, or full, too
                        sys.stderr.write(f"wadjet: standard output: {reason.strerror}\n")
                leave(1)

    def tell(self, text: str) -> None:
        """Say something to the user rather than to the GUI."""
        self.say(render.message(text))


def leave(code: int) -> NoReturn:
    """End the process now: kernels and the compiler cannot be interrupted, and all output has been
    flushed."""
    os._exit(code)


def standard_output() -> Output:
    """The output of a program. Ends the process if it was closed before the start: nobody could
    hear an answer. Text that it cannot show must not end a game."""
    if sys.stdout is None:
        leave(1)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    return Output(sys.stdout, DebugLog())
