"""A UCI engine whose static evaluation scores positions in bulk, by the command `eval`.

Commands are sent without waiting for answers: waiting for each would cost more than to evaluate.
"""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Mapping, Sequence
from queue import SimpleQueue

import numpy as np

from tuning.engines import command_of
from tuning.fitting.model import Array
from tuning.network.labels import IN_CHECK

# Stockfish's answer to `eval`, in pawns: "Final evaluation  +0.35 (white side) ..." or, of a
# position in check, "Final evaluation: none (in check)". Wadjet's: "... +0.35 (White's view)".
ANSWER = re.compile(
    r"Final evaluation:?\s+(?:([+-]?\d+\.\d\d) \((?:white side|White's view)\)|none)"
)


class Teacher:
    """A running engine. Use it as a context manager."""

    def __init__(self, command: str, options: Mapping[str, str]):
        """Raises OSError if it does not start."""
        self.command = command
        self._waiting: SimpleQueue[str | None] = SimpleQueue()
        try:
            self._process = subprocess.Popen(
                command_of(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                bufsize=1 << 16,
            )
        except OSError as reason:
            raise OSError(f"{command}: not a UCI engine: {reason.strerror}") from reason
        self._feeder = threading.Thread(target=self._feed, daemon=True)
        self._feeder.start()
        settings = "".join(f"setoption name {n} value {v}\n" for n, v in options.items())
        self._waiting.put(f"uci\n{settings}isready\n")
        try:
            self._read_until("readyok")
        except OSError:
            self.close()
            raise

    def _feed(self) -> None:
        """Writes the queue, in a thread of its own: both pipes may be full at the same time."""
        assert self._process.stdin is not None
        try:
            while (text := self._waiting.get()) is not None:
                self._process.stdin.write(text)
                self._process.stdin.flush()
            self._process.stdin.close()
        except (OSError, ValueError):
            pass  # it has died; the reader reports it

    def _read_until(self, word: str) -> str:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(word):
                return line
        raise OSError(f"{self.command}: the engine ended before it had answered")

    def ask(self, fens: Sequence[str]) -> None:
        """Send positions to score; `answers` must be called as often."""
        self._waiting.put("".join(f"position fen {fen}\neval\n" for fen in fens) + "isready\n")

    def answers(self, count: int) -> Array:
        """The static evaluations of the next `count` positions, int64 centipawns in White's view;
        IN_CHECK where the side to move is in check. OSError if the engine dies, ValueError if it
        does not evaluate all of them."""
        scores: list[int] = []
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if answer := ANSWER.match(line):
                scores.append(round(100 * float(answer[1])) if answer[1] else IN_CHECK)
            elif line.startswith("readyok"):
                if len(scores) != count:
                    found = f"{len(scores)} of {count} positions"
                    raise ValueError(f"{self.command}: its `eval` scored {found}")
                return np.array(scores, np.int64)
        raise OSError(f"{self.command}: the engine ended before it had answered")

    def close(self) -> None:
        self._waiting.put(None)
        self._process.kill()
        self._process.wait()
        self._feeder.join()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def __enter__(self) -> Teacher:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
