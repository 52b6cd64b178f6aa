"""A conversation against the clock, in each of the three ways to run kernels."""

from __future__ import annotations

import time

import pytest

from engine.api import Engine
from engine.eval.choice import CLASSICAL
from tests.uci.gui import InProcess

FEW_MEN = "4k3/3pp3/8/8/8/8/3PP3/4K3 w - - 0 1"  # and yet more than a search to its end


@pytest.mark.alone
def test_a_move_comes_at_its_time() -> None:
    engine = Engine(hash_mb=1, tablebase_most_men=0)
    engine.set_evaluation(CLASSICAL)  # quick when interpreted, too
    gui = InProcess(engine)
    gui.answer(f"position fen {FEW_MEN}")
    started = time.perf_counter()
    gui.send("go movetime 1000")
    move = gui.expect("bestmove").split()[1]
    took_ms = (time.perf_counter() - started) * 1000
    gui.close()
    assert move in engine.legal_moves()
    assert 800 < took_ms < 2000
