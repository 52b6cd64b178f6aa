"""The program: `wadjet`, or `python -m uci` in a clone.

Without arguments it speaks UCI on standard input and output. With arguments it carries out that one
command and exits: `wadjet bench`, `wadjet go depth 12`.
"""

from __future__ import annotations

import os
import re
import signal
import sys

# First: whoever presses Ctrl-C while modules are being imported wants no traceback. The system ends
# the process: Python carries out a handler between two of its own steps, and would keep a signal
# that comes just before it reads a line until that line is there.
signal.signal(signal.SIGINT, signal.SIG_DFL)

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, NoReturn

from engine.spelling import did_you_mean
from uci import loop, options, protocol, render
from uci.output import leave, standard_output
from uci.session import Session
from uci.text import brief


def _play(words: Sequence[str]) -> int:
    from uci.terminal.play import main as play  # not at startup, like the others: it takes longer

    return play(words)


def _board(words: Sequence[str]) -> int:
    from uci.board.command import main as board

    return board(words)


def _analyse(words: Sequence[str]) -> int:
    from uci.analysis.command import main as analyse

    return analyse(words)


class Program(NamedTuple):
    """What `wadjet NAME` runs; it reads the words that follow, and returns the exit status."""

    purpose: str
    main: Callable[[Sequence[str]], int]


PROGRAMS = {
    "play": Program("play a game in this terminal", _play),
    "board": Program("play and analyse on a board in your browser", _board),
    "analyse": Program(
        "annotate the games of a PGN file, or show the best moves of a FEN", _analyse
    ),
}
SYNONYMS = {"analyze": "analyse", "-h": "help", "--help": "help", "-V": "--version"}
USAGE = f"""{render.BANNER}

wadjet              speak UCI on standard input and output, as chess GUIs expect
{{programs}}
wadjet help         show this list; wadjet help play, or another of these, lists its options
wadjet --version    show the version
wadjet --tunables   speak UCI, with every search constant as an option
wadjet COMMAND      carry out one of these commands and exit, for example: wadjet bench

"""


def main() -> NoReturn:
    words = sys.argv[1:]
    words[:1] = [SYNONYMS.get(word, word) for word in words[:1]]
    if words[:1] == ["help"] and words[1:2]:
        about = SYNONYMS.get(words[1], words[1])
        words = [about, "--help"] if about in PROGRAMS else ["help"]  # the list has the others
    if words[:1] == ["--version"]:
        from uci.version import commit

        _print(render.NAME + (f" (commit {known})" if (known := commit()) else ""))
    if words == ["help"]:
        _print(_usage() + render.commands(protocol.DOCUMENTED))
    if words[:1] and words[0] in PROGRAMS:
        leave(PROGRAMS[words[0]].main(words[1:]))
    if words == ["--tunables"]:
        options.add_tunables()
        words = []
    if not words:
        at_terminal = sys.stdin is not None and sys.stdin.isatty()
        _converse(_standard_input(), at_terminal)
        leave(0)
    line = " ".join(words)
    if wrong := _why_not(words[0], protocol.parse(line)):
        print(f"wadjet: {wrong}", file=sys.stderr)
        leave(2)
    leave(_converse([line.encode("utf-8", "surrogateescape")]))


def _print(text: str) -> NoReturn:
    standard_output().say(text)
    leave(0)


def _usage() -> str:
    programs = (f"wadjet {name:13}{program.purpose}" for name, program in PROGRAMS.items())
    return USAGE.format(programs="\n".join(programs))


def _why_not(word: str, command: protocol.Command) -> str:
    """What is wrong with a command line that begins with this word; usually empty."""
    if not isinstance(command, protocol.Unknown):
        # In a conversation the command is carried out all the same.
        return re.sub(r", (ignored|using -?\d+)$", "", "".join(command.warnings[:1]))
    if os.path.isfile(word):
        return f"{brief(word)} is a file; wadjet analyse {word} analyses its games"
    meant = did_you_mean(word, (*PROGRAMS, "--help", "--version", "--tunables", *protocol.NAMES))
    return f"unknown command {brief(word)}{meant or ', wadjet help lists them'}"


def _converse(lines: Iterable[bytes], at_terminal: bool = False) -> int:
    """Returns the exit status for one command. A GUI has been told already."""
    output = standard_output()
    if at_terminal:
        output.say(render.GREETING)
    session = Session(output, loop.load_engine, at_terminal)
    threading.excepthook = lambda failure: session.report(
        "internal error in a thread", failure.exc_value or RuntimeError()
    )
    wanted = loop.run(lines, output, session)
    if wanted is not None:
        leave(PROGRAMS[wanted.name].main(wanted.options))
    return session.exit_status


def _standard_input() -> Iterable[bytes]:
    """Lines as they arrive; none if the process has no standard input."""
    return iter(sys.stdin.buffer.readline, b"") if sys.stdin is not None else ()


if __name__ == "__main__":
    main()
