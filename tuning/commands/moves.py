"""`moves`: compare the moves that engines choose in positions of games."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from engine.command_line import UsageError, Whole
from tuning.engines import is_xboard, options_of, share_out
from tuning.matches.contenders import add_contenders, common_options, contenders_of, numbered
from tuning.matches.moves import Terms, Verdict, choose_positions, panel, report
from tuning.progress import progress_bar


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add_contenders(parser)
    add("--positions", type=Path, required=True, metavar="FILE",
        help="games (.pgn) or positions (.epd)")  # fmt: skip
    add("--judge", required=True, metavar="COMMAND", help="a stronger engine, which compares moves "
        "that differ")  # fmt: skip
    add("--nodes", type=Whole(1), default=10_000, help="nodes a move (default: 10000)")
    add("--judge-nodes", type=Whole(1), metavar="NODES", help="the judge's for each move (default: "
        "four times --nodes)")  # fmt: skip
    add("--judge-option", action="append", default=[], metavar="NAME=VALUE",
        help="option of the judge; repeatable")  # fmt: skip
    add("--before", type=Whole(0), default=3, metavar="N", help="first search the last N positions "
        "of the game in which the same side moved, as when playing (default: 3)")  # fmt: skip
    add("--count", type=Whole(2), default=2000, help="positions (default: 2000)")
    add("--concurrency", type=Whole(1), default=1, help="positions at once (default: 1)")
    add("--seed", type=Whole(0), default=1, help="seed of the choice of positions (default: 1)")


def run(arguments: argparse.Namespace) -> int:
    for text in (arguments.new, *arguments.opponents, arguments.judge):
        if is_xboard(text):
            raise UsageError(f"{text}: XBoard engines know no limit of nodes")
    terms = Terms(
        nodes=arguments.nodes,
        before=arguments.before,
        judge=arguments.judge,
        judge_nodes=arguments.judge_nodes or 4 * arguments.nodes,
        judge_options=options_of(arguments.judge_option),
        options=common_options(arguments),
    )
    first, *others = contenders_of(arguments)
    contenders = [first, *numbered(others)]
    left_out: list[str] = []
    positions = choose_positions(
        arguments.positions, arguments.count, arguments.seed, left_out.append
    )
    for text in left_out:
        print(text, file=sys.stderr)
    verdicts: list[Verdict] = []
    try:
        with progress_bar("positions") as bar:
            task = bar.add_task(first.name, total=len(positions), note="")

            def on_verdict(verdict: Verdict) -> None:
                verdicts.append(verdict)
                bar.advance(task)

            count = min(arguments.concurrency, len(positions))
            share_out(positions, count, partial(panel, contenders, terms), on_verdict)
    finally:
        if verdicts:
            print(report(contenders, verdicts), flush=True)  # before an error message
    return 1 if left_out else 0
