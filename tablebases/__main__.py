"""The command line: `python -m tablebases COMMAND ...`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from engine.command_line import run_command

# The name of a command, which is that of its module in tablebases/commands, and what `--help` says.
COMMANDS = {
    "probe": "what tables say about a position and its moves",
    "info": "which tables are in some folders, and which are missing",
    "generate": "make tables of 3 and 4 men, or of single materials",
    "verify": "check tables: files, checksums, and random positions by search",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 done, 1 failed with a message, 2 wrong usage."""
    description = "Endgame tables in the Syzygy format."
    return run_command(
        "python -m tablebases", description, "tablebases.commands", COMMANDS, arguments
    )


if __name__ == "__main__":
    sys.exit(main())
