"""A conversation against the clock, in each of the three ways to run kernels."""

from __future__ import annotations

import time

import pytest

from engine.api import Engine
from tests.uci.gui import InProcess

FEW_MOVES = "8/8/8/4k3/8/4P3/4K3/8 w - - 0 1"  # the evaluation looks them up


@pytest.mark.alone
def test_a_move_comes_at_its_time() -> None:
    engine = Engine(hash_mb=1, tablebase_most_men=0)
    gui = InProcess(engine)
    gui.answer(f"position fen {FEW_MOVES}")
    started = time.perf_counter()
    gui.send("go movetime 1000")
    move = gui.expect("bestmove").split()[1]
    took_ms = (time.perf_counter() - started) * 1000
    gui.close()
    assert move in engine.legal_moves()
    assert 800 < took_ms < 2000
