"""Random networks for tests, with numbers like those of a trained one."""

from __future__ import annotations

import numpy as np

from engine.eval.network.file import Network
from engine.eval.network.shape import BUCKETS, HIDDEN, INPUTS


def random_network(seed: int = 7) -> Network:
    rng = np.random.default_rng(seed)
    return Network(
        first_weights=rng.normal(0, 25, (INPUTS, HIDDEN)).astype(np.int16),
        first_bias=rng.normal(80, 30, HIDDEN).astype(np.int16),
        output_weights=np.clip(rng.normal(0, 32, (BUCKETS, 2 * HIDDEN)), -128, 128).astype(
            np.int16
        ),
        output_bias=rng.normal(0, 320, BUCKETS).astype(np.int32),
        output_scale=256,
        centipawns=134,
        notes={"made by": "a random number generator", "seed": seed},
    )
