"""`sprt`: does a new version gain? A match that ends when it is known."""

from __future__ import annotations

import argparse

from tuning.builtin_match import Contender
from tuning.elo import Sprt
from tuning.match_command import add_match_arguments, conditions_of, play_and_report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("new", help="command of the changed engine; `wadjet` is this one")
    parser.add_argument("base", help="command of the engine before the change")
    parser.add_argument("--elo0", type=float, default=0.0, help="no gain (0)")
    parser.add_argument("--elo1", type=float, default=5.0, help="a gain (5)")
    parser.add_argument("--alpha", type=float, default=0.05, help="chance of a wrong gain (0.05)")
    parser.add_argument("--beta", type=float, default=0.05, help="chance to miss one (0.05)")
    parser.add_argument("--logistic", action="store_true", help="plain instead of normalised Elo")
    parser.add_argument("--games", type=int, default=40_000, help="at most (40000)")
    add_match_arguments(parser, time_control="2+0.02")


def run(arguments: argparse.Namespace) -> int:
    test = Sprt(
        arguments.elo0, arguments.elo1, arguments.alpha, arguments.beta, not arguments.logistic
    )
    new, base = Contender("new", arguments.new), Contender("base", arguments.base)
    play_and_report(arguments, new, base, conditions_of(arguments), test)
    return 0
