"""`report`: write a page about a fit or a network."""

from __future__ import annotations

import argparse
from pathlib import Path

from tuning.fitting.report_page import page_of
from tuning.fitting.state import load_state
from tuning.network.pages import network_page
from tuning.network.training import is_network, load_run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="RUN.npz", help="run of `fit` or `train`")
    parser.add_argument("-o", "--output", type=Path, help="page to write (default: RUN.html)")
    parser.add_argument(
        "--pictures", type=Path, metavar="FOLDER", help="folder for its plots, a PNG file each"
    )


def run(arguments: argparse.Namespace) -> int:
    output = arguments.output or arguments.file.with_suffix(".html")
    if is_network(arguments.file):
        trained = load_run(arguments.file)
        try:
            page = network_page(trained)
        except ValueError as reason:
            raise ValueError(f"{arguments.file}: {reason}") from reason
    else:
        state, found = load_state(arguments.file)
        if "calibration" not in found:
            raise ValueError(f"{arguments.file}: this fit is not finished")
        page = page_of(state, found)
    page.write(output)
    print(output)
    if arguments.pictures is not None:
        for path in page.write_pictures(arguments.pictures):
            print(path)
    return 0
