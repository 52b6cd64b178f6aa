"""Fuzzing and long cross-checks: python -m tests.fuzz COMMAND.

With --report the results go to docs/reliability.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.fuzz import crosscheck, determinism, inputs, states
from tests.soak.page import DEFAULT_PAGE, Row, record


def main() -> int:
    """Exit status 1 if there were faults."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    runners: dict[str, Callable[[argparse.Namespace], Iterable[Row]]] = {}
    for name, module in (
        ("inputs", inputs),
        ("crosscheck", crosscheck),
        ("states", states),
        ("determinism", determinism),
    ):
        command = commands.add_parser(name, help=(module.__doc__ or "").split("\n")[0])
        module.add_arguments(command)
        command.add_argument("--report", type=Path, nargs="?", const=DEFAULT_PAGE, metavar="PAGE",
            help=f"write the results to this page ({DEFAULT_PAGE} if none is named)")  # fmt: skip
        runners[name] = module.run
    arguments = parser.parse_args()
    faults = 0
    for row in runners[arguments.command](arguments):  # as they come: a run may take hours
        faults += row.faults
        print(f"{row.test}: {row.size}: {row.result}; {row.faults} faults")
        print("\n".join(row.details))
        if arguments.report:
            record([row], arguments.report)
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
