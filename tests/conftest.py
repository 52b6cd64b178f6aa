"""Fixtures that many tests share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.board.attack_tables import new_position
from engine.board.fen import set_fen
from engine.board.position import MoveLists, Position
from engine.eval.choice import CLASSICAL
from engine.native.settings import INTERPRETED
from engine.search.shared import Shared, new_worker
from engine.search.state import Worker
from openings import SHIPPED_BOOK_PATH
from tablebases.folders import BUILT_IN

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def data() -> Path:
    """A folder of test positions that may be there beside a developer's checkout."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the shared test data are not here")
    return SHARED_DATA


@pytest.fixture(scope="session")
def real_books() -> list[Path]:
    """The shipped opening book, and others' if they are there."""
    others = sorted((SHARED_DATA / "books").glob("*.bin"))
    return [SHIPPED_BOOK_PATH, *others]


@pytest.fixture(scope="session")
def tablebases() -> Path:
    """Tablebases of 3 and 4 men: the standard ones if present, so that tests compare ours with
    them; else the built-in ones."""
    others = SHARED_DATA / "syzygy"
    return others if others.is_dir() else BUILT_IN


@pytest.fixture(scope="session")
def shared() -> Shared:
    made = Shared(hash_mb=1)
    if INTERPRETED:  # a network takes milliseconds then
        made.evaluation.choose(CLASSICAL)
    return made


@pytest.fixture
def worker(shared: Shared) -> Worker:
    shared.tt.generation = 0
    shared.tt.clusters.memory[:] = 0  # as clear_hash does, in a moment also when interpreted
    return new_worker(shared)


@pytest.fixture
def wrap_around() -> Iterator[None]:
    """Kernels that Python calls rely on 64-bit wrap-around."""
    with np.errstate(over="ignore"):
        yield


@pytest.fixture(scope="session")
def lists() -> MoveLists:
    return MoveLists()


@pytest.fixture
def position(shared: Shared) -> Callable[..., Position]:
    """A function that sets up a FEN and returns the position."""
    pos = new_position(shared.tables)

    def setup(fen: str, chess960: bool = False) -> Position:
        set_fen(pos, fen, chess960)
        return pos

    return setup
