"""Calibration as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine.files import written_whole
from tuning.calibration.chances import NAMES, Array, predict
from tuning.calibration.chances import Sample as Positions
from tuning.page import new_figure

MATERIALS = (78, 50, 24)
SCORES = np.arange(-600, 601, 10)


def draw(tables: Sequence[Array], half: Array, spread: Array, error: float, path: Path) -> None:
    """What was predicted against what came, and the chances by score and material."""
    figure = new_figure(12, 4.6)
    left, right = figure.subplots(1, 2)
    left.plot((0, 1), (0, 1), linestyle="--", color="gray")
    for table, name in zip(tables, NAMES, strict=True):
        left.plot(table[:, 1], table[:, 2], marker="o", markersize=4, linewidth=1, label=name)
    left.set_title(f"games held back: mean calibration error {100 * error:.1f} %", fontsize=10)
    left.set_xlabel("predicted chance")
    left.set_ylabel("share of the positions")
    left.legend()
    left.grid(alpha=0.3)
    nothing = np.zeros_like(SCORES)
    for material, style in zip(MATERIALS, ("-", "--", ":"), strict=True):
        at = Positions(SCORES, np.full_like(SCORES, material), nothing, nothing)
        shares = predict(half, spread, at)
        for outcome, colour in enumerate(("C0", "C1", "C2")):
            label = f"{NAMES[outcome]}, material {material}"
            right.plot(SCORES, shares[:, outcome], style, color=colour, label=label)
    right.set_title("the model", fontsize=10)
    right.set_xlabel("internal score in centipawns, side to move")
    right.set_ylabel("chance")
    right.legend(fontsize=8)
    right.grid(alpha=0.3)
    with written_whole(path) as file:
        figure.savefig(file, format="png", dpi=100, metadata={"Software": None})
