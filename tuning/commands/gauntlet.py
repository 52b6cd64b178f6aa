"""`gauntlet`: play matches of one engine against several others."""

from __future__ import annotations

import argparse
import sys

from engine.reasons import reason_of
from tuning.engines import OURS, find_program, name_of
from tuning.matches.command import add_match_arguments, conditions_of, play_and_report, tested
from tuning.matches.rules import Contender


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "opponents", nargs="+", help="commands of the opponents; xboard:COMMAND of an XBoard engine"
    )
    parser.add_argument(
        "--engine", default=OURS, help="command of the engine to test (default: this one)"
    )
    parser.add_argument("--games", type=int, default=100, help="games against each (100)")
    add_match_arguments(parser, time_control="8+0.08")


def run(arguments: argparse.Namespace) -> int:
    champion = tested("champion", arguments.engine, arguments)
    conditions = conditions_of(arguments)
    for command in (arguments.engine, *arguments.opponents):
        find_program(command)  # at once, not when its turn comes
    status = 0
    for number, command in enumerate(arguments.opponents, 1):
        opponent = Contender(f"{number}-{name_of(command)}", command)
        print(opponent.name if number == 1 else f"\n{opponent.name}", flush=True)
        try:
            play_and_report(arguments, champion, opponent, conditions, None)
        except BrokenPipeError:  # nobody reads what is printed
            raise
        except (OSError, ValueError) as reason:  # the other opponents may play
            print(f"wadjet-tune gauntlet: {reason_of(reason)}", file=sys.stderr, flush=True)
            status = 1
    return status
