"""What each selective step of the search promises: fewer nodes, and what it must not overlook.

Each can be switched off by its constant (`Constant.off`), so a search with it is compared with one
without. That a step still does exactly what it did is told by the signature of the bench.
"""

from __future__ import annotations

from statistics import median
from typing import NamedTuple

import pytest

from engine.bench import POSITIONS
from engine.board.fen import START, set_fen
from engine.board.notation import move_text
from engine.scores import DRAW, MATE, MATE_IN_RANGE
from engine.search.deepening import deepen
from engine.search.negamax import negamax
from engine.search.params import Constant, Params, full_width_params, new_params
from engine.search.reductions import base_reduction
from engine.search.root_moves import set_all_root_moves
from engine.search.shared import NO_NODE_LIMIT, Shared, clear_table, forget_game, new_worker
from engine.search.state import REDUCTION_SIZE, Worker

pytestmark = pytest.mark.jit_only  # many searches

SWITCHES = {
    "transposition table": "table_cutoffs",
    "internal reduction": "internal_reduction_pv_node",
    "reverse futility": "reverse_futility_max_depth",
    "razoring": "razoring_base",
    "null move": "null_move_base",
    "ProbCut": "probcut_min_depth",
    "late move pruning": "late_move_base",
    "futility pruning": "futility_max_depth",
    "futility pruning of captures": "capture_futility_max_depth",
    "history pruning": "history_pruning_max_depth",
    "pruning by static exchange": "exchange_pruning",
    "late move reductions": "reduction_min_depth",
    "less depth after a better move": "alpha_raised_max_depth",
    "less depth after a fail high": "fail_high_reduction",
    "internal reduction of cut nodes": "internal_reduction_min_depth",
    "ProbCut in check": "probcut_check_margin",
}
# These save nothing in a search without other steps.
ONLY_TOGETHER = {
    "internal reduction",
    "internal reduction of cut nodes",
    "less depth after a better move",
    "less depth after a fail high",
    "ProbCut in check",
}
# The others have pruned their nodes: what is left to save is less than what chance does to a tree.
ONLY_ALONE = {"razoring", "ProbCut", "history pruning", "late move pruning"}
EXACT_ALONE = {"transposition table"}
FEW = POSITIONS[::6]
PLY = 4
DEEP = 12  # plies: of shallower searches, or fewer positions, chance decides more than a step saves
MATE_BY_CHECKS = "r1b1kb1r/pppp1ppp/5q2/4n3/3KP3/2N3PN/PPP4P/R1BQ1B1R b kq - 0 1"  # in three
ZUGZWANG = "1q1k4/2Rr4/8/2Q3K1/8/8/8/8 w - - 0 1"  # Kh6 wins, as Black cannot pass


class Found(NamedTuple):
    score: int
    nodes: int
    move: str


def start(worker: Worker, fen: str, params: Params) -> None:
    """As for the first search of a game."""
    set_fen(worker.position, fen)
    forget_game(worker)
    clear_table(worker.tt)
    worker.params = params
    worker.nodes = worker.stop = 0


def search(worker: Worker, fen: str, depth: int, params: Params | None = None) -> Found:
    """The first search of a game. By the constants of play, if there are no `params`."""
    start(worker, fen, params or new_params())
    set_all_root_moves(worker)
    score = int(deepen(worker, depth, NO_NODE_LIMIT))
    return Found(score, int(worker.nodes), move_text(int(worker.root_moves[0].move), False))


def constant(name: str) -> Constant:
    member = Params.fields[name]
    assert isinstance(member, Constant) and member.off != member.default
    return member


def without(*names: str) -> Params:
    params = new_params()
    for name in names:
        setattr(params, name, constant(name).off)
    return params


def alone(name: str) -> Params:
    params = full_width_params()
    default = constant(name).default
    # ProbCut begins deeper than these searches end.
    setattr(params, name, 4 if name == "probcut_min_depth" else default)
    return params


def total(results: list[Found]) -> int:
    return sum(found.nodes for found in results)


@pytest.fixture(scope="module")
def usual(shared: Shared) -> list[Found]:
    """By the constants of play."""
    worker = new_worker(shared)
    return [search(worker, fen, DEEP) for fen in POSITIONS]


@pytest.fixture(scope="module")
def all_moves(shared: Shared) -> list[Found]:
    """By the search that prunes nothing, whose value is that of minimax."""
    worker = new_worker(shared)
    return [search(worker, fen, 5, full_width_params()) for fen in POSITIONS]


@pytest.mark.parametrize("step", sorted(SWITCHES.keys() - ONLY_ALONE - ONLY_TOGETHER))
def test_without_a_step_the_search_is_slower(worker: Worker, usual: list[Found], step: str) -> None:
    slower = [search(worker, fen, DEEP, without(SWITCHES[step])) for fen in POSITIONS]
    assert total(slower) > total(usual)
    pairs = list(zip(usual, slower, strict=True))
    assert sum(one.move == other.move for one, other in pairs) >= len(pairs) / 2
    assert median(abs(one.score - other.score) for one, other in pairs) <= 25


@pytest.mark.parametrize("step", sorted(ONLY_TOGETHER))
def test_a_step_saves_nodes_of_deep_searches(worker: Worker, step: str) -> None:
    usual = [search(worker, fen, 12) for fen in POSITIONS]
    slower = [search(worker, fen, 12, without(SWITCHES[step])) for fen in POSITIONS]
    assert total(slower) > total(usual)


