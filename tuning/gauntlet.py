"""`gauntlet`: one engine against several others."""

from __future__ import annotations

import argparse

from tuning.builtin_match import Contender
from tuning.engines import OURS
from tuning.match_command import add_match_arguments, conditions_of, matched


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("opponents", nargs="+", help="commands of the others")
    parser.add_argument("--engine", default=OURS, help="command of the one (default: this engine)")
    parser.add_argument("--games", type=int, default=100, help="against each (100)")
    add_match_arguments(parser, time_control="8+0.08")


def run(arguments: argparse.Namespace) -> int:
    champion = Contender("champion", arguments.engine)
    conditions = conditions_of(arguments)
    reports = []
    for number, command in enumerate(arguments.opponents, 1):
        opponent = Contender(f"{number}-{command.split()[0].rsplit('/', 1)[-1]}", command)
        score = matched(arguments, champion, opponent, conditions, arguments.pgn, None)
        reports.append(f"{opponent.name}\n{score.report()}")
    print("\n\n".join(reports))
    return 0
