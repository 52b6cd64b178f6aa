"""The command line: `python -m tuning COMMAND ...`, installed as `wadjet-tune`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from engine.command_line import Command, run_command
from tuning import commands

COMMANDS = {
    "datagen": Command("datagen", "play games of the engine against itself, to learn from"),
    "import": Command("import_positions", "make one set of positions from games and other sets"),
    "info": Command("info", "count and show what files of positions or games hold"),
    "positions": Command(
        "positions", "make many positions to label from few: those that a search visits"
    ),
    "label": Command("label", "let any UCI engine score positions"),
    "train": Command("train", "train a network on any amount of labelled positions"),
    "mean": Command("mean", "average networks of which one began from the other"),
    "export": Command("export", "write games as PGN or EPD, positions as EPD"),
    "fit": Command("fit", "find the evaluation weights that predict game results best"),
    "report": Command(
        "report", "write a page about a fit or a network: loss, calibration, outliers"
    ),
    "emit": Command("emit", "write fitted weights or a trained network for the engine"),
    "siblings": Command("siblings", "test how networks order the positions after every legal move"),
    "spsa": Command("spsa", "tune search constants by games of the engine against itself"),
    "sprt": Command("sprt", "test whether a change gains Elo; stop as soon as that is known"),
    "queue": Command("queue", "test patches one after the other, then what passed together"),
    "gauntlet": Command("gauntlet", "play matches of one engine against several others"),
    "losses": Command("losses", "show where an engine lost its games of a match"),
    "chances": Command("chances", "fit the chances to win, draw and lose to games of the engine"),
    "levels": Command("levels", "measure by games what the levels of the engine are worth"),
    "soak": Command(
        "soak", "play thousands of games under conditions in which engines have failed"
    ),
    "suite": Command("suite", "let an engine solve the positions of an EPD file"),
    "book": Command("book", "build a Polyglot opening book from games, checked by the engine"),
    "openings": Command("openings", "make openings for engine matches, balanced or not"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 done, 1 failed with a message, 2 wrong usage."""
    description = "Tools that tune, measure and feed the engine."
    return run_command(
        "wadjet-tune", description, commands.__name__, COMMANDS, arguments, extra="tuning"
    )


if __name__ == "__main__":
    sys.exit(main())
