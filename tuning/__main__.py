"""The command line: `python -m tuning COMMAND ...`, installed as `wadjet-tune`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

# What there is: the name of a command, and what `--help` says of it. Each is a module of the same
# name (with _ for -) that has `add_arguments(parser)` and `run(arguments) -> exit status`. Only
# the one that is asked for is imported.
COMMANDS: dict[str, str] = {
    "datagen": "games of the engine against itself, to learn from",
    "import": "games and positions of all kinds as one set to fit on",
    "label": "scores for positions, from any UCI engine",
    "export": "games as PGN or EPD, positions as EPD",
    "fit": "find the weights of the evaluation that predict games best",
    "report": "one page about a fit: losses, calibration, weights, worst positions",
    "emit": "write the weights of a fit into the engine",
    "spsa": "tune constants of the search by games against itself",
    "sprt": "does a change gain? a match that ends when it is known",
    "gauntlet": "matches of one engine against several others",
    "suite": "let an engine solve the positions of an EPD file",
    "book": "build a Polyglot opening book from games, checked by the engine",
    "openings": "make balanced openings for engine matches",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 done, 1 failed with a message, 2 wrong usage."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    parser = argparse.ArgumentParser(
        prog="wadjet-tune", description="Tools that fit, measure and feed the engine."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    asked_for = next((word for word in words if not word.startswith("-")), None)
    for name, purpose in COMMANDS.items():
        command = commands.add_parser(name, help=purpose, description=purpose)
        if name == asked_for:
            module = import_module("tuning." + name.replace("-", "_"))
            module.add_arguments(command)
            command.set_defaults(run=module.run)
    chosen = parser.parse_args(words)
    try:
        return int(chosen.run(chosen))
    except KeyboardInterrupt:
        print("interrupted; what was finished is kept", file=sys.stderr)
        return 1
    except (OSError, ValueError) as reason:  # bad input: errors of ours keep their traceback
        print(f"wadjet-tune {chosen.command}: {reason}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
