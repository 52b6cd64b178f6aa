"""Fixtures for the steps of a search, called one at a time as plain Python."""

from __future__ import annotations

import pytest

from engine.search.params import Params, new_params
from engine.search.state import Worker


@pytest.fixture
def params(worker: Worker) -> Params:
    """Constants of this thread alone, for a test to set."""
    own = new_params()
    worker.params = own
    return own
