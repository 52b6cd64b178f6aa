"""A UCI engine that scores positions in bulk: commands are sent without waiting for answers.

An engine finishes one `go` before it reads the next `position`, so its answers come in order. At
depth 1 waiting for each would cost more than the search.
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
from tuning.network.labels import MATE, NO_MOVE, Labels, parse_moves

STATIC = "eval"  # the question that asks for a static evaluation, without a search
# Stockfish's answer to `eval`, in pawns: "Final evaluation  +0.35 (white side) ..." or, of a
# position in check, "Final evaluation: none (in check)". Wadjet's: "... +0.35 (White's view)".
STATIC_ANSWER = re.compile(
    r"Final evaluation:?\s+(?:([+-]?\d+\.\d\d) \((?:white side|White's view)\)|none)"
)


class Teacher:
    """A running engine. Use it as a context manager."""

    def __init__(self, command: str, options: Mapping[str, str], question: str):
        """Raises OSError if it does not start.

        Args:
            question: what to ask about a position: a search such as `go depth 1`, or STATIC.
        """
        self.command, self._question = command, question
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
        self._read_until("readyok")

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
        """Send positions to score; `answers` or `static_answers` must be called as often."""
        question = f" \n{self._question}\n"
        end = "isready\n" if self._question == STATIC else ""
        self._waiting.put("".join(f"position fen {fen}{question}" for fen in fens) + end)

    def static_answers(self, count: int) -> Array:
        """The static evaluations of the next `count` positions, int64 centipawns in White's view;
        MATE where the side to move is in check. OSError if the engine dies, ValueError if it does
        not evaluate all of them."""
        scores: list[int] = []
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if answer := STATIC_ANSWER.match(line):
                scores.append(round(100 * float(answer[1])) if answer[1] else MATE)
            elif line.startswith("readyok"):
                if len(scores) != count:
                    found = f"{len(scores)} of {count} positions"
                    raise ValueError(f"{self.command}: its `eval` scored {found}")
                return np.array(scores, np.int64)
        raise OSError(f"{self.command}: the engine ended before it had answered")

    def answers(self, count: int) -> Labels:
        """The labels of the next `count` positions. OSError if the engine dies, ValueError if it
        says what is no answer."""
        scores, moves = np.full(count, MATE, np.int64), []
        assert self._process.stdout is not None
        number = 0
        for line in self._process.stdout:
            if line.startswith("info"):
                _, _, told = line.partition(" score ")
                words = told.split(None, 2)
                if words and words[0] == "cp":
                    scores[number] = int(words[1])
                elif words:
                    scores[number] = MATE
            elif line.startswith("bestmove"):
                move = line.split()[1].encode()
                if move in NO_MOVE:
                    move, scores[number] = b"a1a1", MATE
                moves.append(move)
                number += 1
                if number == count:
                    return Labels(scores, *parse_moves(moves))
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
