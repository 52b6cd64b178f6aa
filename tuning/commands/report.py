"""`report`: write a page about a fit or a network."""

from __future__ import annotations

import argparse
from pathlib import Path

from tuning.fitting.state import load_state
from tuning.network.training import is_network, load_run
from tuning.report import page_of_fit, page_of_network


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="RUN.npz", help="run of `fit` or `train`")
    parser.add_argument("-o", "--output", type=Path, help="page to write (default: RUN.html)")


def run(arguments: argparse.Namespace) -> int:
    path: Path = arguments.file
    output = arguments.output or path.with_suffix(".html")
    if is_network(path):
        trained = load_run(path)
        try:
            page = page_of_network(trained)
        except ValueError as reason:
            raise ValueError(f"{path}: {reason}") from reason
    else:
        state, found = load_state(path)
        if "calibration" not in found:
            raise ValueError(f"{path}: this fit is not finished")
        page = page_of_fit(state, found)
    page.write(output)
    print(output)
    return 0
