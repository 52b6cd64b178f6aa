"""Settings and constants of the search."""

from __future__ import annotations

import pytest

from engine.api import Engine
from engine.limits import Limits
from engine.search.params import tunables
from engine.settings import Settings
from tests.engine.api.searching import go

pytestmark = pytest.mark.jit_only  # real searches


def test_tunables_take_effect(engine: Engine) -> None:
    engine.new_game()
    before = go(engine, Limits(depth=8)).infos[-1].nodes
    default = tunables()["reduction_divisor"].default
    engine.set_tunable("reduction_divisor", 120)
    engine.new_game()
    assert go(engine, Limits(depth=8)).infos[-1].nodes != before
    engine.set_tunable("reduction_divisor", default)
    engine.new_game()
    assert go(engine, Limits(depth=8)).infos[-1].nodes == before


def test_too_large_a_hash_is_refused_and_the_old_one_kept(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.machine.memory_mb", lambda: 1000)
    with pytest.raises(MemoryError, match="MB of hash"):
        engine.configure(hash_mb=901, multi_pv=2)
    assert engine.settings == Settings(hash_mb=2)
    assert go(engine, Limits(depth=3)).results[0].best_move


def test_settings_out_of_range_or_unknown_change_nothing(engine: Engine) -> None:
    with pytest.raises(ValueError, match="multi_pv must be 1 to 256, not 0"):
        engine.configure(threads=2, multi_pv=0)
    with pytest.raises(TypeError, match="colour"):
        engine.configure(threads=2, colour=3)
    assert engine.settings == Settings(hash_mb=2)
