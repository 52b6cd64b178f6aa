"""`label`: scores for positions, from static evaluations of engines or from text."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.command_line import UsageError, Whole
from tuning.engines import options_of
from tuning.network.labelling import label_by_text, label_static
from tuning.progress import progress_bar


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", type=Path, metavar="FILE", help=".positions, or text with a FEN a line")
    add("-o", "--output", type=Path, required=True, metavar="FILE.positions",
        help="the positions that are kept; an interrupted run resumes there")  # fmt: skip
    labels = parser.add_mutually_exclusive_group(required=True)
    labels.add_argument(
        "--static",
        action="store_true",
        help="ask engines for static evaluations, by the command `eval` of Stockfish or Wadjet",
    )
    labels.add_argument("--labels", type=Path, metavar="TEXT", help="read labels that another "
        "program wrote, for each line of FILE a score in centipawns, seen by the side to "
        "move")  # fmt: skip
    add("--engine", action="append", default=[], metavar="COMMAND",
        help="with --static: a UCI engine (`wadjet` is this one); repeatable, and the label is "
        "their average")  # fmt: skip
    add("--option", action="append", default=[], metavar="NAME=VALUE",
        help="UCI option of the engines; repeatable")  # fmt: skip
    add("--source", metavar="NAME", help="name of the program that wrote --labels")
    add("--concurrency", type=Whole(1), default=1,
        help="how often to start each engine (default: 1)")  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    output: Path = arguments.output
    if arguments.static != bool(arguments.engine):
        raise UsageError("--static needs an --engine, and --labels none")
    if bool(arguments.labels) != bool(arguments.source):
        raise UsageError("--labels needs --source, the name of the program that wrote them")
    if output.exists():
        raise ValueError(f"{output}: exists already")
    with progress_bar("positions") as bar:
        task = bar.add_task("labelling", total=None, note="")

        def on_chunk(read: int, kept: int) -> None:
            bar.update(task, completed=read, note=f"{kept} kept")

        if arguments.labels:
            kept, removed = label_by_text(
                arguments.file, arguments.labels, arguments.source, output, on_chunk
            )
        else:
            kept, removed = label_static(
                arguments.file, output, arguments.engine, options_of(arguments.option),
                arguments.concurrency, on_chunk,
            )  # fmt: skip
    for name, count in removed.items():
        print(f"{count:10} removed: {name}")
    print(f"{kept:10} kept, in {output}")
    return 0
