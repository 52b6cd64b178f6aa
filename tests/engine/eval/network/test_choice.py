"""Which evaluation plays, and with which network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.api import Engine
from engine.bench import POSITIONS
from engine.board.fen import set_fen
from engine.eval.choice import CLASSICAL, DEFAULT_EVALUATION, NETWORK
from engine.eval.evaluate import evaluate
from engine.eval.known_endings import KNOWN_WIN
from engine.eval.network.file import encode, write_network
from engine.eval.network.loading import SHIPPED_PATH
from engine.eval.network.output import network_score
from engine.eval.scaling import FULL_FIFTY_MOVE_SCALE, fifty_move_scale, truncated
from engine.events import SearchInfo
from engine.limits import Limits
from engine.native.settings import INTERPRETED
from engine.search.shared import Shared, new_worker
from engine.search.state import Worker
from tests.engine.eval.network.networks import random_network
from tests.reference.random_fens import random_fens


@pytest.fixture(scope="module")
def networks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two networks and a damaged one."""
    folder = tmp_path_factory.mktemp("networks")
    for number in (1, 2):
        write_network(folder / f"{number}.nnue", random_network(number))
    damaged = bytearray(encode(random_network(1)))
    damaged[5000] ^= 4
    (folder / "damaged.nnue").write_bytes(damaged)
    return folder


@pytest.fixture
def worker(networks: Path) -> Worker:
    """Evaluates by a network."""
    shared = Shared(hash_mb=1)
    shared.evaluation.load_network(networks / "1.nnue")
    shared.evaluation.choose(NETWORK)
    return new_worker(shared)


@pytest.fixture
def engine(networks: Path) -> Iterator[Engine]:
    engine = Engine(hash_mb=1)
    engine.set_network(str(networks / "1.nnue"))
    yield engine
    engine.stop()
    engine.wait()


def test_the_network_evaluates_what_is_not_known(worker: Worker) -> None:
    pos = worker.position
    for fen in ("4k3/8/8/8/8/8/8/4K2R w - - 9 1", "4k2r/8/8/8/8/8/8/4K3 w - - 0 1"):
        set_fen(pos, fen)
        assert abs(evaluate(pos, worker.evaluator)) > KNOWN_WIN * 0.9
    for fen in (*POSITIONS[: 3 if INTERPRETED else 20], *random_fens(2 if INTERPRETED else 50)):
        for clock in (0, 37, 99):
            set_fen(pos, re.sub(r"\d+ (\d+)$", rf"{clock} \1", fen))
            score = network_score(pos, worker.evaluator.network) * fifty_move_scale(pos)
            expected = truncated(int(score), FULL_FIFTY_MOVE_SCALE)
            assert evaluate(pos, worker.evaluator) == expected, fen


@pytest.mark.jit_only
def test_a_search_with_the_network_can_be_repeated_and_left(engine: Engine, networks: Path) -> None:
    """Neither evaluation leaves anything behind for the other, nor one network for the next."""

    def search() -> list[object]:
        engine.new_game()
        events: list[object] = []
        engine.go(Limits(depth=7), events.append)
        engine.wait()
        infos = [event for event in events if isinstance(event, SearchInfo)]
        return [(info.nodes, info.score, info.pv) for info in infos]

    engine.set_evaluation(CLASSICAL)
    classical = search()
    engine.set_evaluation(NETWORK)
    first = search()
    assert first == search() != classical
    engine.set_network(str(networks / "2.nnue"))
    assert search() not in (first, classical)
    engine.set_network(str(networks / "1.nnue"))
    assert search() == first
    engine.set_evaluation(CLASSICAL)
    assert search() == classical


@pytest.mark.jit_only
def test_a_bad_file_leaves_the_network_there_was(engine: Engine, networks: Path) -> None:
    engine.set_evaluation(NETWORK)
    engine.set_position("4k3/2p5/8/8/8/8/PP6/4K3 w - - 0 1", ())
    before = engine.eval_text()
    for file, reason in (("damaged", "checksum"), ("missing", "No such file")):
        with pytest.raises(ValueError, match=f"{file}.nnue: .*{reason}"):
            engine.set_network(str(networks / f"{file}.nnue"))
        assert engine.eval_text() == before
    engine.set_network(str(networks / "2.nnue"))
    assert engine.eval_text() != before


@pytest.mark.jit_only
def test_loading_tells_whether_the_network_plays(engine: Engine, networks: Path) -> None:
    engine.set_evaluation(CLASSICAL)
    assert engine.set_network(str(networks / "1.nnue")) == (
        "1.nnue loaded, but Evaluation is classical"
    )
    engine.set_evaluation(NETWORK)
    assert engine.set_network(str(networks / "1.nnue")) == "1.nnue loaded"


@pytest.mark.jit_only
def test_the_shipped_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is there and sound if it is the default; if it is damaged, the weighted sum plays."""
    assert Shared(hash_mb=1).evaluation.chosen == DEFAULT_EVALUATION
    assert SHIPPED_PATH.is_file() or DEFAULT_EVALUATION == CLASSICAL
    monkeypatch.setattr("engine.eval.data.SHIPPED_PATH", tmp_path / "wadjet.nnue")
    (tmp_path / "wadjet.nnue").write_bytes(b"WADJETNN")
    engine = Engine(hash_mb=1)
    with pytest.raises(ValueError, match=r"wadjet\.nnue: cut short"):
        engine.set_evaluation(NETWORK)
    assert "Evaluation used: weighted sum" in engine.eval_text()


@pytest.mark.jit_only
def test_a_choice_loads_no_network_that_it_does_not_need(
    networks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluation = Shared(hash_mb=1).evaluation
    evaluation.load_network(networks / "2.nnue")
    loaded = evaluation.layers.first_bias.copy()
    evaluation.choose(CLASSICAL)
    evaluation.choose(NETWORK)
    assert (evaluation.layers.first_bias == loaded).all()
    monkeypatch.setattr("engine.eval.data.SHIPPED_PATH", networks / "damaged.nnue")
    unused = Shared(hash_mb=1).evaluation  # reports that the shipped one is damaged, and plays
    unused.choose(CLASSICAL)
    assert not unused.has_network and unused.chosen == CLASSICAL
