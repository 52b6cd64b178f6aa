"""`evaluate`: how well networks order the positions after every legal move."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from tuning.data.dataset import Dataset
from tuning.data.stream import open_positions
from tuning.data.writers import fens
from tuning.engines import options_of
from tuning.fitting.model import Array
from tuning.network.labelling import CHUNK
from tuning.network.labels import MATE, fen_lines
from tuning.network.model import Model, king_map
from tuning.network.siblings import Families, families_of, level_families, order_of, table
from tuning.network.teacher import STATIC, Teacher
from tuning.network.training import load_start
from tuning.network.worth import packed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "positions", type=Path, metavar="FILE", help=".positions, or text with a FEN a line"
    )
    parser.add_argument(
        "networks", nargs="+", type=Path, metavar="NETWORK",
        help="runs of `train` (.npz) or networks that play (.nnue)",
    )  # fmt: skip
    parser.add_argument(
        "--engine", metavar="COMMAND", required=True,
        help="the teacher: Stockfish or Wadjet, any engine with the command `eval`",
    )  # fmt: skip
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="its options"
    )
    parser.add_argument(
        "--count", type=int, default=250, help="positions, drawn at random (default: 250)"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the draw (default: 1)")


def run(arguments: argparse.Namespace) -> int:
    if arguments.count < 1:
        raise ValueError("--count must be more than 0")
    models = [(str(path), _model(path)) for path in arguments.networks]
    families = families_of(drawn(arguments.positions, arguments.count, arguments.seed))
    families, scores = _judged(families, arguments.engine, options_of(arguments.option))
    if not len(families):
        raise ValueError(f"{arguments.positions}: no position is level and has several moves")
    rows = packed(families.fens)
    orders = [(name, order_of(families, scores, model.logits(rows))) for name, model in models]
    print(f"{len(families.fens)} positions after every legal move of {len(families)}")
    print("\n".join(table(orders)))
    return 0


def _model(path: Path) -> Model:
    start = load_start(path)
    if start.king_map != king_map():
        raise ValueError(f"{path}: its king buckets are not the engine's")
    return start.model


def drawn(path: Path, count: int, seed: int) -> list[str]:
    """FENs of so many positions of a file, or of all; a file may hold millions."""
    random = np.random.default_rng(seed)

    def places(length: int) -> Array:
        return np.sort(random.choice(length, min(count, length), replace=False, shuffle=False))

    if path.suffix == ".positions":
        file = open_positions(path)
        return list(fens(Dataset(np.array(file.records[places(len(file))]), file.sources)))
    lines = [line for _, _, part in fen_lines(path) for line in part]
    return [b" ".join(lines[place].split()[:4]).decode() for place in places(len(lines))]


def _judged(families: Families, engine: str, options: dict[str, str]) -> tuple[Families, Array]:
    """The level families, and the teacher's scores from the view of the siblings' movers."""
    if not len(families):
        return families, np.zeros(0)
    parts = []
    with Teacher(engine, options, STATIC) as teacher:
        for begin in range(0, len(families.fens), CHUNK):
            texts = families.fens[begin : begin + CHUNK]
            teacher.ask(texts)
            parts.append(teacher.static_answers(len(texts)))
    white = np.concatenate(parts)
    if (np.abs(white) == MATE).any():
        raise ValueError(f"{engine}: its `eval` does not score every position")
    movers = np.array([1 if " w " in fen else -1 for fen in families.fens])
    return level_families(families, white * movers)
