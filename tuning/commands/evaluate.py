"""`evaluate`: the errors of networks on labelled positions, by kind, and among siblings."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine.command_line import UsageError, Whole
from tuning.data.dataset import open_positions
from tuning.data.writers import fens
from tuning.engines import options_of
from tuning.fitting.model import Array
from tuning.network.errors import Families, errors_of, families_of, level_families, order_of
from tuning.network.labelling import CHUNK, IN_CHECK, Teacher, fen_lines
from tuning.network.model import Model, king_map
from tuning.network.training import load_start
from tuning.network.worth import rows_of

NETWORKS = (".npz", ".nnue")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("networks", nargs="+", type=Path, metavar="NETWORK",
        help="runs of `train` (.npz) or networks that play (.nnue)")  # fmt: skip
    add("files", nargs="+", type=Path, metavar="FILE",
        help="labelled .positions; with --engine also text with a FEN a line")  # fmt: skip
    add(
        "--engine",
        metavar="COMMAND",
        help="teacher with the command `eval`, for the positions after every legal move",
    )
    add("--option", action="append", default=[], metavar="NAME=VALUE",
        help="option of the teacher; repeatable")  # fmt: skip
    add("--siblings", type=Whole(1), default=250, metavar="COUNT",
        help="positions of each file whose moves the teacher scores (default: 250)")  # fmt: skip
    add("--seed", type=Whole(0), default=1, help="seed of the choice of these (default: 1)")


def run(arguments: argparse.Namespace) -> int:
    paths = [*arguments.networks, *arguments.files]  # to argparse only the last one is a file
    names = [path for path in paths if path.suffix in NETWORKS]
    files = [path for path in paths if path.suffix not in NETWORKS]
    if not names or not files:
        raise UsageError("give networks (.npz, .nnue) and files of positions")
    models = [_model(path) for path in names]
    for number, path in enumerate(files):
        rows: list[tuple[str, int, list[float]]] = []
        if path.suffix == ".positions":
            rows += errors_of(models, open_positions(path))
        if arguments.engine:
            texts = drawn(path, arguments.siblings, arguments.seed)
            rows += _among_siblings(models, texts, arguments.engine, options_of(arguments.option))
        if not rows:
            raise ValueError(f"{path}: without --engine only .positions can be evaluated")
        print("\n" if number else "", end="")
        print("\n".join(_table(path, names, rows)))
    return 0


def _table(
    path: Path, names: Sequence[Path], rows: Sequence[tuple[str, int, list[float]]]
) -> list[str]:
    """A line for each kind of position, a column for each network."""
    width = max(len(str(path)), *(len(kind) for kind, _, _ in rows)) + 2
    wide = max(12, *(len(name.name) + 2 for name in names))
    lines = [f"{path!s:{width}}{'positions':>10}" + "".join(f"{n.name:>{wide}}" for n in names)]
    lines += [
        f"{kind:{width}}{count:10}" + "".join(f"{error:{wide}.5f}" for error in errors)
        for kind, count, errors in rows
    ]
    return lines


def _model(path: Path) -> Model:
    start = load_start(path)
    if start.king_map != king_map():
        raise ValueError(f"{path}: its king buckets are not the engine's")
    return start.model


def drawn(path: Path, count: int, seed: int) -> list[str]:
    """FENs of `count` positions of a file, or of all; a file may hold millions."""
    random = np.random.default_rng(seed)

    def places(length: int) -> Array:
        return np.sort(random.choice(length, min(count, length), replace=False, shuffle=False))

    if path.suffix == ".positions":
        file = open_positions(path)
        return list(fens(np.array(file.records[places(len(file))])))
    lines = [line for _, _, part in fen_lines(path) for line in part]
    return [b" ".join(lines[place].split()[:4]).decode() for place in places(len(lines))]


def _among_siblings(
    models: Sequence[Model], texts: Sequence[str], engine: str, options: dict[str, str]
) -> list[tuple[str, int, list[float]]]:
    """The errors in the positions after every legal move, by the teacher's scores."""
    families, scores = _judged(families_of(texts), engine, options)
    if not len(families):
        raise ValueError("no position is level and has several moves")
    rows = rows_of(families.fens)
    orders = [order_of(families, scores, model.logits(rows)) for model in models]
    count = len(families.fens)
    return [
        ("after every legal move", count, [order.squared_error for order in orders]),
        ("  of it among siblings", count, [order.within for order in orders]),
        ("  rank correlation", len(families), [order.rank_correlation for order in orders]),
        ("  lost by the move preferred", len(families), [order.lost for order in orders]),
    ]


def _judged(families: Families, engine: str, options: dict[str, str]) -> tuple[Families, Array]:
    """The level families, and the teacher's scores from the view of the siblings' movers."""
    if not len(families):
        return families, np.zeros(0)
    parts = []
    with Teacher(engine, options) as teacher:
        for begin in range(0, len(families.fens), CHUNK):
            texts = families.fens[begin : begin + CHUNK]
            teacher.ask(texts)
            parts.append(teacher.answers(len(texts)))
    white = np.concatenate(parts)
    if (np.abs(white) == IN_CHECK).any():
        raise ValueError(f"{engine}: its `eval` does not score every position")
    movers = np.array([1 if " w " in fen else -1 for fen in families.fens])
    return level_families(families, white * movers)
