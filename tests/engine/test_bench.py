"""The bench and its signature."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.bench import POSITIONS, run_bench, run_effectiveness
from engine.board.fen import set_fen
from engine.board.notation import legal_moves
from engine.search.state import Worker

SIGNATURE = Path(__file__).resolve().parents[1] / "bench_signature.txt"


@pytest.mark.jit_only
def test_every_position_has_moves_and_occurs_once(worker: Worker) -> None:
    assert len(set(POSITIONS)) == len(POSITIONS)
    for fen in POSITIONS:
        set_fen(worker.position, fen)
        assert legal_moves(worker.position, worker.lists), fen


@pytest.mark.jit_only
def test_the_signature_is_the_recorded_one() -> None:
    lines: list[str] = []
    assert run_bench(on_line=lines.append).nodes == int(SIGNATURE.read_text(encoding="utf-8"))
    assert len(lines) == len(POSITIONS)


def test_the_nodes_are_the_same_however_the_kernels_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled, checked and interpreted: each run of the tests compares with the same number."""
    monkeypatch.setattr("engine.bench.POSITIONS", POSITIONS[::12])
    assert run_bench(depth=1, hash_mb=1, on_line=lambda line: None).nodes == NODES_AT_DEPTH_1


NODES_AT_DEPTH_1 = 185


@pytest.mark.jit_only
@pytest.mark.parametrize("too_much", [{"hash_mb": 100_000}, {"threads": 1024, "hash_mb": 1}])
def test_what_the_machine_does_not_bear_is_refused(
    too_much: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.machine.memory_mb", lambda: 1000)
    with pytest.raises(MemoryError, match=str(next(iter(too_much.values())))):
        run_bench(depth=1, **too_much, on_line=lambda line: None)


@pytest.mark.jit_only
def test_the_table_of_effectiveness() -> None:
    lines: list[str] = []
    run_effectiveness(lines.append, depth=3)
    depth, theory, minimax, alpha_beta, ordered, full, best = lines[-1].split()
    assert depth == "3"
    assert float(theory) / 2 < float(minimax) < float(theory) * 2
    assert float(full) < float(ordered) < float(alpha_beta) < float(minimax)
    assert float(best) < float(alpha_beta)
