"""The command line: `python -m tablebases COMMAND ...`, installed as `wadjet-tablebases`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from engine.command_line import Command, run_command
from tablebases import commands

COMMANDS = {
    "probe": Command("probe", "what tables say about a position and its moves"),
    "info": Command("info", "which tables are in some folders, and which are missing"),
    "generate": Command("generate", "make tables of 3 and 4 men, or of single materials"),
    "verify": Command("verify", "check tables: files, checksums, and random positions by search"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 done, 1 failed with a message, 2 wrong usage."""
    description = "Endgame tables in the Syzygy format."
    return run_command("wadjet-tablebases", description, commands.__name__, COMMANDS, arguments)


if __name__ == "__main__":
    sys.exit(main())
