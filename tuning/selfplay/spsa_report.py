"""The results of an SPSA run, as text and as a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from engine.search.params import Range
from tuning.page import Page, new_figure
from tuning.selfplay.perturbation import Spsa

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLOTS_PER_ROW = 4


def table(state: Spsa) -> str:
    """Old and new values as text."""
    lines = [f"{'parameter':28}{'old':>8}{'new':>8}{'change in steps':>18}"]
    for name, new, limits in _rows(state):
        lines.append(
            f"{name:28}{limits.default:8}{new:8}{(new - limits.default) / limits.step:+18.2f}"
        )
    return "\n".join(lines)


def _rows(state: Spsa) -> list[tuple[str, int, Range]]:
    ranges = state.settings.ranges
    return [(name, value, ranges[name]) for name, value in state.values().items()]


def write_report(state: Spsa, path: Path) -> None:
    settings = state.settings
    page = Page("SPSA of search constants")
    page.text(
        f"{state.done} of {settings.iterations} iterations of {settings.pairs} game pairs, "
        f"rate {settings.rate}, seed {settings.seed}."
    )
    page.table(("setting", "value"), settings.games.items())
    page.heading("Values")
    page.table(
        ("parameter", "old", "new", "exact", "least", "largest", "step"),
        [
            (n, r.default, v, f"{state.theta[n]:.2f}", r.minimum, r.maximum, r.step)
            for n, v, r in _rows(state)
        ],
    )
    page.heading("How they moved")
    page.text("The dashed line is the old value.")
    page.plot(_plot(state))
    page.write(path)


def _plot(state: Spsa) -> Figure:
    names = list(state.theta)
    rows = -(-len(names) // PLOTS_PER_ROW)
    figure = new_figure(13, 2.2 * rows + 0.5)
    axes = figure.subplots(rows, PLOTS_PER_ROW, squeeze=False).ravel()
    numbers = [number for number, _ in state.history]
    for name, axis in zip(names, axes, strict=False):
        axis.plot(numbers, [values[name] for _, values in state.history])
        axis.axhline(state.settings.ranges[name].default, linestyle="--", color="gray")
        axis.set_title(name, fontsize=9)
        axis.tick_params(labelsize=7)
    for axis in axes[len(names) :]:
        axis.remove()
    return figure
