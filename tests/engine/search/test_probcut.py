"""ProbCut: which captures it tries, and what it believes."""

from __future__ import annotations

import pytest

from engine.board.move import NO_MOVE
from engine.board.notation import move_text, parse_move
from engine.board.see import SEE_VALUES
from engine.scores import INFINITE, MATE_IN_RANGE, NO_SCORE
from engine.search import negamax
from engine.search.negamax import probcut
from engine.search.params import Params
from engine.search.pruning import probcut_bound
from engine.search.state import SearchThread
from engine.search.tt import LOWER, probe, store
from tests.engine.search.handles import PLY, evaluated, replace, set_up

pytestmark = pytest.mark.usefixtures("wrap_around")


@pytest.fixture
def captures(thread: SearchThread, params: Params) -> SearchThread:
    """White can take a rook with the queen, a knight with the rook, and a pawn with the bishop."""
    params.probcut_min_depth = 5
    params.probcut_margin = 200
    params.probcut_improving_margin = 50
    set_up(thread, "6k1/8/3r4/7n/6p1/5B2/8/3QK2R w - - 0 1")
    evaluated(thread, 0)
    return thread


def cut(
    thread: SearchThread, beta: int = 0, depth: int = 5, tt_move: int = NO_MOVE, **other: bool
) -> int:
    stored = probe(thread.tt, thread.position.snapshots[thread.position.ply].key)
    improving, cut_node = other.get("improving", False), other.get("cut_node", True)
    bound = int(probcut_bound(thread, PLY, depth, beta, stored, improving))
    if bound == NO_SCORE:
        return NO_SCORE
    return int(probcut(thread, PLY, depth, bound, tt_move, cut_node))


def test_probcut_confirms_quiescence_by_a_search(
    captures: SearchThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    for cut_node in (False, True):
        shallow = replace(monkeypatch, "quiescence", -200)
        deeper = replace(monkeypatch, "negamax", -230)
        captures.nodes = 0
        assert cut(captures, depth=6, cut_node=cut_node) == 230
        assert shallow.calls == [(-200, -199, PLY + 1)]
        assert deeper.calls == [(-200, -199, 2, PLY + 1, not cut_node)]
        assert captures.nodes == 1 and captures.position.ply == 0


def test_probcut_goes_on_with_the_next_capture(
    captures: SearchThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The first fails in quiescence, the second in the search.
    shallow = replace(monkeypatch, "quiescence", -199, -300)
    deeper = replace(monkeypatch, "negamax", -199)
    assert cut(captures) == NO_SCORE
    assert len(shallow.calls) == 2 and len(deeper.calls) == 1
    assert captures.nodes == 2 and captures.position.ply == 0


def test_probcut_tries_captures_that_may_win_enough(
    captures: SearchThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    pawn, knight, _, rook = SEE_VALUES[:4]
    for bound, count in ((pawn, 3), (pawn + 1, 2), (knight + 1, 1), (rook, 1), (rook + 1, 0)):
        shallow = replace(monkeypatch, "quiescence", *[INFINITE] * 9)
        assert cut(captures, beta=bound - 200) == NO_SCORE
        assert len(shallow.calls) == count, bound
        # An evaluation that is higher leaves less to win.
        evaluated(captures, 50)
        shallow = replace(monkeypatch, "quiescence", *[INFINITE] * 9)
        assert cut(captures, beta=bound + 50 - 200) == NO_SCORE
        assert len(shallow.calls) == count, bound
        # A position that improves lowers the bound.
        shallow = replace(monkeypatch, "quiescence", *[INFINITE] * 9)
        assert cut(captures, beta=bound + 50 - 150, improving=True) == NO_SCORE
        assert len(shallow.calls) == count, bound
        evaluated(captures, 0)


def test_probcut_needs_depth_and_no_mate(
    captures: SearchThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluated(captures, MATE_IN_RANGE)  # every capture would do
    replace(monkeypatch, "quiescence")
    assert cut(captures, depth=4) == NO_SCORE
    assert cut(captures, beta=MATE_IN_RANGE) == NO_SCORE
    assert cut(captures, beta=-MATE_IN_RANGE) == NO_SCORE
    for beta in (MATE_IN_RANGE - 1, 1 - MATE_IN_RANGE):
        replace(monkeypatch, "quiescence", -beta - 200)
        replace(monkeypatch, "negamax", -beta - 200)
        assert cut(captures, beta=beta) == beta + 200


@pytest.mark.parametrize(
    "depth, score, tried", [(3, 199, False), (2, 199, True), (3, 200, True), (4, 0, False)]
)
def test_probcut_believes_a_deep_entry_below_its_bound(
    captures: SearchThread,
    monkeypatch: pytest.MonkeyPatch,
    depth: int,
    score: int,
    tried: bool,
) -> None:
    key = captures.position.snapshots[0].key
    store(captures.tt, key, PLY, NO_MOVE, score, 0, depth, LOWER, False)
    shallow = replace(monkeypatch, "quiescence", *[INFINITE] * 9)
    assert cut(captures, depth=6) == NO_SCORE
    assert bool(shallow.calls) == tried


def test_probcut_begins_with_a_noisy_tt_move(
    captures: SearchThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def spying(thread: SearchThread, *arguments: int) -> int:
        made.append(move_text(int(thread.position.snapshots[thread.position.ply].move), False))
        return INFINITE

    monkeypatch.setattr(negamax, "quiescence", spying)
    for tt_move, first in (("h1h5", "h1h5"), ("d1a1", "d1d6")):  # a quiet one is left out
        made.clear()
        move = parse_move(captures.position, captures.lists, tt_move)
        cut(captures, beta=-200, tt_move=move)
        assert made[0] == first
        assert sorted(made) == ["d1d6", "f3g4", "h1h5"]


def test_probcut_ends_when_the_search_is_stopped(
    captures: SearchThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    shallow = replace(monkeypatch, "quiescence", 5)
    captures.stop = 1
    assert cut(captures) == -5
    assert len(shallow.calls) == 1 and captures.position.ply == 0