@pytest.mark.parametrize("step", sorted(SWITCHES.keys() - ONLY_TOGETHER))
def test_a_step_alone_saves_nodes_and_costs_little(
    worker: Worker, all_moves: list[Found], step: str
) -> None:
    selective = [search(worker, fen, 5, alone(SWITCHES[step])) for fen in POSITIONS]
    assert total(selective) < total(all_moves)
    pairs = list(zip(all_moves, selective, strict=True))
    if step in EXACT_ALONE:  # but for draws, which depend on the line
        same = sum(one.score == other.score for one, other in pairs)
        assert same >= len(pairs) - 2
    assert median(abs(one.score - other.score) for one, other in pairs) <= 25


@pytest.mark.parametrize(
    "switch", ["singular_min_depth", "check_extension_min_depth", "quiet_extension_history"]
)
def test_extensions_look_at_more(worker: Worker, usual: list[Found], switch: str) -> None:
    assert total(usual) > total([search(worker, fen, DEEP, without(switch)) for fen in POSITIONS])


@pytest.mark.parametrize("ply, extended", [(5, True), (6, False)])
def test_nothing_is_extended_from_twice_the_depth_on(
    worker: Worker, ply: int, extended: bool
) -> None:
    def nodes(params: Params) -> int:
        start(worker, START, params)
        worker.root_depth = 3
        for depth in range(1, 10):
            negamax(worker, -100, 100, depth, ply, False)
        return int(worker.nodes)

    assert (nodes(new_params()) != nodes(without("singular_min_depth"))) == extended


def test_mates_are_not_pruned_whatever_the_margins(worker: Worker) -> None:
    """Quiet checks are not futile; a side that is lost is not pruned."""
    params = new_params()
    params.futility_max_depth = 20
    params.futility_margin = 0
    params.futility_base = -2000
    params.reverse_futility_margin = params.history_pruning_margin = 0
    for fen, plies in (
        ("7k/8/8/8/8/R7/1R6/K7 w - - 0 1", 3),
        ("7k/p1p4p/1p2Nn2/8/5Q2/1q6/PP4PP/7K w - - 0 1", 3),
        (MATE_BY_CHECKS, 5),
    ):
        assert search(worker, fen, plies + 3, params).score == MATE - plies, fen


def test_a_zugzwang_with_pieces_is_found(worker: Worker) -> None:
    """Null moves from depth 1 on have hidden it in the past."""
    for depth in (8, 9, 10, 11, 12):
        assert search(worker, ZUGZWANG, depth).move == "g5h6"


@pytest.mark.parametrize(
    "fen, passes",
    [
        ("7k/5K2/5P1p/3p4/6P1/3p4/8/8 w - - 0 1", False),  # kings and pawns
        ("8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 0 1", False),  # one piece each
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", False),
        ("4k3/pp1n1p2/8/8/8/8/PP2NP2/2B1K3 w - - 0 1", True),
    ],
)
def test_a_null_move_needs_two_pieces(worker: Worker, fen: str, passes: bool) -> None:
    usual = search(worker, fen, 10)
    assert (usual != search(worker, fen, 10, without("null_move_base"))) == passes


def test_a_deep_null_move_is_verified(worker: Worker) -> None:
    """From its depth on."""

    def nodes(verify_depth: int) -> list[int]:
        params = new_params()
        params.null_move_verify_depth = verify_depth
        return [search(worker, fen, 13, params).nodes for fen in FEW]

    assert nodes(9) != nodes(40) == nodes(99)
    assert worker.null_move_from == 0


def test_what_the_table_knows_is_not_believed_near_the_fifty_move_rule(
    worker: Worker,
) -> None:
    """The clock is no part of the key: a win that takes too long is a draw."""
    fen = "8/8/8/3k4/8/8/8/K6R w - - {} 90"
    assert search(worker, fen.format(0), 8).score > 1000
    set_fen(worker.position, fen.format(95))
    set_all_root_moves(worker)
    assert deepen(worker, 8, NO_NODE_LIMIT) == DRAW


def test_the_table_ends_nodes_near_the_fifty_move_rule_too(worker: Worker) -> None:
    fen = "8/2k5/8/2K5/2P5/8/8/8 w - - 91 90"
    without_table = search(worker, fen, 12, without("table_cutoffs"))
    assert search(worker, fen, 12).nodes < without_table.nodes


def test_a_node_with_a_single_move_is_searched(worker: Worker) -> None:
    """Without that move, which may be singular, nothing is left."""
    found = search(worker, "7k/8/8/8/8/8/8/K5R1 b - - 0 1", 12)
    assert found.move == "h8h7" and -MATE_IN_RANGE < found.score < -1000


def test_beyond_the_table_of_reductions_its_last_entry_holds(worker: Worker) -> None:
    frame = worker.stack[PLY]

    def base(depth: int, number: int) -> int:
        frame.depth, frame.move_number, frame.improving = depth, number, 1
        return int(base_reduction(worker, PLY, 1))

    assert base(3, 2) < base(12, 2) < base(12, 30)
    assert base(REDUCTION_SIZE + 50, 9) == base(REDUCTION_SIZE - 1, 9)
    assert base(9, REDUCTION_SIZE + 50) == base(9, REDUCTION_SIZE - 1)


def test_open_windows_and_improving_sides_are_reduced_less(worker: Worker) -> None:
    frame = worker.stack[PLY]
    frame.depth, frame.move_number = 9, 12
    worker.root_delta = 40
    reductions = []
    for improving, width in ((1, 40), (1, 1), (0, 1)):
        frame.improving = improving
        reductions.append(int(base_reduction(worker, PLY, width)))
    assert reductions == sorted(set(reductions))
