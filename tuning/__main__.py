"""The command line: `python -m tuning COMMAND ...`, installed as `wadjet-tune`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NamedTuple

from engine.command_line import OUR_PACKAGES


class Command(NamedTuple):
    module: str  # in tuning/commands, with add_arguments(parser) and run(arguments)
    purpose: str  # for `--help`


COMMANDS = {
    "datagen": Command("datagen", "play games of the engine against itself, to learn from"),
    "import": Command("import_positions", "make one set of positions from games and other sets"),
    "label": Command("label", "let any UCI engine score positions"),
    "export": Command("export", "write games as PGN or EPD, positions as EPD"),
    "fit": Command("fit", "find the evaluation weights that predict game results best"),
    "report": Command("report", "write a page about a fit: loss, calibration, weights, outliers"),
    "emit": Command("emit", "write the weights of a fit into the engine"),
    "spsa": Command("spsa", "tune search constants by games of the engine against itself"),
    "sprt": Command("sprt", "test whether a change gains Elo; stop as soon as that is known"),
    "gauntlet": Command("gauntlet", "play matches of one engine against several others"),
    "suite": Command("suite", "let an engine solve the positions of an EPD file"),
    "book": Command("book", "build a Polyglot opening book from games, checked by the engine"),
    "openings": Command("openings", "make balanced openings for engine matches"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that `arguments` (of the process, if None) name; import only that one.

    Returns the exit status: 0 done, 1 failed with a message, 2 wrong usage.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    name = next((word for word in words if not word.startswith("-")), None)
    parser = argparse.ArgumentParser(
        prog="wadjet-tune", description="Tools that tune, measure and feed the engine."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    try:
        for each, (module_name, purpose) in COMMANDS.items():
            command = commands.add_parser(each, help=purpose, description=purpose)
            if each == name:
                module = import_module(f"tuning.commands.{module_name}")
                module.add_arguments(command)
                command.set_defaults(run=module.run)
        chosen = parser.parse_args(words)
        try:
            return int(chosen.run(chosen))
        except KeyboardInterrupt:
            return _failed("interrupted; finished work is kept")
        except (OSError, ValueError) as reason:  # bad input: our own errors keep their traceback
            return _failed(f"wadjet-tune {chosen.command}: {reason}")
    except ModuleNotFoundError as reason:
        missing = (reason.name or "").partition(".")[0]
        if missing in OUR_PACKAGES:
            raise
        remedy = 'pip install "wadjet[tuning]"'
        return _failed(f"wadjet-tune {name}: the package {missing} is missing: {remedy}")


def _failed(message: str) -> int:
    sys.stderr.write(f"{message}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
