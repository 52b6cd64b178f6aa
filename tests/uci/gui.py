"""The other side of the conversation: a GUI for tests, around a process or around `loop.run`."""

from __future__ import annotations

import contextlib
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from uci import loop
from uci.output import DebugLog, Output
from uci.session import Session

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., tuple[int, str, str]]  # of `wadjet` in conftest.py
PATIENCE_S = 60.0  # a fresh checkout compiles; otherwise waited for by failing tests only


class Gui:
    """What both kinds have: lines that came, and waiting for one."""

    def __init__(self) -> None:
        self.heard: list[str] = []  # what `expect` has passed over or returned
        self._incoming: queue.Queue[str | None] = queue.Queue()

    def send(self, *lines: str) -> None:
        raise NotImplementedError

    def expect(self, start: str, patience_s: float = PATIENCE_S) -> str:
        """The next line that starts so."""
        deadline = time.monotonic() + patience_s
        while True:
            try:
                line = self._incoming.get(timeout=max(deadline - time.monotonic(), 0.001))
            except queue.Empty:
                raise AssertionError(f"no {start!r} within {patience_s} s: {self.heard}") from None
            if line is None:
                raise AssertionError(f"the end came before {start!r}: {self.heard}")
            self.heard.append(line)
            if line.startswith(start):
                return line

    def answer(self, *lines: str) -> list[str]:
        """Send, and return everything said before the next readyok."""
        already = len(self.heard)
        self.send(*lines, "isready")
        self.expect("readyok")
        return self.heard[already:-1]

    def silent_for(self, seconds: float) -> bool:
        time.sleep(seconds)
        return self._incoming.empty()

    def rest(self) -> list[str]:
        """Everything up to the end."""
        lines = []
        while (line := self._incoming.get(timeout=PATIENCE_S)) is not None:
            lines.append(line)
        return lines


class InProcess(Gui):
    """Converses with `loop.run` in this process, with an engine the test can look at."""

    def __init__(
        self,
        engine: Any,
        before_loaded: Callable[[], object] = bool,
        at_terminal: bool = False,
    ) -> None:
        super().__init__()
        self.engine = engine
        self._typed: queue.Queue[bytes | None] = queue.Queue()
        self._log = DebugLog()
        output = Output(self, self._log)  # type: ignore[arg-type]

        def load(output: Output) -> Any:
            before_loaded()
            return engine

        self.session = Session(output, load, at_terminal)
        self.reader = threading.Thread(
            target=loop.run, args=(self._lines(), output, self.session), daemon=True
        )
        self.reader.start()

    def _lines(self) -> Iterator[bytes]:
        while (line := self._typed.get()) is not None:
            yield line

    def write(self, text: str) -> None:
        for line in text.splitlines():
            self._incoming.put(line)

    def flush(self) -> None:
        pass

    def send(self, *lines: str) -> None:
        for line in lines:
            self._typed.put(line.encode() + b"\n")

    def send_bytes(self, raw: bytes) -> None:
        self._typed.put(raw)

    def close(self) -> None:
        """The end of the input; returns when the loop has ended."""
        self._typed.put(None)
        self.join()

    def join(self) -> None:
        self.reader.join(PATIENCE_S)
        assert not self.reader.is_alive()
        self._log.open("")
        self._incoming.put(None)


class Process(Gui):
    """Converses with a process through pipes."""

    def __init__(self, command: Sequence[str] = (sys.executable, "-m", "uci")) -> None:
        super().__init__()
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._incoming.put(line.decode().rstrip("\r\n"))
        self._incoming.put(None)

    def send(self, *lines: str) -> None:
        self.send_bytes(b"".join(line.encode() + b"\n" for line in lines))

    def send_bytes(self, raw: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(raw)
        self.process.stdin.flush()

    def wait(self) -> int:
        return self.process.wait(PATIENCE_S)

    def errors(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.read().decode()

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._reader.join()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None and not pipe.closed:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
