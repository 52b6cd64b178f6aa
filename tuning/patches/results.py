"""The results of a queue, as a line of text and as a page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from tuning.matches.elo import elo, normalised_elo
from tuning.page import Page
from tuning.patches.trials import BUNDLE, OPEN, PATCH, SUM, Queue, Trial

HEADS = ("trial", "what", "state", "games", "+", "-", "=", "decisive", "pairs", "Elo",
         "normalised", "LLR", "bounds")  # fmt: skip


def line_of(trial: Trial) -> str:
    """A finished trial for the terminal."""
    score = trial.score
    text = f"{trial.name}: {trial.outcome}, {score.games} games +{score.wins} -{score.losses}"
    text += f" ={score.draws}, Elo {elo(score.pairs)}, LLR {trial.sprt.llr(score.pairs):.2f}"
    return f"{text}; {trial.reason}" if trial.reason else text


def write_page(queue: Queue, path: Path) -> None:
    settings = queue.settings
    page = Page("Queue of patches")
    done = sum(trial.outcome != OPEN for trial in queue.trials)
    games = sum(trial.score.games for trial in queue.trials)
    page.text(f"{done} of {len(queue.trials)} trials finished, {games} games.")
    page.table(("setting", "value"), settings.items())
    stages = (
        (PATCH, "Patches", f"Against the base, {settings['nodes']} nodes a move."),
        (BUNDLE, "Bundles", f"What passed, against what stood before, {settings['short']}."),
        (SUM, "Sums", f"All accepted bundles against the base, {settings['long']}."),
    )
    for stage, title, text in stages:
        trials = [trial for trial in queue.trials if trial.stage == stage]
        if not trials:
            continue
        page.heading(title)
        page.text(text)
        page.table(HEADS, map(_row, trials))
        measured = [trial for trial in trials if math.isfinite(elo(trial.score.pairs).error)]
        if measured:
            page.plot(_plot(measured))
    page.write(path)


def _row(trial: Trial) -> Sequence[object]:
    score = trial.score
    state = trial.outcome or ("being played" if score.games else "waiting")
    decisive = f"{(score.wins + score.losses) / score.games:.0%}" if score.games else ""
    return (
        trial.name,
        trial.text,
        f"{state}: {trial.reason}" if trial.reason else state,
        score.games,
        score.wins,
        score.losses,
        score.draws,
        decisive,
        " ".join(map(str, score.pairs)),
        elo(score.pairs) if score.games else "",
        normalised_elo(score.pairs) if score.games else "",
        f"{trial.sprt.llr(score.pairs):.2f}" if score.games else "",
        f"[{trial.bounds[0]:g}, {trial.bounds[1]:g}]",
    )


def _plot(trials: Sequence[Trial]) -> Figure:
    figure = Figure(figsize=(9, 0.3 * len(trials) + 1.2), layout="constrained")
    axis = figure.subplots()
    found = [elo(trial.score.pairs) for trial in trials]
    axis.errorbar(
        [estimate.value for estimate in found],
        range(len(trials)),
        xerr=[estimate.error for estimate in found],
        fmt="o",
        capsize=3,
    )
    axis.axvline(0, color="gray", linewidth=1)
    axis.set_yticks(range(len(trials)), [trial.name for trial in trials])
    axis.invert_yaxis()
    axis.set_xlabel("Elo, with 95 % intervals")
    return figure
