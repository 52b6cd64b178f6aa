"""`report`: write one page about a fit."""

from __future__ import annotations

import argparse
from pathlib import Path

from tuning.fitting.report_page import page_of
from tuning.fitting.state import load_state


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("fit", type=Path, metavar="FIT.npz")
    parser.add_argument("-o", "--output", type=Path, help="(default: FIT.html)")


def run(arguments: argparse.Namespace) -> int:
    state, found = load_state(arguments.fit)
    if "calibration" not in found:
        raise ValueError(f"{arguments.fit}: the fit is not finished")
    output = arguments.output or arguments.fit.with_suffix(".html")
    page_of(state, found).write(output)
    print(output)
    return 0
