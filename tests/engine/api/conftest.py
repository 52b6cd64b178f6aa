"""An engine that the tests of this folder share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import pytest

from engine.api import Engine
from engine.settings import Settings


@pytest.fixture(scope="session")
def shared_engine() -> Engine:
    return Engine(hash_mb=2)


@pytest.fixture
def engine(shared_engine: Engine) -> Iterator[Engine]:
    shared_engine.set_position(None, ())
    yield shared_engine
    shared_engine.stop()
    shared_engine.wait()
    shared_engine.configure(**asdict(Settings(hash_mb=2)))
    shared_engine.new_game()
