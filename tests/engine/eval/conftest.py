"""Fixtures of the evaluation's tests."""

from __future__ import annotations

import pytest

from engine.eval.choice import CLASSICAL
from engine.search.shared import Shared


@pytest.fixture(scope="session")
def shared() -> Shared:
    """Evaluates by the weighted sum, whichever is the default: these tests know its terms."""
    made = Shared(hash_mb=1)
    made.evaluation.choose(CLASSICAL)
    return made
