"""The engine's weights.py as text, in its readable form."""

from __future__ import annotations

from pathlib import Path

from engine.eval.classical import weights
from engine.eval.classical.features import FEATURES, Feature
from tuning.fitting.model import Array

SHIPPED = Path(weights.__file__)
MARK = "Fitted by run "
KIND_NAMES = ("pawn", "knight", "bishop", "rook", "queen", "king")


def source_of(values: Array, run_hash: str) -> str:
    """The text of weights.py. Everything that is not fitted stays as it is.

    Args:
        values: int64[WEIGHT_COUNT, 2], in the order of features.py.
        run_hash: names the fit in the docstring.
    """
    head = SHIPPED.read_text(encoding="utf-8")
    first = next(iter(FEATURES)).upper()
    start, end = head.index(f"\n{first}:") + 1, head.index("# fmt: on")
    lines = [line for line in head[:start].splitlines() if not line.startswith(MARK)]
    closing = lines.index('"""', 1) if '"""' in lines[1:] else 0
    lines.insert(closing, f"{MARK}{run_hash}.")
    body = "\n".join(
        _declaration(feature, values[feature.indices]) for feature in FEATURES.values()
    )
    return "\n".join(lines) + "\n" + body + "\n" + head[end:]


def _declaration(feature: Feature, pairs: Array) -> str:
    name = feature.name.upper()
    if not feature.shape:
        return f"{name}: Pair = {_pair(pairs[0])}"
    table = pairs.reshape(*feature.shape, 2)
    if len(feature.shape) == 1:
        return f"{name}: Pairs = {_row(table)}"
    if feature.shape[-1] == 64:
        boards = "\n".join(_board(kind, board) for kind, board in enumerate(table))
        return f"{name}: tuple[tuple[Pairs, ...], ...] = (\n{boards}\n)"
    rows = "\n".join(f"    {_row(row)}," for row in table)
    return f"{name}: tuple[Pairs, ...] = (\n{rows}\n)"


def _board(kind: int, board: Array) -> str:
    """The eighth rank first, as on a diagram."""
    ranks = "\n".join(f"        {_row(rank)}," for rank in board.reshape(8, 8, 2)[::-1])
    return f"    # {KIND_NAMES[kind]}\n    (\n{ranks}\n    ),"


def _row(pairs: Array) -> str:
    inside = ", ".join(map(_pair, pairs))
    return f"({inside},)" if len(pairs) == 1 else f"({inside})"


def _pair(pair: Array) -> str:
    return f"({int(pair[0])}, {int(pair[1])})"
