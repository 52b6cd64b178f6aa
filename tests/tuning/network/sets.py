"""Small sets of positions whose labels follow from material, so that a network can learn them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.tuning.positions import random_positions
from tuning.data.dataset import NO_RESULT, RECORD, Dataset, Records
from tuning.network.examples import material_counts

VALUES = np.array([100, 300, 320, 500, 900, 0])


def labelled(count: int, seed: int = 1) -> Records:
    """Random positions, with the balance of material as score, White's view."""
    records = random_positions(count, seed=seed, longest=120).view(RECORD).copy()
    counts = material_counts(records)
    records["score"] = (counts[:, 0] - counts[:, 1]) @ VALUES
    records["result"] = NO_RESULT
    records["starts_game"] = np.arange(count) % 20 == 0
    return records


def write_set(path: Path, records: Records, source: str = "material") -> Path:
    Dataset(records, [source]).save(path)
    return path
