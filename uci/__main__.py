"""The program: `wadjet`, or `python -m uci` in a clone.

Without arguments it speaks UCI on standard input and output. With arguments it carries out that one
command and exits: `wadjet bench`, `wadjet go depth 12`.
"""

from __future__ import annotations

import signal
import sys

# First: whoever presses Ctrl-C while modules are being imported wants no traceback. The system ends
# the process: Python carries out a handler between two of its own steps, and would keep a signal
# that comes just before it reads a line until that line is there.
signal.signal(signal.SIGINT, signal.SIG_DFL)

import threading
from collections.abc import Iterable, Sequence
from typing import NoReturn

from uci import loop, options, protocol, render
from uci.output import leave, standard_output
from uci.session import Session

USAGE = f"""{render.BANNER}

wadjet              speak UCI on standard input and output, as chess GUIs expect
wadjet play         play a game in this terminal; wadjet play --help lists the options
wadjet board        play and analyse on a board in your browser
wadjet --tunables   speak UCI, with every search constant as an option
wadjet <command>    carry out one command and exit, for example: wadjet bench
wadjet analyse ...  annotate the games of a PGN file, or show the best moves of a FEN
wadjet --version
wadjet --help

Commands:
"""


def main() -> NoReturn:
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["-V"]):
        from uci.version import commit

        _print(render.NAME + (f" (commit {known})" if (known := commit()) else ""))
    if arguments in (["--help"], ["-h"]):
        _print(USAGE + render.commands(protocol.DOCUMENTED))
    if arguments[:1] == ["play"]:
        _play(arguments[1:])
    if arguments[:1] == ["board"]:
        from uci.board.command import main as board  # not at startup: it takes longer

        leave(board(arguments[1:]))
    if arguments[:1] in (["analyse"], ["analyze"]):
        from uci.analysis.command import main as analyse  # not at startup: it takes longer

        leave(analyse(arguments[1:]))
    if arguments == ["--tunables"]:
        options.add_tunables()
        arguments = []
    if not arguments:
        at_terminal = sys.stdin is not None and sys.stdin.isatty()
        _converse(_standard_input(), at_terminal)
        leave(0)
    command = " ".join(arguments)
    if isinstance(protocol.parse(command), protocol.Unknown):
        print(f"wadjet: unknown command {command!r}, try wadjet --help", file=sys.stderr)
        leave(2)
    leave(_converse([command.encode("utf-8", "surrogateescape")]))


def _print(text: str) -> NoReturn:
    standard_output().say(text)
    leave(0)


def _play(arguments: Sequence[str]) -> NoReturn:
    from uci.terminal.play import main as play

    leave(play(arguments))


def _converse(lines: Iterable[bytes], at_terminal: bool = False) -> int:
    """Returns the exit status for one command: 1 if it failed. A GUI has been told already."""
    output = standard_output()
    if at_terminal:
        output.say(render.GREETING)
    session = Session(output, loop.load_engine, at_terminal)
    threading.excepthook = lambda failure: session.report(
        "internal error in a thread", failure.exc_value or RuntimeError()
    )
    play = loop.run(lines, output, session)
    if play is not None:
        _play(play.options)
    return 1 if session.has_failed else 0


def _standard_input() -> Iterable[bytes]:
    """Lines as they arrive; none if the process has no standard input."""
    return iter(sys.stdin.buffer.readline, b"") if sys.stdin is not None else ()


if __name__ == "__main__":
    main()
