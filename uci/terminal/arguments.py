"""What can follow `wadjet play` on the command line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from uci.terminal.game import TimeControl

DESCRIPTION = "Play a game against Wadjet in this terminal. Type help in the game for its commands."
MOST_SECONDS = 600.0


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="wadjet play", usage="%(prog)s [options]", description=DESCRIPTION, add_help=False
    )
    made.add_argument("-h", "--help", action="store_true", help="show this and exit")
    made.add_argument("--level", type=int, metavar="N", help="strength as a rating, e.g. 800")
    made.add_argument("--black", action="store_true", help="you play Black")
    made.add_argument("--clock", type=_clock, metavar="M+S", help="minutes, and seconds a move")
    made.add_argument(
        "--seconds", type=_seconds, default=1.0, metavar="S",
        help="the engine's time for a move without clocks (default: 1)",
    )  # fmt: skip
    starts = made.add_mutually_exclusive_group()
    starts.add_argument("--fen", help="begin with this position")
    starts.add_argument("--pgn", type=Path, metavar="FILE", help="go on with a saved game")
    starts.add_argument("--resume", action="store_true", help="go on with the last game")
    made.add_argument("--ascii", action="store_true", help="letters instead of chess pieces")
    made.add_argument(
        "--no-colour", "--no-color", action="store_true", help="as with NO_COLOR in the environment"
    )
    return made


def read(arguments: Sequence[str]) -> argparse.Namespace:
    """Raises SystemExit with status 2, after a message on standard error, for wrong usage."""
    return parser().parse_args(arguments)


def _clock(text: str) -> TimeControl:
    try:
        return TimeControl.read(text)
    except ValueError as reason:
        raise argparse.ArgumentTypeError(str(reason)) from None


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.01 <= seconds <= MOST_SECONDS:
        raise argparse.ArgumentTypeError(f"from 0.01 to {MOST_SECONDS:.0f}, not {text!r}")
    return seconds
