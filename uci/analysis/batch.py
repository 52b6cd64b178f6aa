"""Many positions: several engines side by side, a progress bar, and results that are kept so that
an interrupted analysis can go on."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO

import chess
from chess.pgn import GameNode

from engine.limits import Limits
from uci.analysis.lines import Analysis, analyse
from uci.output import overwrites

if TYPE_CHECKING:
    from engine.api import Engine

# For each position. Nodes, not time: the same game gets the same marks on every machine.
GAME_LIMITS = Limits(nodes=100_000)
HASH_MB = 16
POLL_S = 0.2  # so often the main thread can hear Ctrl-C; Windows needs that
WIDEST_BAR = 68  # columns
BAR_TEXT = "999/999 positions, 9:59 left"  # leave so much room beside the bar

Found = tuple[GameNode, Analysis]  # a position of a game, with the moves that led to it


class Analysts:
    """Threads suffice, because kernels release the lock of the interpreter; each has an engine of
    its own."""

    def __init__(self, count: int, hash_mb: int = HASH_MB) -> None:
        """`count` engines. Raises MemoryError."""
        from engine.api import Engine

        self._engines = [
            Engine(show_wdl=True, analyse_mode=True, move_overhead_ms=0, hash_mb=hash_mb)
            for _ in range(count)
        ]

    @property
    def problem(self) -> str:
        """What the user should know about the evaluation; usually empty."""
        return self._engines[0].start_problem

    def set_position(self, board: chess.Board) -> str | None:
        """To learn whether the engine takes it, as Engine.set_position says."""
        return self._engines[0].set_position(board)

    def analyse(self, nodes: Sequence[GameNode], limits: Limits) -> Iterator[Found]:
        """Yields each position with its analysis as soon as it is done.

        An engine forgets each position before the next, so that nothing depends on who searched
        what when. If the caller closes the iterator, or a search fails, running searches are
        stopped.
        """
        done: SimpleQueue[Found | BaseException] = SimpleQueue()
        is_over = threading.Event()

        waiting: SimpleQueue[GameNode] = SimpleQueue()
        for node in nodes:
            waiting.put(node)

        def work(engine: Engine) -> None:
            try:
                while not is_over.is_set():
                    node = waiting.get_nowait()
                    engine.new_game()
                    # A game that ends drawn where a draw can be claimed was claimed.
                    claimed = node.is_end() and node.game().headers.get("Result") == "1/2-1/2"
                    done.put((node, analyse(engine, node.board(), limits, claimed)))
            except Empty:
                return
            except BaseException as error:  # raised again in the thread that waits
                done.put(error)

        for engine in self._engines:
            threading.Thread(target=work, args=(engine,), daemon=True).start()
        try:
            for _ in nodes:
                yield _next(done)
        finally:
            is_over.set()
            for engine in self._engines:
                engine.stop()


def _next(done: SimpleQueue[Found | BaseException]) -> Found:
    while True:
        try:
            item = done.get(timeout=POLL_S)
        except Empty:
            continue
        if isinstance(item, BaseException):
            raise item
        return item


class Unfinished:
    """The results so far, in a text file beside the output: a line of JSON for the settings, then
    one for each position. It is removed when the work is done.

    Usage: `with Unfinished(path, settings) as known: ...`. Raises OSError.
    """

    def __init__(self, path: Path, settings: dict[str, Any]) -> None:
        self._path = path
        self._settings = settings
        self._found: dict[str, Analysis] = {}
        self._file: TextIO | None = None

    def __enter__(self) -> Unfinished:
        is_ours = self._read()
        self._file = open(self._path, "a" if is_ours else "w", encoding="utf-8")
        # If the file was cut off, the empty line ends its last record.
        self._write("" if is_ours else json.dumps(self._settings))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()
        if kind is None or not self._found:
            self._path.unlink(missing_ok=True)

    def __len__(self) -> int:
        return len(self._found)

    def __contains__(self, node: GameNode) -> bool:
        return _key(node) in self._found

    def __getitem__(self, node: GameNode) -> Analysis:
        return self._found[_key(node)]

    def add(self, node: GameNode, analysis: Analysis) -> None:
        key = _key(node)
        self._found[key] = analysis
        self._write(json.dumps([key, analysis.as_json()]))

    def _write(self, line: str) -> None:
        assert self._file is not None
        self._file.write(line + "\n")
        self._file.flush()

    def _read(self) -> bool:
        """False if the file is of no use: missing, foreign, or from other settings."""
        if not self._path.exists():
            return False
        with self._path.open(encoding="utf-8", errors="replace") as file:
            try:
                if json.loads(file.readline()) != self._settings:
                    return False
            except ValueError:
                return False
            for row in file:
                try:
                    key, data = json.loads(row)
                    self._found[key] = Analysis.from_json(data)
                except (ValueError, TypeError, KeyError, AttributeError):
                    continue  # cut off when the process was killed
        return True


def _key(node: GameNode) -> str:
    """The moves belong to a position: they may have repeated it."""
    board = node.board()
    moves = [move.uci() for move in board.move_stack]
    text = " ".join([board.root().fen(), str(board.chess960), *moves])
    return hashlib.sha256(text.encode()).hexdigest()[:24]


class Bar:
    """A progress bar on the error output: one line that draws itself anew. Silent unless that is a
    terminal which can replace a line. (A library would be one more package for every user.)

    Usage: `with Bar("positions", total, known) as bar: bar.advance()`.
    """

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
        columns = min(WIDEST_BAR, shutil.get_terminal_size().columns - 1)
        width = max(0, columns - len(f"[] {BAR_TEXT}"))
        full = width * self._done // max(1, self._total)
        bar = f"[{'#' * full}{'.' * (width - full)}] " if width else ""
        self._write("\r" + (bar + text)[:columns].ljust(columns))

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:  # the terminal has gone; the analysis goes on
            self._is_shown = False
