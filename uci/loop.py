"""The main thread: reads lines, answers what needs no engine, hands the rest to the session.

It never waits for a search, so it reads every command at once. It imports nothing heavy, so it
sends `uciok` before NumPy and the kernels are loaded.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from uci import options, protocol, render
from uci.options import When

if TYPE_CHECKING:
    from engine.api import Engine
    from uci.output import Output
    from uci.session import Session


def run(
    lines: Iterable[bytes], output: Output, session: Session, at_terminal: bool = False
) -> protocol.Play | None:
    """Converse until `quit` or the end of the input, or until a person at the terminal wants to
    play: then returns that command.

    Scripts that pipe commands in want the answers: at the end of the input, all commands are still
    carried out, and only a search without a limit is stopped. `quit` stops any search, which gives
    its bestmove. Nothing is awaited that nobody reads.
    """
    conversation = _Conversation(output, session, at_terminal)
    try:
        for raw in lines:
            if not conversation.hear(_decoded(raw)):
                return conversation.play
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


class _Conversation:
    def __init__(self, output: Output, session: Session, at_terminal: bool) -> None:
        self._output = output
        self._session = session
        self._at_terminal = at_terminal
        self._greeted = False
        self.play: protocol.Play | None = None

    def hear(self, line: str) -> bool:
        """Deal with one line; False if it was the last."""
        self._output.log.received(line)
        try:
            return self._obey(protocol.parse(line))
        except Exception as error:
            self._session.report("internal error", error)
            return True

    def _obey(self, command: protocol.Command) -> bool:
        # A GUI that does not know the protocol yet tries others first, and may take any answer to
        # them for a refusal. A person wants an answer.
        is_known = not isinstance(command, protocol.Unknown)
        if self._greeted or self._at_terminal or is_known:
            for warning in command.warnings:
                self._output.tell(warning)
        match command:
            case protocol.Nothing() | protocol.Unknown():
                pass
            case protocol.Uci():
                self._output.say(render.identity(option.listing() for option in options.OPTIONS))
                self._greeted = True
                self._session.start()
            case protocol.Help():
                self._output.say(render.commands(protocol.DOCUMENTED))
            case protocol.SetOption() if self._is_set_at_once(command):
                pass
            case protocol.Quit():
                self._session.quit()
                return False
            case protocol.Play() if self._at_terminal:
                self.play = command
                self._session.quit()
                return False
            case protocol.Play():
                self._output.tell("a game needs a terminal: wadjet play")
            case _:
                self._session.submit(command)
        return True

    def _is_set_at_once(self, command: protocol.SetOption) -> bool:
        option = options.find(command.name)
        if option is None or option.when is not When.AT_ONCE:
            return False
        self._session.set_at_once(option, command.value or "")
        return True


def load_engine(output: Output) -> Engine:
    """Import and build the engine; in a fresh clone this compiles its kernels."""
    announce_compiling(output.tell)
    from engine.api import Engine

    return Engine()


def announce_compiling(tell: Callable[[str], None]) -> None:
    """Prepare the user for the wait, if loading the engine is going to compile its kernels."""
    from engine.native.objects import needs_compiling

    if needs_compiling():
        tell("compiling the kernels for this machine; this happens once and takes 5 to 30 seconds")
