"""The command line: `python -m tuning COMMAND ...`, installed as `wadjet-tune`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from engine.command_line import Command, run_command
from tuning import commands

TRAIN, TUNE, TEST = "train a network", "tune constants", "test a change"

COMMANDS = {
    "selfplay": Command("selfplay", "play games of the engine against itself", TRAIN),
    "sample": Command("sample", "write down positions that searches visit", TRAIN),
    "import": Command("import_positions", "make one set of positions from games and sets", TRAIN),
    "show": Command("show", "count what files hold, or print them as PGN or EPD", TRAIN),
    "label": Command("label", "let UCI engines score positions", TRAIN),
    "train": Command("train", "train a network on labelled positions", TRAIN),
    "average": Command("average", "average networks that have a common origin", TRAIN),
    "evaluate": Command("evaluate", "measure the errors of networks, by kind of position", TRAIN),
    "fit": Command("fit", "fit the weights of the evaluation to positions", TUNE),
    "spsa": Command("spsa", "tune constants of the search by games", TUNE),
    "calibrate": Command("calibrate", "fit winning chances, or measure levels, by games", TUNE),
    "report": Command("report", "write a page about a fit or a network", TUNE),
    "emit": Command("emit", "write what a run found in the form that the engine reads", TUNE),
    "match": Command("match", "play an engine against others, with an SPRT or without", TEST),
    "losses": Command("losses", "show where an engine lost its games of a match", TEST),
    "suite": Command("suite", "let an engine solve the positions of an EPD file", TEST),
    "book": Command("book", "build a Polyglot opening book from games", TEST),
    "openings": Command("openings", "make openings for matches, balanced or not", TEST),
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
