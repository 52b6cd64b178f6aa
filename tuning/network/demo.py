"""Positions for a first network, scored by the weighted sum instead of a teacher."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from engine.eval.classical.loading import new_weights
from tuning import data
from tuning.data.dataset import PositionsWriter
from tuning.data.packed import POSITION
from tuning.fitting.trace import extract
from tuning.network.sampling import DisplacedSampler, read_bases, sampled

BASES = Path(data.__file__).with_name("demo.positions")
SOURCE = "weighted sum"
LARGEST_SCORE = 2500  # centipawns


def write_demo(path: Path, count: int, seed: int, on_batch: Callable[[int], None]) -> None:
    """About `count` positions: the ones that the package has, varied, and scored."""
    sampler = DisplacedSampler(read_bases([BASES]), seed)
    weights = new_weights()
    with PositionsWriter(path, [SOURCE]) as writer:
        done = 0
        for _, records in sampled(sampler, 0, 0, count):
            done += len(records)
            on_batch(done)
            records["score"] = extract(records.view(POSITION), weights).rows["score"]
            kept = records[np.abs(records["score"]) <= LARGEST_SCORE]
            kept["starts_game"] = np.arange(len(kept)) % 100 == 0
            writer.append(kept)
        writer.finish({})
