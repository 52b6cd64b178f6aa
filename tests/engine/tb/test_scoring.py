"""Scores of tablebases in the search, whatever the tables say, and the values behind them."""

from __future__ import annotations

import pytest

from engine.board.attack_tables import new_position
from engine.board.constants import MAX_PLY
from engine.board.fen import set_fen
from engine.scores import MATE, NO_SCORE, TABLEBASE_WIN
from engine.search.state import Worker
from engine.tb import probing, scoring
from engine.tb.probing import (
    CURSED_DTZ,
    MOST_PLIES,
    before_zeroing,
    can_probe,
    distance_after_move,
    mate_is_next,
    mate_plies,
)
from engine.tb.scoring import SACRIFICED_WIN, tablebase_score
from tablebases.decoding import NO_TABLE
from tests.engine.search.handles import set_up

ROOK_ENDING = "4k3/8/8/8/8/3r4/P7/R3K3 w - - 0 1"
PLY = 6


@pytest.fixture
def probing_worker(worker: Worker) -> Worker:
    worker.prober.most_men = 5
    worker.prober.least_depth = 3
    worker.prober.fifty_moves = 1
    return worker


def score(
    worker: Worker,
    monkeypatch: pytest.MonkeyPatch,
    wdl: int,
    dtz: int = NO_TABLE,
    fen: str = ROOK_ENDING,
    depth: int = 3,
    ply: int = PLY,
) -> int:
    set_up(worker, fen)
    remember_root(worker, fen)
    monkeypatch.setattr(scoring, "probe_wdl", lambda *_: wdl)
    monkeypatch.setattr(scoring, "probe_dtz", lambda *_: dtz)
    return int(tablebase_score(worker.prober, worker.position, worker.lists, depth, ply))


def remember_root(worker: Worker, fen: str) -> None:
    """The search began here."""
    root = new_position(worker.position.tables)
    set_fen(root, fen)
    scoring.note_root(worker.prober, root)


@pytest.mark.parametrize(
    "root, fen, wdl, costs",
    [
        # A rook for nothing
        ("8/8/8/3k4/8/8/8/KRRB4 w - - 0 1", "8/8/8/8/8/2k5/8/KR1B4 w - - 0 1", 2, True),
        # A free rook
        ("7k/8/8/3r4/8/8/3QP3/K7 w - - 0 1", "7k/8/8/3Q4/8/8/4P3/K7 b - - 0 1", -2, False),
        # A queen for a rook: already, and with the next move; a rook for a rook
        ("8/3k4/3r4/8/8/8/3Q4/K6R w - - 0 1", "8/8/3k4/8/8/8/8/K6R w - - 0 1", 2, True),
        ("8/3k4/3r4/8/8/8/3Q4/K6R w - - 0 1", "8/3k4/3Q4/8/8/8/8/K6R b - - 0 1", -2, True),
        ("8/3k4/3r4/8/3R4/8/8/K6Q w - - 0 1", "8/8/3k4/8/8/8/8/K6Q w - - 0 1", 2, False),
        # A promotion does not make up for another pawn
        ("8/P6k/8/8/7P/8/8/K1Q5 w - - 0 1", "Q7/8/8/8/7k/8/8/K1Q5 w - - 0 1", 2, True),
    ],
)
def test_a_win_must_not_cost_material(
    probing_worker: Worker,
    monkeypatch: pytest.MonkeyPatch,
    root: str,
    fen: str,
    wdl: int,
    costs: bool,
) -> None:
    set_up(probing_worker, fen)
    remember_root(probing_worker, root)
    monkeypatch.setattr(scoring, "probe_wdl", lambda *_: wdl)
    monkeypatch.setattr(scoring, "probe_dtz", lambda *_: NO_TABLE)
    pos, lists = probing_worker.position, probing_worker.lists
    found = int(tablebase_score(probing_worker.prober, pos, lists, 3, PLY))
    sign = 1 if wdl > 0 else -1
    assert found == sign * (SACRIFICED_WIN if costs else TABLEBASE_WIN - PLY)


