"""The average of several networks, which often predicts new positions better than each of them.

Networks of which one began from the other lie in one valley of the loss. Between them the loss on
what each learned is a little higher, and on what none has learned lower, because what they overfit
to fades first (Izmailov et al., 2018, "Averaging weights leads to wider optima"; Wortsman et al.,
2022, "Model soups").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf

import numpy as np

from engine.command_line import UsageError
from tuning.network.training import Run, Start

LEAST_LIKENESS = 0.5  # correlation of all weights


def average_of(first: Run, others: Sequence[Start], shares: Sequence[float]) -> Run:
    """A finished run with the average of all parameters, and everything else of the first run.

    The shares, of the first run and then of the others, are more than 0, and count in proportion
    to their sum. ValueError if the first run is not finished, or if the networks have other shapes
    or nothing in common.
    """
    if not all(0 < share < inf for share in shares):
        raise UsageError("a share must be more than 0")
    if not first.finished:
        raise ValueError("the first run is not finished")
    form = first.model.shapes, first.king_map
    if any((other.model.shapes, other.king_map) != form for other in others):
        raise ValueError("the networks have other shapes")
    for other in others:
        likeness = np.corrcoef(first.model.flat, other.model.flat)[0, 1]
        if not likeness > LEAST_LIKENESS:
            raise ValueError("the networks have no common origin: their average would be useless")
    models = [first.model, *(other.model for other in others)]
    flats = [model.flat / sum(shares) * share for model, share in zip(models, shares, strict=True)]
    files = {file for files in (first.files, *(other.files for other in others)) for file in files}
    mean = replace(first, files=sorted(files))
    mean.model.flat[:] = sum(flats)
    mean.model.add_up()
    return mean
