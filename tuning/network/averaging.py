"""The mean of several networks, which often knows new positions better than each of them.

Networks of which one began from the other lie in one valley of the loss. Between them the loss on
what each learned is a little higher, and on what none has learned lower, because what they learned
by heart fades first (Izmailov et al., 2018, "Averaging weights leads to wider optima"; Wortsman et
al., 2022, "Model soups").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf

from tuning.network.training import Run


def mean_of(runs: Sequence[Run], shares: Sequence[float]) -> Run:
    """A finished run with the mean of all parameters, and everything else of the first run.

    The shares are more than 0, and count in proportion to their sum.
    ValueError if the networks have other shapes, or a run is not finished.
    """
    if not all(0 < share < inf for share in shares):
        raise ValueError("a share must be more than 0")
    first = runs[0]
    for run in runs:
        if not run.finished:
            raise ValueError("a run is not finished")
        if run.model.shapes != first.model.shapes:
            raise ValueError("the networks have other shapes")
    flats = [run.model.flat / sum(shares) * share for run, share in zip(runs, shares, strict=True)]
    mean = replace(first, files=sorted({file for run in runs for file in run.files}))
    mean.model.flat[:] = sum(flats)
    mean.model.add_up()
    return mean
