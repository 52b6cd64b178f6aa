"""The main thread: reads lines, answers what needs no engine, hands the rest to the session.

It never waits for a search, so it reads every command at once. It imports nothing heavy, so it
sends `uciok` before NumPy and the kernels are loaded.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from uci import protocol

if TYPE_CHECKING:
    from engine.api import Engine
    from uci.output import Output
    from uci.session import Session


def run(lines: Iterable[bytes], output: Output, session: Session) -> protocol.Program | None:
    """Converse until `quit` or the end of the input, or until a person at the terminal wants
    another program: then returns that command.

    Scripts that pipe commands in want the answers: at the end of the input, all commands are still
    carried out, and only a search without a limit is stopped. `quit` stops any search, which gives
    its bestmove.
    """
    try:
        for raw in lines:
            line = _decoded(raw)
            output.log.received(line)
            try:
                command = protocol.parse(line)
                is_last = not session.obey(command)
            except Exception as error:
                session.report("internal error", error)
                continue
            if is_last:
                return command if isinstance(command, protocol.Program) else None
    except OSError:
        pass  # the terminal or pipe has gone: the end of the input
    session.finish()
    return None


def _decoded(raw: bytes) -> str:
    """A line of the GUI, in UTF-8 or, on Windows, in the code page of the system."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        if sys.platform == "win32":
            return raw.decode("mbcs", "replace")
        # Keeps undecodable bytes: they may be part of a file name.
        return raw.decode("utf-8", "surrogateescape")


def load_engine(output: Output) -> Engine:
    """Import and build the engine; in a fresh clone this compiles its kernels."""
    announce_compiling(output.tell)
    from engine.api import Engine

    engine = Engine()
    gc.freeze()  # what has been loaded stays: looking through it takes longer than a short search
    return engine


def announce_compiling(tell: Callable[[str], None]) -> None:
    """Prepare the user for the wait, if loading the engine is going to compile its kernels."""
    from engine.native.objects import needs_compiling

    if needs_compiling():
        tell("compiling the kernels for this machine; this happens once and takes 5 to 30 seconds")
