"""Random positions of a material, and the test of tables by the positions after their moves."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from engine.board.attack_tables import new_position
from engine.board.constants import NO_SQUARE
from engine.board.fen import set_fen, to_fen
from engine.board.notation import legal_moves
from engine.board.position import MoveLists, Position
from engine.search.shared import Shared
from engine.tb.access import pieces_of
from engine.tb.memory import Prober
from engine.tb.probing import CURSED_DTZ
from tablebases.commands import sampling
from tablebases.commands.sampling import (
    dtz_fits,
    new_sample,
    passed_square,
    place_at_random,
    wdl_by_moves,
)


@pytest.fixture
def pos(shared: Shared) -> Position:
    return new_position(shared.tables)


def test_random_positions_have_the_men_and_are_legal(pos: Position) -> None:
    sample, lists = new_sample("KPPvKR", 3), MoveLists()
    seen: Counter[object] = Counter()
    with np.errstate(over="ignore"):
        for _ in range(40):
            place_at_random(sample, pos)
            fen = to_fen(pos)
            set_fen(pos, fen)  # raises if the position is not legal
            legal_moves(pos, lists)
            sides = pieces_of(pos)
            assert sorted(sides) == ["KPP", "KR"]
            seen.update([sides, ("side", int(pos.side)), fen])
    assert len(seen) == 40 + 4  # both colours, both sides to move, and no position twice


def test_each_seed_gives_others(pos: Position) -> None:
    fens = set()
    for seed in range(4):
        place_at_random(new_sample("KQvKR", seed), pos)
        fens.add(to_fen(pos))
    assert len(fens) == 4


@pytest.mark.parametrize(
    "fen, square",
    [
        ("4k3/8/8/4P3/8/8/8/4K3 b - - 0 1", None),  # on the fifth rank
        ("4k3/8/8/8/4P3/8/8/4K3 b - - 0 1", "e3"),
        ("4k3/8/8/8/4P3/8/4N3/4K3 b - - 0 1", None),  # where it must have come from is a knight
        ("4k3/8/8/8/4P3/4n3/8/4K3 b - - 0 1", None),  # or on its way
        ("4k3/8/8/8/4P3/8/8/4K3 w - - 0 1", None),  # the side to move has not just moved
        ("4k3/8/8/8/4N3/8/8/4K3 b - - 0 1", None),
        ("4k3/8/8/2p5/8/8/8/4K3 w - - 0 1", "c6"),
        ("4k3/2p5/8/2p5/8/8/8/4K3 w - - 0 1", None),
        ("4k3/8/2b5/2p5/8/8/8/4K3 w - - 0 1", None),
        ("4k3/8/8/8/2p5/8/8/4K3 w - - 0 1", None),
    ],
)
def test_the_square_that_a_pawn_may_have_passed(
    pos: Position, fen: str, square: str | None
) -> None:
    set_fen(pos, fen)
    names = [file + rank for rank in "12345678" for file in "abcdefgh"]
    expected = NO_SQUARE if square is None else names.index(square)
    assert passed_square(pos) == expected


def fits(
    monkeypatch: pytest.MonkeyPatch,
    pos: Position,
    wdl: int,
    plies: int,
    after: tuple[int, ...] = (),
    failed: bool = False,
) -> bool:
    """Does this DTZ fit the result and those after the moves, which repeat?"""
    prober, lists = Prober(), MoveLists()
    prober.failed = int(failed)
    answers = [after[index % len(after)] for index in range(99)] if after else []
    monkeypatch.setattr(sampling, "probe_dtz", lambda *_: plies)
    monkeypatch.setattr(sampling, "distance_after_move", lambda *_: answers.pop(0))
    return bool(dtz_fits(prober, pos, lists, wdl))


def test_whether_dtz_fits(monkeypatch: pytest.MonkeyPatch, pos: Position) -> None:
    set_fen(pos, "8/8/8/3k4/8/8/8/K7 w - - 0 1")
    # The sign, and the boundary of the fifty-move rule.
    assert not fits(monkeypatch, pos, 2, -5) and not fits(monkeypatch, pos, -2, 5)
    assert not fits(monkeypatch, pos, 0, 5) and not fits(monkeypatch, pos, 0, -5)
    assert not fits(monkeypatch, pos, 2, 0) and not fits(monkeypatch, pos, -2, 0)
    assert not fits(monkeypatch, pos, 2, CURSED_DTZ + 1)
    assert not fits(monkeypatch, pos, 1, CURSED_DTZ)
    assert not fits(monkeypatch, pos, -1, -CURSED_DTZ)
    assert fits(monkeypatch, pos, 0, 0)
    # The shortest way of those with the same result, but for rounding.
    assert fits(monkeypatch, pos, 2, 7, (9, 7, -3))
    assert fits(monkeypatch, pos, 2, 7, (9, 8, 0)) and fits(monkeypatch, pos, 2, 7, (6, 9, -1))
    assert not fits(monkeypatch, pos, 2, 7, (9, 9, 9)) and not fits(monkeypatch, pos, 2, 7, (5, 9))
    assert fits(monkeypatch, pos, -2, -7, (-7, -5, -3)) and fits(monkeypatch, pos, -2, -7, (-8,))
    assert not fits(monkeypatch, pos, -2, -7, (-5, -3)) and not fits(monkeypatch, pos, -2, -7, (9,))
    # The fifty-move rule may lie between a position and the next one.
    assert fits(monkeypatch, pos, 1, CURSED_DTZ + 5, (5,))
    assert fits(monkeypatch, pos, 1, CURSED_DTZ + 5, (6,))
    assert not fits(monkeypatch, pos, 1, CURSED_DTZ + 5, (7,))
    # A table that is missing.
    assert fits(monkeypatch, pos, 2, -5, failed=True)


def test_without_a_move_any_distance_fits(monkeypatch: pytest.MonkeyPatch, pos: Position) -> None:
    set_fen(pos, "k6R/8/1K6/8/8/8/8/8 b - - 0 1")
    assert fits(monkeypatch, pos, -2, -1)


def test_the_best_result_after_any_move(monkeypatch: pytest.MonkeyPatch, pos: Position) -> None:
    prober, lists = Prober(), MoveLists()

    def best(fen: str, *after: int) -> int:
        set_fen(pos, fen)
        answers = [after[index % len(after)] for index in range(99)] if after else []
        monkeypatch.setattr(sampling, "probe_wdl", lambda *_: answers.pop(0))
        found = int(wdl_by_moves(prober, pos, lists))
        assert pos.ply == 0
        return found

    moves = "8/8/8/3k4/8/8/8/K7 w - - 0 1"
    assert best(moves, 2, -1, 1) == 1
    assert best(moves, 2, 2, 2) == -2
    assert best(moves, -2) == 2
    prober.failed = 1
    assert best(moves, -2) == 0  # meaningless: a table is missing
    assert best("k6R/8/1K6/8/8/8/8/8 b - - 0 1") == -2  # mate
    assert prober.failed == 0
    assert best("k7/8/1Q6/8/8/8/8/K7 b - - 0 1") == 0  # stalemate
