"""`sprt`: test whether a change gains Elo; stop as soon as that is known."""

from __future__ import annotations

import argparse

from tuning.matches.command import add_match_arguments, conditions_of, play_and_report, tested
from tuning.matches.elo import Sprt
from tuning.matches.rules import Contender


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("new", help="command of the new version; `wadjet` is this engine")
    parser.add_argument("base", help="command of the version before the change")
    parser.add_argument("--elo0", type=float, default=0.0, help="Elo of H0, no gain (0)")
    parser.add_argument("--elo1", type=float, default=5.0, help="Elo of H1, a gain (5)")
    parser.add_argument(
        "--alpha", type=float, default=0.05, help="chance to accept H1 if H0 is true (0.05)"
    )
    parser.add_argument(
        "--beta", type=float, default=0.05, help="chance to accept H0 if H1 is true (0.05)"
    )
    parser.add_argument(
        "--logistic", action="store_true", help="bounds in logistic instead of normalised Elo"
    )
    parser.add_argument("--games", type=int, default=40_000, help="most games (40000)")
    add_match_arguments(parser, time_control="2+0.02")


def run(arguments: argparse.Namespace) -> int:
    test = Sprt(
        arguments.elo0, arguments.elo1, arguments.alpha, arguments.beta, not arguments.logistic
    )
    new, base = tested("new", arguments.new, arguments), Contender("base", arguments.base)
    play_and_report(arguments, new, base, conditions_of(arguments), test)
    return 0
