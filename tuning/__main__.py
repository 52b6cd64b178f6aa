"""The command line: `python -m tuning COMMAND ...`, installed as `wadjet-tune`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from engine.command_line import Subcommand, run_command
from tuning import commands

TRAIN, TUNE, TEST = "train a network", "tune constants", "test a change"

COMMANDS = {
    "selfplay": Subcommand("selfplay", "play games of the engine against itself", TRAIN),
    "sample": Subcommand("sample", "make positions to label, of games or by displacing men", TRAIN),
    "import": Subcommand("import_positions", "gather positions from games and other files", TRAIN),
    "show": Subcommand("show", "count what files hold, or print them as PGN or EPD", TRAIN),
    "label": Subcommand("label", "score positions, by static evaluations or from text", TRAIN),
    "train": Subcommand("train", "train a network on labelled positions", TRAIN),
    "average": Subcommand("average", "average networks that have a common origin", TRAIN),
    "evaluate": Subcommand(
        "evaluate", "measure the errors of networks, by kind of position", TRAIN
    ),
    "fit": Subcommand("fit", "fit the weights of the evaluation to positions", TUNE),
    "spsa": Subcommand("spsa", "tune constants of the search by games", TUNE),
    "calibrate": Subcommand(
        "calibrate", "fit winning chances or points of people, or measure levels", TUNE
    ),
    "report": Subcommand("report", "write a page about a fit or a network", TUNE),
    "emit": Subcommand("emit", "write what a run found in the form that the engine reads", TUNE),
    "match": Subcommand("match", "play an engine against others, with an SPRT or without", TEST),
    "moves": Subcommand("moves", "compare the moves that engines choose in games", TEST),
    "losses": Subcommand("losses", "show where an engine lost its games of a match", TEST),
    "suite": Subcommand("suite", "let an engine solve the positions of an EPD file", TEST),
    "book": Subcommand("book", "build a Polyglot opening book from games", TEST),
    "openings": Subcommand("openings", "make openings for matches, balanced or not", TEST),
}

RENAMED = {
    "datagen": "selfplay",
    "positions": "sample",
    "info": "show",
    "export": "show --as",
    "mean": "average",
    "siblings": "evaluate --siblings",
    "sprt": "match --sprt 0,5",
    "gauntlet": "match",
    "queue": "match, or OpenBench for many patches",
    "chances": "calibrate chances",
    "levels": "calibrate levels",
    "soak": "python -m tests.soak",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 done, 1 failed with a message, 2 wrong usage."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words and words[0] in RENAMED:
        sys.stderr.write(f"wadjet-tune: {words[0]} is now: {RENAMED[words[0]]}\n")
        return 2
    description = "Tools that train, tune and test the engine."
    return run_command(
        "wadjet-tune", description, commands.__name__, COMMANDS, words, extra="tuning"
    )


if __name__ == "__main__":
    sys.exit(main())
