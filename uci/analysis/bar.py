"""A progress bar on the error output: one line that draws itself anew.

It is ours because a line of text needs no library: the engine installs few packages, and each would
have to be there for everybody who analyses one game.
"""

from __future__ import annotations

import shutil
import sys
import time
from typing import TextIO

from uci.output import overwrites

WIDEST = 68  # columns
TEXT = "999/999 positions, 9:59 left"  # leave so much room beside the bar


class Bar:
    """Usage: `with Bar("positions", total, known) as bar: bar.advance()`. Silent unless the error
    output is a terminal that can replace a line."""

    def __init__(self, unit: str, total: int, done: int = 0, stream: TextIO | None = None) -> None:
        """`done` of `total` were known before, and say nothing about the speed."""
        self._unit = unit
        self._total = total
        self._done = self._known = done
        self._stream = stream or sys.stderr
        self._is_shown = self._stream is not None and overwrites(self._stream)
        self._started = time.monotonic()

    def __enter__(self) -> Bar:
        self._draw()
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_shown:
            self._write("\n")

    def advance(self) -> None:
        self._done += 1
        self._draw()

    def _draw(self) -> None:
        if not self._is_shown:
            return
        text = f"{self._done}/{self._total} {self._unit}"
        fresh = self._done - self._known
        if fresh:
            elapsed_s = time.monotonic() - self._started
            left_s = round(elapsed_s * (self._total - self._done) / fresh)
            text += f", {left_s // 60}:{left_s % 60:02} left"
        columns = min(WIDEST, shutil.get_terminal_size().columns - 1)
        width = max(0, columns - len(f"[] {TEXT}"))
        full = width * self._done // max(1, self._total)
        bar = f"[{'#' * full}{'.' * (width - full)}] " if width else ""
        self._write("\r" + (bar + text)[:columns].ljust(columns))

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:  # the terminal has gone; the analysis goes on
            self._is_shown = False
