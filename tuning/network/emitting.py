"""A trained network becomes the file that the engine plays with, or is refused."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np

from engine.eval.classical.loading import new_weights
from engine.eval.network.file import write_network
from tuning.data.dataset import RECORD
from tuning.data.packed import POSITION
from tuning.fitting.model import Array
from tuning.fitting.trace import extract
from tuning.network.quantisation import Proof, proof_of, quantised
from tuning.network.training import Run
from tuning.network.worth import KINDS, refusal, worth_of

LEVEL = 300  # centipawns of the weighted sum, up to which scales are compared


def emit_network(
    run: Run, output: Path, centipawns: int | None, notice: str
) -> tuple[Proof, Array, int]:
    """Write the file; returns the proof, what pieces are worth, and centipawns of a logit.

    Raises ValueError, and writes nothing, if the network orders the pieces wrongly, does not fit
    into integers, or is not finished.

    Args:
        centipawns: of a logit; None: so many that its scores are as large as the weighted sum's.
        notice: what it was trained on, and under which licences.
    """
    if not run.finished or run.sample is None or not len(run.sample):
        raise ValueError("this run is not finished")
    scale = centipawns or matching_centipawns(run)
    worth = worth_of(run.model, scale)
    reason = refusal(worth)
    if reason:
        raise ValueError(f"this network must not play: {reason}")
    last = run.history[-1]
    notes = {
        "run": run.run_hash,
        "notice": notice,
        "files": run.files,
        "positions": run.count,
        "settings": asdict(run.settings),
        "loss": last.validation,
        "worth": dict(zip(KINDS, np.rint(worth).astype(int).tolist(), strict=True)),
    }
    network = quantised(run.model, scale, notes)
    proof = proof_of(run.model, network, run.sample.rows)
    write_network(output, network)
    return proof, worth, scale


def matching_centipawns(run: Run) -> int:
    """How many of a logit make the network's scores as large as the weighted sum's, in positions
    that are not decided. The margins of the search fit such scores."""
    assert run.sample is not None
    rows = run.sample.rows
    records = rows.view(RECORD).reshape(-1)
    static = np.abs(extract(records.view(POSITION), new_weights()).rows["score"].astype(np.float64))
    level = static <= LEVEL
    if not level.any():
        raise ValueError("no position is level enough to compare scales")
    return round(static[level].mean() / np.abs(run.model.logits(rows)[level]).mean())
