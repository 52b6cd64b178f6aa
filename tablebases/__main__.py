"""The command line: `python -m tablebases COMMAND ...`, installed as `wadjet-tablebases`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from engine.command_line import Subcommand, run_command
from tablebases import commands

COMMANDS = {
    "probe": Subcommand("probe", "show the tablebase values of a position and its moves"),
    "info": Subcommand("info", "list the tables in folders, and those that are missing"),
    "generate": Subcommand("generate", "make the tables of 3 and 4 men, or of given materials"),
    "verify": Subcommand("verify", "check files, checksums, and random positions by their moves"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 done, 1 failed with a message, 2 wrong usage."""
    description = "Tools for tablebases in the Syzygy format."
    return run_command("wadjet-tablebases", description, commands.__name__, COMMANDS, arguments)


if __name__ == "__main__":
    sys.exit(main())