def test_scores_by_result(probing_worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = {2: TABLEBASE_WIN - PLY, 1: 1, 0: 0, -1: -1, -2: PLY - TABLEBASE_WIN}
    for wdl, value in expected.items():
        assert score(probing_worker, monkeypatch, wdl) == value
    probing_worker.prober.fifty_moves = 0
    expected |= {1: TABLEBASE_WIN - PLY, -1: PLY - TABLEBASE_WIN}
    for wdl, value in expected.items():
        assert score(probing_worker, monkeypatch, wdl) == value
    assert score(probing_worker, monkeypatch, NO_TABLE) == NO_SCORE


def test_when_tablebases_are_probed(
    probing_worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = MAX_PLY - MOST_PLIES - 1
    assert score(probing_worker, monkeypatch, 0, ply=last) == 0
    assert score(probing_worker, monkeypatch, 0, ply=last + 1) == NO_SCORE
    late = ROOK_ENDING.replace(" 0 1", " 1 9")
    assert score(probing_worker, monkeypatch, 0, fen=late) == NO_SCORE
    # The largest ones only from a depth on; smaller ones always.
    assert score(probing_worker, monkeypatch, 0, depth=2) == NO_SCORE
    probing_worker.prober.most_men = 6
    assert score(probing_worker, monkeypatch, 0, depth=2) == 0
    probing_worker.prober.most_men = 4
    assert score(probing_worker, monkeypatch, 0) == NO_SCORE


def test_only_endings_that_end_in_mate_score_as_mates(
    probing_worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    queen = "8/8/8/8/3k4/8/8/KQ6 w - - 0 1"
    assert score(probing_worker, monkeypatch, 2, 13, queen) == MATE - PLY - 13
    assert score(probing_worker, monkeypatch, 2, 12, queen) == MATE - PLY - 13
    assert score(probing_worker, monkeypatch, -2, -12, queen) == PLY + 12 - MATE
    assert score(probing_worker, monkeypatch, -2, -11, queen) == PLY + 12 - MATE
    assert score(probing_worker, monkeypatch, 2, NO_TABLE, queen) == TABLEBASE_WIN - PLY
    assert score(probing_worker, monkeypatch, 0, 13, queen) == 0
    assert score(probing_worker, monkeypatch, 2, 13) == TABLEBASE_WIN - PLY


@pytest.mark.parametrize(
    "pieces, expected",
    [
        ("KQk", True),
        ("Kkr", True),
        ("KNk", False),
        ("KBk", False),
        ("KPk", False),
        ("KBNk", True),
        ("KBBk", True),
        ("KNNk", False),
        ("Kkbn", True),
        ("KRBk", False),
        ("KQQk", False),
        ("KBkn", False),
        ("KBNPk", False),
        ("KBNNk", False),
    ],
)
def test_whether_mate_is_next(worker: Worker, pieces: str, expected: bool) -> None:
    squares = {"K": "a1", "k": "h8"}
    free = iter(("b3", "d2", "e4", "f2"))
    board = {squares.get(piece) or next(free): piece for piece in pieces}
    rows = []
    for rank in "87654321":
        row = "".join(board.get(file + rank, "1") for file in "abcdefgh")
        rows.append(row)
    set_up(worker, "/".join(rows) + " w - - 0 1")
    assert mate_is_next(worker.position) == expected


def test_plies_to_mate() -> None:
    """The winner mates with its own move: an odd number of plies if it is to move."""
    assert [mate_plies(dtz, True) for dtz in (1, 2, 3, 4)] == [1, 3, 3, 5]
    assert [mate_plies(-dtz, False) for dtz in (1, 2, 3, 4)] == [2, 2, 4, 4]


def test_which_positions_are_probed(worker: Worker) -> None:
    worker.prober.most_men = 5
    for fen, expected in (
        (ROOK_ENDING, True),
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", False),
        ("4k3/8/8/8/8/8/PPPP4/4K3 w - - 0 1", False),
    ):
        set_fen(worker.position, fen)
        assert can_probe(worker.prober, worker.position) == expected


def test_a_zeroing_move_has_the_distance_of_its_result() -> None:
    values = {2: 1, 1: CURSED_DTZ + 1, 0: 0, -1: -CURSED_DTZ - 1, -2: -1}
    assert {wdl: before_zeroing(wdl) for wdl in values} == values


@pytest.mark.parametrize(
    "fen, after, expected",
    [
        ("k7/8/1K6/8/8/8/8/7R b - - 1 1", -1, 2),  # not mate: one ply more than after it
        ("k7/8/1K6/8/8/8/8/7R b - - 1 1", -4, 5),
        ("k7/8/1K6/8/8/8/8/7R b - - 1 1", 4, -5),
        ("k7/8/1K6/8/8/8/8/7R b - - 1 1", 0, 0),
        ("k6R/8/1K6/8/8/8/8/8 b - - 1 1", -1, 1),  # mate
        ("k6R/8/1K6/8/8/8/8/8 b - - 1 1", -2, 3),
        ("k7/8/1Q6/8/8/8/8/K7 b - - 1 1", -1, 2),  # stalemate is not mate
        ("k6R/8/2K5/8/8/8/8/8 b - - 1 1", -1, 2),  # nor is a check
    ],
)
def test_the_distance_after_a_move(
    worker: Worker,
    monkeypatch: pytest.MonkeyPatch,
    fen: str,
    after: int,
    expected: int,
) -> None:
    set_up(worker, fen)
    monkeypatch.setattr(probing, "distance", lambda *_: after)
    monkeypatch.setattr(probing, "best_of", lambda *_: -2)
    arguments = (worker.prober, worker.position, worker.lists, 1)
    assert distance_after_move(*arguments) == expected
    set_up(worker, fen.replace(" 1 1", " 0 1"))
    assert distance_after_move(*arguments) == 1  # the move was a capture or a pawn's
