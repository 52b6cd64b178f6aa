"""The page about a run: a fit of the weighted sum, or the training of a network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Protocol

import chess
import chess.svg
import numpy as np

from engine.board.attack_tables import new_attack_tables, new_position
from engine.board.fen import to_fen
from engine.eval.network.shape import PIECE_INPUTS
from tuning.data.dataset import RECORD, men_of, units_of
from tuning.data.packed import PackedPosition, unpack
from tuning.fitting.findings import PHASES, WORST, calibration_table
from tuning.fitting.model import Array
from tuning.fitting.state import State
from tuning.network.emitting import matching_centipawns
from tuning.network.model import Model, expected
from tuning.network.training import Run
from tuning.network.worth import refusal, worth_of
from tuning.page import Page, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = ("pawn", "knight", "bishop", "rook", "queen", "king")
UNITS = 12  # of the first layer that are shown
SHOWN_SOURCES = 20
COLUMNS = [f"{whose}\n{kind}" for whose in ("own", "enemy") for kind in KINDS]


class Epoch(Protocol):
    """Losses, as both kinds of runs keep them."""

    number: int
    training: float
    validation: float


def page_of_fit(state: State, found: dict[str, Array]) -> Page:
    """`found`: see findings.py."""
    page = Page(f"Fit {state.run_hash}")
    best = min(state.history, key=lambda epoch: epoch.validation)
    page.text(
        f"{int(found['positions'])} positions, {int(found['with_score'])} with a labelled score. "
        f"Loss on held-out games {state.history[0].validation:.6f} before, {best.validation:.6f} "
        f"after epoch {best.number}. K {state.k:.6f} per centipawn. Weights as rounded for the "
        "engine."
    )
    _losses(page, state.history, found["calibration"])
    _worst(page, found["worst"], found["worst_scores"], found["worst_wanted"])
    scales = zip(found["scale_names"].tolist(), found["scale_values"].tolist(), strict=True)
    _settings(page, scales, asdict(state.settings))
    return page


def page_of_network(run: Run) -> Page:
    """Raises ValueError if the run has not finished an epoch."""
    if not run.history or run.sample is None or not len(run.sample):
        raise ValueError("this run has not finished an epoch")
    page = Page(f"Network {run.run_hash}")
    scale = matching_centipawns(run)
    state = "finished" if run.finished else "not finished"
    page.text(
        f"{run.count:,} positions an epoch, {len(run.history)} of {run.settings.epochs} epochs "
        f"({state}). Loss on held-out positions {run.history[-1].validation:.5f}: the mean square "
        f"of expected score less target. A logit is {scale} cp. Files: {', '.join(run.files)}."
    )
    page.heading("What each piece is worth")
    worth = worth_of(run.model, scale)
    page.text(
        "How much the owner's score falls without it, on average over level "
        "middlegames. A network with wrong values loses games, whatever its loss is."
    )
    pieces = zip(KINDS, worth.tolist(), strict=False)
    page.table(("piece", "centipawns"), [(kind, f"{cp:.0f}") for kind, cp in pieces])
    reason = refusal(worth)
    page.text(f"emit refuses it: {reason}." if reason else "emit accepts these values.")
    rows, targets = run.sample.rows, run.sample.targets.astype(np.float64)
    logits = run.model.logits(rows).astype(np.float64)
    _losses(page, run.history, calibration_table(phases_of(rows), expected(logits), targets))
    page.heading("First layer")
    page.text(
        f"The {UNITS} of {run.settings.hidden} accumulators with the largest weights in neurons, "
        "each a row: what a piece adds to it, by its square, seen by the side whose it is (its "
        "first rank is at the bottom)."
    )
    page.plot(_first_layer(run.model))
    worst = np.argsort(-np.abs(expected(logits) - targets), kind="stable")[:WORST]
    signs = 1 - 2 * (rows[worst, 3] & 1)  # White's view, as diagrams are
    whites = np.where(signs > 0, targets[worst], 1 - targets[worst])
    packed = np.ascontiguousarray(rows[worst]).view(np.uint8)
    _worst(page, packed, signs * logits[worst] * scale, whites)
    _settings(page, run.scales.items(), asdict(run.settings))
    return page


# --- What both pages have ------------------------------------------------------------------------


def _losses(page: Page, history: Sequence[Epoch], calibration: Array) -> None:
    page.heading("Loss")
    figure = new_figure(9, 3.8)
    axis = figure.subplots()
    numbers = [epoch.number for epoch in history]
    axis.plot(numbers, [epoch.training for epoch in history], marker=".", label="training")
    axis.plot(numbers, [epoch.validation for epoch in history], marker=".", label="held out")
    axis.set_xlabel("epoch")
    axis.set_ylabel("loss (mean square)")
    axis.grid(alpha=0.3)
    axis.legend()
    page.plot(figure)
    page.heading("Calibration")
    page.text(
        "Held-out positions by expected score: what is predicted, and the mean of the targets. "
        "Dots on the line are right; large dots stand for many positions."
    )
    page.plot(calibration_figure(calibration))


def _worst(page: Page, rows: Array, scores: Array, wanted: Array) -> None:
    page.heading("The ten worst positions")
    for svg, caption in worst_positions(rows, scores, wanted):
        page.diagram(svg, caption)


def _settings(page: Page, scales: Iterable[tuple[str, float]], settings: Mapping[str, Any]) -> None:
    page.heading("Data and settings")
    shown = [(name, f"{1 / k:.0f}") for name, k in list(scales)[:SHOWN_SOURCES]]
    page.table(("source of scores", "centipawns of a logit"), shown)
    page.table(("setting", "value"), settings.items())


def calibration_figure(table: Array) -> Figure:
    """Predictions against outcomes, a plot for each phase; a dot is a bin of predictions.

    `table`: of findings.calibration_table.
    """
    figure = new_figure(13, 4)
    axes = figure.subplots(1, len(PHASES), sharey=True)
    for axis, rows, (low, high) in zip(axes, table, PHASES, strict=True):
        axis.plot((0, 1), (0, 1), linestyle="--", color="gray")
        there = rows[:, 0] > 0
        sizes = 200 * rows[there, 0] / max(1.0, rows[:, 0].max())
        axis.scatter(rows[there, 1], rows[there, 2], s=3 + sizes, alpha=0.7)
        axis.set_title(f"phase {low} to {high}: {int(rows[:, 0].sum()):,} positions", fontsize=10)
        axis.set_xlabel("predicted expected score")
        axis.set_aspect("equal")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("mean target")
    return figure


def worst_positions(rows: Array, scores: Array, wanted: Array) -> list[tuple[str, str]]:
    """Diagrams and captions.

    Args:
        rows: uint8, packed positions one after the other.
        scores: centipawns, White's view.
        wanted: the outcome of each, 0 to 1, White's view.
    """
    pos = new_position(new_attack_tables())
    diagrams = []
    for row, score, came in zip(rows.reshape(-1, PackedPosition.size), scores, wanted, strict=True):
        packed = PackedPosition()
        packed._memory[:] = row
        unpack(pos, packed)
        fen = to_fen(pos)
        svg = chess.svg.board(chess.Board(fen), size=260)
        mover = "White" if pos.side == 0 else "Black"
        caption = f"{mover} to move: {score:+.0f} cp for White, but it came to {came:.2f}. {fen}"
        diagrams.append((svg, caption))
    return diagrams


# --- The network ----------------------------------------------------------------------------------


def phases_of(rows: Array) -> Array:
    """The phase of each position: 24 with all pieces, 0 with pawns only."""
    codes, _ = men_of(rows.view(RECORD).reshape(-1))
    return np.minimum(24, units_of(codes))


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
    axis.set_yticks(
        [9 * row + 3.5 for row in range(len(units))], [f"unit {unit}" for unit in units]
    )
    axis.tick_params(length=0)
    bar = figure.colorbar(image, ax=axis, fraction=0.02, pad=0.02, extend="both")
    bar.set_label("weight (an accumulator is clipped at 0 and 1)")
    return figure
