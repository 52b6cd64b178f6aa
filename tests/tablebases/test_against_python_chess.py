"""Random positions of small tables, read by us and by python-chess; few, so that kernels may be
interpreted. Others are in tests/engine/tb."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engine.native import jit
from engine.search.shared import Shared
from engine.tb.probing import probe_dtz
from tablebases.decoding import NO_TABLE
from tablebases.folders import BUILT_IN
from tests.reference.tablebases import Bench

COUNT = 12 if jit.INTERPRETED else 300


@pytest.fixture(scope="module")
def bench(shared: Shared) -> Bench:
    return Bench([BUILT_IN], shared.tables)


@pytest.mark.parametrize(
    "name",
    [
        "KRvK",  # three single pieces
        "KPvK",  # a pawn
        "KBBvK",  # two of a kind: the kings lead
        "KRvKN",  # pieces of both sides
    ],
)
def test_the_same_values(bench: Bench, name: str) -> None:
    assert bench.compare(name, seed=21, count=COUNT) == []


def test_a_table_without_dtz_has_none(shared: Shared, tmp_path: Path) -> None:
    shutil.copy(BUILT_IN / "KQvK.rtbw", tmp_path)
    bench = Bench([tmp_path], shared.tables)
    bench.set_up("8/8/8/8/3k4/8/8/KQ6 w - - 0 1")
    assert probe_dtz(bench.prober, bench.position, bench.lists, 0) == NO_TABLE
