"""Settings and constants of the search."""

from __future__ import annotations

import pytest

from engine.api import Engine
from engine.limits import Limits
from engine.search.params import tunables
from tests.engine.api.searching import go

pytestmark = pytest.mark.jit_only  # real searches


def test_tunables_take_effect(engine: Engine) -> None:
    engine.new_game()
    before = go(engine, Limits(depth=8)).infos[-1].nodes
    default = tunables()["reduction_scale"].default
    engine.set_tunable("reduction_scale", 1500)
    engine.new_game()
    assert go(engine, Limits(depth=8)).infos[-1].nodes != before
    engine.set_tunable("reduction_scale", default)
    engine.new_game()
    assert go(engine, Limits(depth=8)).infos[-1].nodes == before
