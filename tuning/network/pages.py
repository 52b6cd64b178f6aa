"""The page of a network: piece values, training, errors."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from engine.eval.network.shape import PIECE_INPUTS
from tuning.data.dataset import RECORD
from tuning.fitting.findings import WORST, calibration_table
from tuning.fitting.model import Array
from tuning.fitting.report_page import calibration_figure, worst_positions
from tuning.network.emitting import matching_centipawns
from tuning.network.examples import material_counts
from tuning.network.model import Model, expected
from tuning.network.training import Run
from tuning.network.worth import KINDS, refusal, worth_of
from tuning.page import Page, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

UNITS = 12  # of the first layer that are shown
PHASE_WEIGHTS = np.array([0, 1, 1, 2, 4, 0])  # by kind; together 24 at the start of a game
SHOWN_SOURCES = 20
COLUMNS = [f"{whose}\n{kind}" for whose in ("own", "enemy") for kind in (*KINDS, "king")]


def network_page(run: Run) -> Page:
    """Raises ValueError if the run has not finished an epoch."""
    if not run.history or run.sample is None or not len(run.sample):
        raise ValueError("this run has not finished an epoch")
    page = Page(f"Network {run.run_hash}")
    last, scale = run.history[-1], matching_centipawns(run)
    state = "finished" if run.finished else "not finished"
    page.text(
        f"{run.count:,} positions an epoch, {len(run.history)} of {run.settings.epochs} epochs "
        f"({state}). Loss on held-out positions {last.validation:.5f}: the mean square of "
        f"expected score less target. A logit is {scale} cp."
    )
    page.heading("What each piece is worth")
    worth = worth_of(run.model, scale)
    page.text(
        "How much the owner's score falls without it, on average over level "
        "middlegames. A network that does not know loses games, whatever its loss is."
    )
    page.table(
        ("piece", "centipawns"), [(k, f"{cp:.0f}") for k, cp in zip(KINDS, worth, strict=True)]
    )
    reason = refusal(worth)
    page.text(f"emit refuses it: {reason}." if reason else "emit accepts these values.")
    page.heading("Loss")
    page.plot(_losses(run))
    page.heading("Learning rate and share of results")
    page.plot(_schedules(run))
    rows, targets = run.sample.rows, run.sample.targets.astype(np.float64)
    logits = run.model.logits(rows).astype(np.float64)
    page.heading("Calibration")
    page.text(
        "Held-out positions by expected score: what the network predicts, and the mean of the "
        "targets. Dots on the line are right; large dots stand for many positions."
    )
    table = calibration_table(phases_of(rows), expected(logits), targets)
    page.plot(calibration_figure(table, "mean target"))
    page.heading("First layer")
    page.text(
        f"The {UNITS} of {run.settings.hidden} sums with the largest weights in neurons, each a "
        "row: what a piece adds to the sum, by its square, seen by the side whose sum it "
        "is (its first rank is at the bottom)."
    )
    page.plot(_first_layer(run.model))
    page.heading("The ten worst positions")
    error = np.abs(expected(logits) - targets)
    worst = np.argsort(-error, kind="stable")[:WORST]
    signs = 1 - 2 * (rows[worst, 3] & 1)  # White's view, as diagrams are
    whites = np.where(signs > 0, targets[worst], 1 - targets[worst])
    cps = signs * logits[worst] * scale
    for svg, caption in worst_positions(
        np.ascontiguousarray(rows[worst]).view(np.uint8), cps, whites
    ):
        page.diagram(svg, caption)
    page.heading("Data and settings")
    page.text(f"Files: {', '.join(run.files)}.")
    shown = list(run.scales.items())[:SHOWN_SOURCES]
    page.table(
        ("source of scores", "centipawns of a logit"), [(n, f"{1 / k:.0f}") for n, k in shown]
    )
    page.table(("setting", "value"), asdict(run.settings).items())
    return page


def phases_of(rows: Array) -> Array:
    """The phase of each position: 24 with all pieces, 0 with pawns only."""
    counts = material_counts(rows.view(RECORD).reshape(-1))
    return np.asarray(np.minimum(24, (counts[:, 0] + counts[:, 1]) @ PHASE_WEIGHTS))


def _losses(run: Run) -> Figure:
    figure = new_figure(9, 3.8)
    axis = figure.subplots()
    numbers = [epoch.number for epoch in run.history]
    axis.plot(numbers, [e.training for e in run.history], marker=".", label="training")
    axis.plot(numbers, [e.validation for e in run.history], marker=".", label="held out")
    axis.set_xlabel("epoch")
    axis.set_ylabel("loss (mean square)")
    axis.grid(alpha=0.3)
    axis.legend()
    return figure


def _schedules(run: Run) -> Figure:
    figure = new_figure(9, 3)
    axis = figure.subplots()
    settings = run.settings
    progress = np.linspace(0, 1, 200)
    axis.plot(progress * settings.epochs, [settings.rate_at(float(p)) for p in progress])
    axis.set_xlabel("epochs done")
    axis.set_ylabel("learning rate")
    axis.set_yscale("log")
    axis.grid(alpha=0.3)
    other = axis.twinx()
    epochs = range(1, settings.epochs + 1)
    other.step(
        [number - 1 for number in epochs], [settings.results_share(n) for n in epochs],
        where="post", color="tab:orange",
    )  # fmt: skip
    other.set_ylim(-0.02, 1.02)
    other.set_ylabel("share of results", color="tab:orange")
    return figure


def _first_layer(model: Model) -> Figure:
    w1, products = model.first_weights, model.weights.neuron_weights
    # A sum is as important as the products it is in: one in each view.
    size = np.tile(np.abs(products).sum(axis=(0, 1)).reshape(2, -1).sum(axis=0), 2)
    units = np.argsort(-size, kind="stable")[:UNITS]
    castled = w1[:PIECE_INPUTS, units]  # the first king bucket
    boards = castled.T.reshape(len(units), 12, 8, 8)[:, :, ::-1]  # the eighth rank is on top
    picture = np.full((9 * len(units) - 1, 9 * 12 - 1), np.nan)  # 8 squares and a gap
    for row in range(len(units)):
        for column in range(12):
            picture[9 * row : 9 * row + 8, 9 * column : 9 * column + 8] = boards[row, column]
    largest = float(np.quantile(np.abs(boards), 0.995))
    figure = new_figure(13, 0.5 + 1.05 * len(units))
    axis = figure.subplots()
    image = axis.imshow(picture, cmap="RdBu", vmin=-largest, vmax=largest)
    axis.set_xticks([9 * column + 3.5 for column in range(12)], COLUMNS, fontsize=8)
    axis.xaxis.tick_top()
    axis.set_yticks([9 * row + 3.5 for row in range(len(units))], [f"sum {unit}" for unit in units])
    axis.tick_params(length=0)
    bar = figure.colorbar(image, ax=axis, fraction=0.02, pad=0.02, extend="both")
    bar.set_label("weight (a sum is clipped at 0 and 1)")
    return figure
