"""Command lines with several commands, each in a module of its own."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module

OUR_PACKAGES = ("engine", "uci", "tablebases", "openings", "tuning")


def run_command(
    program: str,
    description: str,
    package: str,
    purposes: Mapping[str, str],
    arguments: Sequence[str] | None,
    extra: str | None = None,
) -> int:
    """Run the command that `arguments` (of the process, if None) name.

    `purposes` says of each command what it is for. A command is a module of that name in
    `package` that has `add_arguments(parser)` and `run(arguments) -> exit status`; only the one
    that is asked for is imported. `extra` names the optional dependencies that commands need.

    Returns the exit status: 0 done, 1 failed with a message, 2 wrong usage.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    parser = argparse.ArgumentParser(prog=program, description=description)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    asked_for = next((word for word in words if not word.startswith("-")), None)
    try:
        for name, purpose in purposes.items():
            command = commands.add_parser(name, help=purpose, description=purpose)
            if name == asked_for:
                module = import_module(f"{package}.{name}")
                module.add_arguments(command)
                command.set_defaults(run=module.run)
        chosen = parser.parse_args(words)
        try:
            return int(chosen.run(chosen))
        except KeyboardInterrupt:
            sys.stderr.write("interrupted; what was finished is kept\n")
            return 1
        except (OSError, ValueError) as reason:  # bad input: errors of ours keep their traceback
            sys.stderr.write(f"{program} {chosen.command}: {reason}\n")
            return 1
    except ModuleNotFoundError as reason:
        missing = (reason.name or "").partition(".")[0]
        if extra is None or missing in OUR_PACKAGES:
            raise
        sys.stderr.write(
            f"{program} {asked_for}: the package {missing} is missing: "
            f'pip install "wadjet[{extra}]"\n'
        )
        return 1
