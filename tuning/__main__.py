"""The command line: `python -m tuning COMMAND ...`, installed as `wadjet-tune`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from engine.command_line import run_command

# The name of a command, which is that of its module, and what `--help` says of it.
COMMANDS = {
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
    description = "Tools that fit, measure and feed the engine."
    return run_command("wadjet-tune", description, "tuning", COMMANDS, arguments, extra="tuning")


if __name__ == "__main__":
    sys.exit(main())
