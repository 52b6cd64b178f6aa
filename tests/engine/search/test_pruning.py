"""The pruning of nodes: each condition at its boundary."""

from __future__ import annotations

import pytest

from engine.board.makemove import make
from engine.board.notation import parse_move
from engine.scores import MATE_IN_RANGE, NO_SCORE
from engine.search import negamax
from engine.search.negamax import non_pawn_count, null_move
from engine.search.params import Params
from engine.search.pruning import razoring, reverse_futility
from engine.search.state import SearchThread
from tests.engine.search.handles import PLY, evaluated, replace, set_up

pytestmark = pytest.mark.usefixtures("wrap_around")


# --- Reverse futility --------------------------------------------------------------------------


@pytest.fixture
def futility(thread: SearchThread, params: Params) -> SearchThread:
    params.reverse_futility_max_depth = 5
    params.reverse_futility_margin = 100
    params.decided_score = 300
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
        (101, 1, -299, False, -99),
        (101, 1, -300, False, NO_SCORE),  # lost: there may be a mate
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

    monkeypatch.setattr(negamax, "negamax", spying)
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


@pytest.mark.parametrize("found", [-130, 0])
def test_a_stopped_search_ends_with_the_null_move(
    passing: SearchThread, monkeypatch: pytest.MonkeyPatch, found: int
) -> None:
    search = replace(monkeypatch, "negamax", found)
    passing.stop = 1
    assert null_move(passing, PLY, 12, 100, True) != NO_SCORE
    assert len(search.calls) == 1


def test_a_stopped_search_ends_with_the_verification(
    passing: SearchThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = replace(monkeypatch, "negamax", -130, 0)

    def stopping(thread: SearchThread, *arguments: int) -> int:
        score = search(thread, *arguments)
        thread.stop = int(not search.scores)
        return score

    monkeypatch.setattr(negamax, "negamax", stopping)
    assert null_move(passing, PLY, 12, 100, True) != NO_SCORE


def test_kings_and_pawns_are_not_counted(thread: SearchThread) -> None:
    set_up(thread, "rnbqk3/pp6/8/8/8/8/PPP5/RR2K1NB w - - 0 1")
    assert non_pawn_count(thread.position, 0) == 4
    assert non_pawn_count(thread.position, 1) == 4
    set_up(thread, "4k2q/pp6/8/8/8/8/PPP5/4K3 w - - 0 1")
    assert non_pawn_count(thread.position, 0) == 0
    assert non_pawn_count(thread.position, 1) == 1
