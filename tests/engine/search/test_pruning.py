"""The pruning of nodes and moves: each condition at its boundary."""

from __future__ import annotations

import pytest

from engine.board.makemove import make
from engine.board.move import NO_MOVE
from engine.board.notation import move_text, parse_move
from engine.board.see import SEE_VALUES
from engine.scores import INFINITE, MATE_IN_RANGE, NO_SCORE
from engine.search import pruning
from engine.search.ordering import next_move, start_picking
from engine.search.params import Params
from engine.search.pruning import (
    is_skipped,
    non_pawn_count,
    null_move,
    probcut,
    razoring,
    reverse_futility,
)
from engine.search.state import SearchThread
from engine.search.tt import LOWER, probe, store
from tests.engine.search.handles import FakeSearch, set_up

pytestmark = pytest.mark.usefixtures("wrap_around")

PLY = 4
MIDDLE_GAME = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"


def evaluated(thread: SearchThread, static_eval: int) -> None:
    thread.stack[PLY].static_eval = static_eval


def replace(monkeypatch: pytest.MonkeyPatch, name: str, *scores: int) -> FakeSearch:
    """A search that pruning.py calls, replaced by one with these scores."""
    fake = FakeSearch(*scores)
    monkeypatch.setattr(pruning, name, fake)
    return fake


# --- Reverse futility --------------------------------------------------------------------------


@pytest.fixture
def futility(thread: SearchThread, params: Params) -> SearchThread:
    params.reverse_futility_max_depth = 5
    params.reverse_futility_margin = 100
    return thread


