"""A little of each long test, and that the harness notices what it is for."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.api import Engine
from tests.fuzz import determinism, inputs, states
from tests.fuzz.crosscheck import check_game
from tests.fuzz.targets import TARGETS, Target

A_FEW = {"syzygy": 6, "network": 20, "uci": 500}


@pytest.mark.jit_only
@pytest.mark.parametrize("name", TARGETS)
def test_damaged_input_is_read_or_refused(name: str, tmp_path: Path) -> None:
    seeds = TARGETS[name].seeds(tmp_path)
    for number in range(A_FEW.get(name, 100)):
        TARGETS[name].check(inputs.content_of(name, number, seeds), tmp_path)


@pytest.mark.jit_only
@pytest.mark.parametrize("name", TARGETS)
def test_seeds_are_read(name: str, tmp_path: Path) -> None:
    """Damage to what is refused anyway would find little."""
    target = TARGETS[name]
    for seed in target.seeds(tmp_path):
        assert target.check(seed, tmp_path), seed[:200]


@pytest.mark.jit_only
@pytest.mark.parametrize("threads", states.THREADS)
def test_any_conversation(threads: int) -> None:
    states.play(threads, examples=5, steps=20, seeded=True)


@pytest.mark.jit_only
@pytest.mark.parametrize("number", range(2))
def test_random_games_agree(number: int) -> None:
    plies, fault = check_game(number)
    assert plies > 10 and not fault


@pytest.mark.jit_only
def test_options_leave_no_trace() -> None:
    engine = Engine(hash_mb=1)
    expected = determinism.signature(engine)
    for number in range(10):
        assert determinism.after_options(engine, number) == expected, number


def test_inputs_are_the_same_each_time() -> None:
    seeds = [b"position startpos"]
    first = [inputs.content_of("uci", number, seeds) for number in range(20)]
    assert first == [inputs.content_of("uci", number, seeds) for number in range(20)]
    assert len(set(first)) > 10


def test_a_fault_has_its_number() -> None:
    findings = inputs.Findings("uci", 5, [(3, "the process died")])
    row = inputs.row_of(findings, 0)
    assert row.faults == 1 and row.details == ("- input 3: the process died",)


def test_what_a_target_raises_ends_the_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(content: bytes, _: Path) -> bool:
        if content != b"x":  # the seed, with which a worker starts
            raise KeyError(content)
        return True

    monkeypatch.setitem(TARGETS, "uci", Target(check, lambda _: [b"x"]))
    (tmp_path / "progress").write_bytes(bytes(8))
    with pytest.raises(KeyError):
        inputs.work("uci", 7, 1, tmp_path)
    assert (tmp_path / "progress").read_bytes()[0] == 7


def test_only_a_start_may_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "HANG_S", 30.0)
    monkeypatch.setattr(inputs, "START_S", 0.0)
    assert inputs.fuzz("uci", 7, 1).faults == [(7, inputs.HANG)]
    monkeypatch.setattr(inputs, "START_S", 600.0)
    assert inputs.fuzz("uci", 7, 1).faults == []
