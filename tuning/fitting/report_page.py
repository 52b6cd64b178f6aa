"""The page of a fit: losses, calibration, weights, worst positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess
import chess.svg
import numpy as np

from engine.board.attack_tables import new_attack_tables, new_position
from engine.board.fen import to_fen
from engine.eval.classical.features import FEATURES, Feature
from tuning.data.packed import PackedPosition, unpack
from tuning.fitting.findings import PHASES
from tuning.fitting.model import Array
from tuning.fitting.state import State
from tuning.page import Page, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = ("pawn", "knight", "bishop", "rook", "queen", "king")


def page_of(state: State, found: dict[str, Array]) -> Page:
    page = Page(f"Fit {state.run_hash}")
    best = min(state.history, key=lambda epoch: epoch.validation)
    page.text(
        f"{int(found['positions'])} positions, {int(found['with_score'])} with a labelled score. "
        f"Validation loss {state.history[0].validation:.6f} before, {best.validation:.6f} after "
        f"epoch {best.number}. K {state.k:.6f} per centipawn. Weights as rounded for the engine."
    )
    page.heading("Loss")
    page.plot(_losses(state))
    page.heading("Scan of K")
    page.text("Validation loss of the fitted weights at other values of K.")
    page.plot(_scan(state, found))
    page.heading("Calibration")
    page.text("Predictions against outcomes in held-out positions, by phase.")
    page.plot(calibration_figure(found["calibration"], "mean of what came"))
    page.heading("Piece-square tables")
    for feature in FEATURES.values():
        if feature.shape == (6, 64):
            page.plot(_boards(feature.name, state, slice(feature.first, feature.first + 6 * 64)))
    page.heading("The ten worst positions")
    worst = worst_positions(found["worst"], found["worst_scores"], found["worst_wanted"])
    for svg, caption in worst:
        page.diagram(svg, caption)
    page.heading("Weights")
    page.text("In centipawns, before the fit and after it; and in how many positions they count.")
    heads = ("weight", "middlegame", "new", "endgame", "new", "counts in")
    for group, rows in _weights(state, found).items():
        page.folded(group, heads, rows)
    page.heading("Scale of each source of labels")
    page.table(
        ("source", "k per centipawn"),
        [
            (name, f"{k:.6f}")
            for name, k in zip(found["scale_names"], found["scale_values"], strict=True)
        ],
    )
    page.heading("Settings")
    page.table(("setting", "value"), vars(state.settings).items())
    return page


def _losses(state: State) -> Figure:
    figure = new_figure(9, 3.5)
    axis = figure.subplots()
    numbers = [epoch.number for epoch in state.history]
    axis.plot(numbers, [epoch.training for epoch in state.history], label="training")
    axis.plot(numbers, [epoch.validation for epoch in state.history], label="validation")
    axis.set_xlabel("epoch")
    axis.set_ylabel("loss (mean square)")
    axis.legend()
    return figure


def _scan(state: State, found: dict[str, Array]) -> Figure:
    figure = new_figure(9, 3)
    axis = figure.subplots()
    axis.plot(found["scan_k"], found["scan_loss"])
    axis.axvline(state.k, linestyle="--", color="gray")
    axis.set_xlabel("K per centipawn")
    axis.set_ylabel("validation loss")
    return figure


def calibration_figure(table: Array, came: str) -> Figure:
    """Predictions against outcomes, a plot for each phase; a dot is a bin of predictions.

    Args:
        table: of findings.calibration_table.
        came: the name of the second axis.
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
    axes[0].set_ylabel(came)
    return figure


def _boards(name: str, state: State, places: slice) -> Figure:
    """Old and new, middlegame and endgame, of all kinds: one picture of 4 times 6 boards."""
    old = state.initial[places].reshape(6, 8, 8, 2)
    new = state.best[places].reshape(6, 8, 8, 2)
    largest = np.maximum(np.abs(old), np.abs(new)).max(axis=(1, 2, 3)).clip(min=1.0)
    picture = np.full((4 * 9, 6 * 9), np.nan)  # 8 squares and a gap
    for row, (table, stage) in enumerate(((old, 0), (new, 0), (old, 1), (new, 1))):
        for kind in range(6):
            board = table[kind, ::-1, :, stage] / largest[kind]  # the eighth rank is on top
            picture[9 * row : 9 * row + 8, 9 * kind : 9 * kind + 8] = board
    figure = new_figure(13, 8)
    axis = figure.subplots()
    image = axis.imshow(picture, cmap="RdYlGn", vmin=-1, vmax=1)
    bar = figure.colorbar(image, ax=axis, fraction=0.02, pad=0.02)
    bar.set_label("weight, as a share of the kind's largest")
    heads = [f"{kind}\n1 is {most:.0f} cp" for kind, most in zip(KINDS, largest, strict=True)]
    axis.set_xticks([9 * kind + 3.5 for kind in range(6)], heads)
    axis.xaxis.tick_top()
    rows = ("middlegame,\nold", "middlegame,\nnew", "endgame,\nold", "endgame,\nnew")
    axis.set_yticks([9 * row + 3.5 for row in range(4)], rows)
    axis.tick_params(length=0)
    axis.set_title(name.replace("_", " "))
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


def _weights(state: State, found: dict[str, Array]) -> dict[str, list[tuple[object, ...]]]:
    """By group, the rows of a table. What is shown as boards is left out."""
    old, new, fires = np.rint(state.initial).astype(int), state.values, found["fires"]
    count = max(1, int(found["positions"]))
    groups: dict[str, list[tuple[object, ...]]] = {}
    for feature in FEATURES.values():
        if feature.shape[-1:] == (64,):
            continue
        for number, place in enumerate(range(feature.indices.start, feature.indices.stop)):
            share = f"{fires[place] / count:.2%}"
            groups.setdefault(feature.group, []).append(
                (
                    weight_name(feature, number), old[place, 0], new[place, 0], old[place, 1],
                    new[place, 1], share,
                )
            )  # fmt: skip
    return groups


def weight_name(feature: Feature, number: int) -> str:
    """In words: the number counts the feature's weights in C order."""
    name = feature.name.replace("_", " ")
    if not feature.shape:
        return name
    words = []
    for length, index in zip(feature.shape, np.unravel_index(number, feature.shape), strict=True):
        pattern = _INDEX.get(feature.name) or _INDEX_BY_LENGTH.get(length, "{number}")
        kind = KINDS[index] if index < len(KINDS) else ""
        words.append(pattern.format(number=int(index), rank=int(index) + 1, kind=kind))
    return f"{name}: {', '.join(words)}"


# What the index of a feature with several weights counts.
_INDEX_BY_LENGTH = {4: "{number} files from the edge", 6: "{kind}", 8: "rank {rank}"}
_INDEX = {
    "king_attackers": "{number} pieces",
    "passed_king_near": "distance {number}",
    "passed_king_far": "distance {number}",
    "knight_mobility": "{number} squares",
    "bishop_mobility": "{number} squares",
    "rook_mobility": "{number} squares",
    "queen_mobility": "{number} squares",
}
