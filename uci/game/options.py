"""Options on the command line that `wadjet play` and `wadjet board` share, for argparse."""

from __future__ import annotations

import argparse

from uci.game.game import TimeControl

MOST_SECONDS = 600.0


def clock(text: str) -> TimeControl:
    try:
        return TimeControl.read(text)
    except ValueError as reason:
        raise argparse.ArgumentTypeError(str(reason)) from None


def seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0.01 <= number <= MOST_SECONDS:
        raise argparse.ArgumentTypeError(f"from 0.01 to {MOST_SECONDS:.0f}, not {text!r}")
    return number
