"""`export`: write games as PGN or EPD, positions as EPD."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.files import written_whole
from tuning.data.dataset import load
from tuning.data.writers import games_as_epd, games_as_pgn, positions_as_epd


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help=".games or .positions")
    parser.add_argument("-o", "--output", type=Path, required=True, help=".pgn or .epd")


def run(arguments: argparse.Namespace) -> int:
    kinds = arguments.file.suffix, arguments.output.suffix
    if kinds == (".games", ".pgn"):
        texts = games_as_pgn(arguments.file)
    elif kinds == (".games", ".epd"):
        texts = games_as_epd(arguments.file)
    elif kinds == (".positions", ".epd"):
        texts = positions_as_epd(load(arguments.file))
    else:
        raise ValueError(f"cannot export {kinds[0]} as {kinds[1]}")
    count = 0
    with written_whole(arguments.output) as file:
        for text in texts:
            file.write(f"{text}\n".encode())
            count += 1
    print(f"{arguments.output}: {count} written")
    return 0