@pytest.mark.parametrize(
    "static_eval, depth, beta, improving, expected",
    [
        (400, 3, 100, False, 250),  # halfway between the two
        (400, 3, 101, False, NO_SCORE),
        (400, 3, 200, True, 300),  # a margin of one ply less
        (400, 3, 201, True, NO_SCORE),
        (900, 5, 100, False, 500),
        (900, 6, 100, False, NO_SCORE),
        (MATE_IN_RANGE - 1, 1, 1, False, MATE_IN_RANGE // 2),
        (MATE_IN_RANGE, 1, 0, False, NO_SCORE),
        (10, 1, -MATE_IN_RANGE, False, 10),  # no half of a mate
        (10, 1, 2 - MATE_IN_RANGE, False, (12 - MATE_IN_RANGE) // 2),
        (11, 1, 1 - MATE_IN_RANGE, False, (12 - MATE_IN_RANGE) // 2),
    ],
)
def test_reverse_futility(
    futility: SearchThread,
    static_eval: int,
    depth: int,
    beta: int,
    improving: bool,
    expected: int,
) -> None:
    evaluated(futility, static_eval)
    assert reverse_futility(futility, PLY, depth, beta, improving) == expected


# --- Razoring ----------------------------------------------------------------------------------


@pytest.fixture
def razor(thread: SearchThread, params: Params) -> SearchThread:
    params.razoring_max_depth = 3
    params.razoring_margin = 200
    evaluated(thread, -600)
    return thread


@pytest.mark.parametrize("found, expected", [(-500, -500), (0, 0), (1, NO_SCORE)])
def test_razoring_believes_quiescence_below_alpha(
    razor: SearchThread, monkeypatch: pytest.MonkeyPatch, found: int, expected: int
) -> None:
    search = replace(monkeypatch, "quiescence", found)
    assert razoring(razor, PLY, 3, 0) == expected
    assert search.calls == [(0, 1, PLY)]


@pytest.mark.parametrize("depth, alpha", [(4, 1000), (3, -1), (1, -401)])
def test_razoring_needs_a_low_depth_and_a_bad_position(
    razor: SearchThread, monkeypatch: pytest.MonkeyPatch, depth: int, alpha: int
) -> None:
    search = replace(monkeypatch, "quiescence")
    assert razoring(razor, PLY, depth, alpha) == NO_SCORE
    assert search.calls == []


def test_a_stopped_search_ends_with_razoring(
    razor: SearchThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace(monkeypatch, "quiescence", 77)
    razor.stop = 1
    assert razoring(razor, PLY, 1, 0) == 77


# --- Null move ---------------------------------------------------------------------------------


@pytest.fixture
def passing(thread: SearchThread, params: Params) -> SearchThread:
    """After a move, with an evaluation of 250."""
    params.null_move_min_depth = 2
    params.null_move_reduction = 3
    params.null_move_depth_divisor = 4
    params.null_move_eval_divisor = 100
    params.null_move_eval_limit = 2
    params.null_move_verify_depth = 12
    set_up(thread, "4k3/1p6/8/8/8/8/PN6/R3K3 b - - 0 1")
    make(thread.position, parse_move(thread.position, thread.lists, "b7b6"))
    evaluated(thread, 250)
    return thread


@pytest.mark.parametrize(
    "depth, beta, reduced",
    [
        (2, 250, 2 - 3),
        (4, 250, 4 - 4),  # one ply more for each 4 of depth
        (7, 151, 7 - 4),  # and for each 100 centipawns above beta,
        (7, 150, 7 - 5),
        (7, -500, 7 - 6),  # up to 2
    ],
)
def test_the_null_move_is_searched_less_deep(
    passing: SearchThread, monkeypatch: pytest.MonkeyPatch, depth: int, beta: int, reduced: int
) -> None:
    for cut_node in (False, True):
        search = replace(monkeypatch, "negamax", -beta)
        before = passing.position.side, passing.position.ply
        assert null_move(passing, PLY, depth, beta, cut_node) == beta
        assert search.calls == [(-beta, 1 - beta, reduced, PLY + 1, not cut_node)]
        assert before == (passing.position.side, passing.position.ply)


@pytest.mark.parametrize(
    "found, expected",
    [
        (-99, NO_SCORE),
        (-100, 100),
        (-180, 180),
        (1 - MATE_IN_RANGE, MATE_IN_RANGE - 1),
        (-MATE_IN_RANGE, 100),  # no mate after a pass
    ],
)
def test_the_score_of_a_null_move(
    passing: SearchThread, monkeypatch: pytest.MonkeyPatch, found: int, expected: int
) -> None:
    replace(monkeypatch, "negamax", found)
    assert null_move(passing, PLY, 11, 100, True) == expected


def test_when_there_is_no_null_move(
    passing: SearchThread, params: Params, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = replace(monkeypatch, "negamax")
    assert null_move(passing, PLY, 1, 250, True) == NO_SCORE  # too near the horizon
    assert null_move(passing, PLY, 5, 251, True) == NO_SCORE  # below beta
    assert null_move(passing, PLY, 5, -MATE_IN_RANGE, True) == NO_SCORE  # mated anyway
    passing.null_move_from = PLY + 1
    assert null_move(passing, PLY, 5, 0, True) == NO_SCORE  # in a verification
    passing.null_move_from = 0
    set_up(passing, "4k3/8/8/8/8/8/PN6/R3K3 w - - 0 1")
    assert null_move(passing, PLY, 5, 0, True) == NO_SCORE  # no move before it
    set_up(passing, "4k3/1p6/8/8/8/8/P7/R3K3 b - - 0 1")
    make(passing.position, parse_move(passing.position, passing.lists, "b7b6"))
    assert null_move(passing, PLY, 5, 0, True) == NO_SCORE  # a single piece: zugzwang
    assert search.calls == []


@pytest.mark.parametrize("verified, expected", [(100, 130), (99, NO_SCORE)])
def test_deep_null_moves_are_verified(
    passing: SearchThread, monkeypatch: pytest.MonkeyPatch, verified: int, expected: int
) -> None:
    search = replace(monkeypatch, "negamax", -130, verified)
    starts: list[int] = []

    def spying(thread: SearchThread, *arguments: int) -> int:
        starts.append(int(thread.null_move_from))
        return search(thread, *arguments)

    monkeypatch.setattr(pruning, "negamax", spying)
    assert null_move(passing, PLY, 12, 100, True) == expected
    reduced = 12 - (3 + 12 // 4 + 1)
    assert search.calls == [
        (-100, -99, reduced, PLY + 1, False),
        (99, 100, reduced, PLY, False),
    ]
    assert starts == [0, PLY + 3 * reduced // 4]
    assert passing.null_move_from == 0


def test_a_verification_is_not_verified(
    passing: SearchThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = replace(monkeypatch, "negamax", -130)
    passing.null_move_from = PLY
    assert null_move(passing, PLY, 12, 100, True) == 130
    assert len(search.calls) == 1
    assert passing.null_move_from == PLY


def test_nor_is_a_search_that_was_stopped(
    passing: SearchThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = replace(monkeypatch, "negamax", -130)
    passing.stop = 1
    assert null_move(passing, PLY, 12, 100, True) == 130
    assert len(search.calls) == 1


def test_kings_and_pawns_are_not_counted(thread: SearchThread) -> None:
    set_up(thread, "rnbqk3/pp6/8/8/8/8/PPP5/RR2K1NB w - - 0 1")
    assert non_pawn_count(thread.position, 0) == 4
    assert non_pawn_count(thread.position, 1) == 4
    set_up(thread, "4k2q/pp6/8/8/8/8/PPP5/4K3 w - - 0 1")
    assert non_pawn_count(thread.position, 0) == 0
    assert non_pawn_count(thread.position, 1) == 1


# --- ProbCut -----------------------------------------------------------------------------------


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
    return int(probcut(thread, PLY, depth, beta, stored, tt_move, improving, cut_node))


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

    monkeypatch.setattr(pruning, "quiescence", spying)
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


# --- Moves -------------------------------------------------------------------------------------


@pytest.fixture
def moves(thread: SearchThread, params: Params) -> SearchThread:
    """Everything is off; a test switches on what it is about."""
    params.late_move_max_depth = 0
    params.futility_max_depth = -1
    params.history_pruning_max_depth = -1
    params.see_max_depth = -1
    set_up(thread, MIDDLE_GAME)
    start_picking(thread, PLY, NO_MOVE, False)
    return thread


def skipped(
    thread: SearchThread,
    text: str = "d2d3",
    depth: int = 3,
    alpha: int = 0,
    move_number: int = 10,
    history: int = 0,
    lmr_depth: int = 2,
    static_eval: int = 0,
    improving: bool = False,
) -> bool:
    move = parse_move(thread.position, thread.lists, text)
    thread.stack[PLY].static_eval = static_eval
    arguments = (move, move_number, history, lmr_depth, static_eval, improving)
    return bool(is_skipped(thread, PLY, depth, alpha, *arguments))


def test_no_move_is_skipped_without_a_reason(moves: SearchThread) -> None:
    for text in ("d2d3", "f3e5", "c4f7", "f3g5"):
        assert not skipped(moves, text, depth=1, alpha=INFINITE, move_number=99, history=-16384)
    assert moves.stack[PLY].picker.only_checks == 0


@pytest.mark.parametrize(
    "depth, number, improving, expected",
    [
        (1, 3, False, False),  # (5 + 1) // 2 moves
        (1, 4, False, True),
        (1, 6, True, False),  # twice as many if the position improves
        (1, 7, True, True),
        (3, 7, False, False),
        (3, 8, False, True),
        (4, 99, False, False),  # too deep
    ],
)
def test_late_move_pruning(
    moves: SearchThread, params: Params, depth: int, number: int, improving: bool, expected: bool
) -> None:
    params.late_move_max_depth = 3
    params.late_move_base = 5
    assert skipped(moves, depth=depth, move_number=number, improving=improving) == expected
    assert moves.stack[PLY].picker.only_checks == expected


@pytest.mark.parametrize(
    "static_eval, lmr_depth, alpha, expected",
    [
        (-240, 2, 0, True),  # 40 + 2 * 100
        (-240, 2, -1, False),
        (-40, 0, 0, True),
        (-999, 3, 0, True),
        (-999, 4, 0, False),
        (NO_SCORE, 2, 0, False),  # in check there is no evaluation
    ],
)
def test_futility_pruning(
    moves: SearchThread,
    params: Params,
    static_eval: int,
    lmr_depth: int,
    alpha: int,
    expected: bool,
) -> None:
    params.futility_max_depth = 3
    params.futility_base = 40
    params.futility_margin = 100
    found = skipped(moves, static_eval=static_eval, lmr_depth=lmr_depth, alpha=alpha)
    assert found == expected
    assert moves.stack[PLY].picker.only_checks == expected


def test_quiet_checks_are_neither_late_nor_futile(moves: SearchThread, params: Params) -> None:
    params.late_move_max_depth = 3
    set_up(moves, "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1")
    assert not skipped(moves, "a1a8", move_number=99)
    assert skipped(moves, "a1a7", move_number=99)
    # The picker keeps quiet from then on about quiet moves that do not check.
    start_picking(moves, PLY, NO_MOVE, False)
    assert skipped(moves, "a1a7", move_number=99)
    left = []
    while (move := int(next_move(moves, PLY, False, False))) != NO_MOVE:
        left.append(move_text(move, False))
    assert left == ["a1a8"]


@pytest.mark.parametrize(
    "history, lmr_depth, expected",
    [
        (-2000, 2, False),
        (-2001, 2, True),
        (-1, 0, True),
        (0, 0, False),
        (-16000, 3, True),
        (-16000, 4, False),
    ],
)
def test_history_pruning(
    moves: SearchThread, params: Params, history: int, lmr_depth: int, expected: bool
) -> None:
    params.history_pruning_max_depth = 3
    params.history_pruning_margin = 1000
    assert skipped(moves, history=history, lmr_depth=lmr_depth) == expected
    assert not skipped(moves, "f3e5", history=history, lmr_depth=lmr_depth)  # quiet moves only


def test_moves_that_lose_too_much_are_skipped(moves: SearchThread, params: Params) -> None:
    params.see_max_depth = 6
    knight, pawn = SEE_VALUES[1], SEE_VALUES[0]
    # A noisy move: the knight for a pawn.
    params.see_noisy_margin = (knight - pawn) // 3
    assert not skipped(moves, "f3e5", depth=3, lmr_depth=0)
    params.see_noisy_margin = (knight - pawn) // 3 - 1
    assert skipped(moves, "f3e5", depth=3, lmr_depth=0)
    assert skipped(moves, "f3e5", depth=2)
    assert not skipped(moves, "f3e5", depth=4)
    params.see_noisy_margin = 0
    assert skipped(moves, "f3e5", depth=6) and not skipped(moves, "f3e5", depth=7)
    # A quiet one, by the square of the depth after the reduction: the knight for nothing.
    params.see_quiet_margin = (knight + 24) // 25
    assert not skipped(moves, "f3d4", depth=1, lmr_depth=5)
    params.see_quiet_margin = (knight + 24) // 25 - 1
    assert skipped(moves, "f3d4", depth=1, lmr_depth=5)
    params.see_quiet_margin = 0
    assert skipped(moves, "f3d4", lmr_depth=6) and not skipped(moves, "f3d4", lmr_depth=7)
    assert not skipped(moves, "d2d3", lmr_depth=0)
