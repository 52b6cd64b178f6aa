"""Command lines with several commands, each in a module of its own."""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, NoReturn

from engine.files import reason_of
from engine.spelling import did_you_mean

_ROOT = Path(__file__).resolve().parents[1]  # holds our packages, or is the package `wadjet`


class Subcommand(NamedTuple):
    """A command: its module, with `add_arguments(parser)` and `run(arguments) -> exit status`."""

    module: str
    purpose: str  # for `--help`
    group: str = "commands"  # under which `--help` lists it


class UsageError(ValueError):
    """Arguments that a command cannot use; the message says why."""


@dataclass(frozen=True)
class Whole:
    """Reads a whole number in a range, for argparse."""

    least: int
    most: int | None = None

    def __call__(self, text: str) -> int:
        if text.isdecimal() and self.least <= int(text) <= (self.most or int(text)):
            return int(text)
        to = "on" if self.most is None else f"to {self.most}"
        reason = f"{text!r} is no whole number from {self.least} {to}"
        raise argparse.ArgumentTypeError(reason)


class Parser(argparse.ArgumentParser):
    """Asks whether a mistyped option or command means another."""

    def error(self, message: str) -> NoReturn:
        wrong = re.search(r"(unrecognized arguments:|invalid choice:) '?([^\s'=]+)", message)
        if wrong:
            choices = re.findall(r"[\w-]+", message.partition("choose from")[2])
            message += did_you_mean(wrong[2], choices or self._options())
        super().error(message)

    def _options(self) -> set[str]:
        """Those of its commands, too."""
        known = set(self._option_string_actions)
        for action in self._actions:
            if isinstance(action.choices, dict):
                known.update(*(parser._option_string_actions for parser in action.choices.values()))
        return known


def run_command(
    program: str,
    description: str,
    package: str,
    commands: Mapping[str, Subcommand],
    arguments: Sequence[str] | None,
    extra: str | None = None,
) -> int:
    """Run the command that `arguments` (None: those of the process) name.

    The modules of `commands` are in `package`; only the one of this command is imported. `extra`
    names the optional dependencies that commands need.

    Returns the exit status: 0 done, 1 failed with a message, 2 wrong usage. It is 1, without a
    message, if nobody reads the output any more. SIGTERM ends a command as Ctrl-C does: finished
    work is kept, and engines are closed.
    """
    if threading.current_thread() is threading.main_thread():  # only there signals are handled
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        try:
            return _run(program, description, package, commands, arguments, extra)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
        return 1


def _run(
    program: str,
    description: str,
    package: str,
    commands: Mapping[str, Subcommand],
    arguments: Sequence[str] | None,
    extra: str | None,
) -> int:
    words = sys.argv[1:] if arguments is None else list(arguments)
    parser = Parser(
        prog=program,
        description=description,
        epilog=_listing(commands),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    named = next((word for word in words if not word.startswith("-")), None)
    try:
        for name, wanted in commands.items():
            command = subparsers.add_parser(name, description=wanted.purpose)
            if name == named:
                module = import_module(f"{package}.{wanted.module}")
                module.add_arguments(command)
                command.set_defaults(run=module.run)
        chosen = parser.parse_args(words)
        try:
            _check_outputs(chosen)
            return int(chosen.run(chosen))
        except KeyboardInterrupt:
            sys.stderr.write("interrupted; finished work is kept\n")
            return 1
        except BrokenPipeError:  # our own output; engines that end have errors of their own
            raise
        except (OSError, ValueError) as reason:  # bad input: our own errors keep their traceback
            sys.stderr.write(f"{program} {chosen.command}: {reason_of(reason)}\n")
            return 2 if isinstance(reason, UsageError) else 1
    except ModuleNotFoundError as reason:
        missing = (reason.name or "").partition(".")[0]
        is_ours = missing == _ROOT.name or (_ROOT / missing).is_dir()
        if extra is None or is_ours:
            raise
        sys.stderr.write(
            f'{program} {named}: the package {missing} is missing: pip install "wadjet[{extra}]"\n'
        )
        return 1


def check_output(output: Path, others: Iterable[Path]) -> None:
    """Raises UsageError if the file to write is one of the others."""
    if os.path.realpath(output) in map(os.path.realpath, others):
        raise UsageError(f"{output} would be replaced by the result: name another file")


def _check_outputs(arguments: argparse.Namespace) -> None:
    """The same for all arguments of a command that are paths; those to write have `output` in their
    names."""
    named: list[Path] = []
    inputs_first = sorted(vars(arguments).items(), key=lambda item: "output" in item[0])
    for name, value in inputs_first:
        for path in value if isinstance(value, list) else [value]:
            if isinstance(path, Path):
                if "output" in name:
                    check_output(path, named)
                named.append(path)


def _listing(commands: Mapping[str, Subcommand]) -> str:
    """The commands of each group with their purposes."""
    lines: list[str] = []
    for name, command in commands.items():
        if f"{command.group}:" not in lines:
            lines += ["", f"{command.group}:"]
        lines.append(f"  {name:12}{command.purpose}")
    return "\n".join(lines[1:])


def _discard_output() -> None:
    """Or the interpreter would complain at its end about text that it cannot write."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
