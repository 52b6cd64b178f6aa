"""Spaces, moves and the state of a placement, in all three ways to run kernels."""

from __future__ import annotations

import random

import chess
import pytest

from engine.native.bits import signed
from tablebases.generator.moves import attacks, is_legal
from tablebases.generator.placements import (
    BLESSED_CAPTURE,
    ILLEGAL,
    ILLEGAL_OUTCOME,
    LEFT_RIGHT,
    STALEMATE,
    UP_DOWN,
    Solver,
    Space,
    index_after,
    index_of,
    placement_at,
    side_at,
    wdl_of_plies,
)
from tablebases.generator.solve import fill_space, index_count, new_geometry, slots

NAMES = ("KvK", "KQvK", "KPvKR", "KPPvKP")


def space_of(name: str) -> Space:
    space = Space()
    fill_space(space, name)
    return space


def random_squares(name: str, generator: random.Random) -> list[int]:
    """Different ones, on which pawns may stand too."""
    return generator.sample(range(8, 56), len(name) - 1)


def packed(squares: list[int]) -> int:
    return sum(square << 8 * slot for slot, square in enumerate(squares))


@pytest.mark.parametrize("name", NAMES)
def test_an_index_is_a_placement(name: str) -> None:
    space, generator = space_of(name), random.Random(name)
    for index in (0, index_count(name) - 1, *generator.choices(range(index_count(name)), k=100)):
        placement = placement_at(space, index)
        assert index_of(space, placement, side_at(space, index)) == index


@pytest.mark.parametrize("name", NAMES)
def test_reflections_share_an_index(name: str) -> None:
    space, generator = space_of(name), random.Random(name)
    for _ in range(100):
        placement = packed(random_squares(name, generator))
        index = index_of(space, placement, 1)
        assert 0 <= index < index_count(name)
        assert index_of(space, placement ^ LEFT_RIGHT, 1) == index
        same_upside_down = index_of(space, placement ^ UP_DOWN, 1) == index
        assert same_upside_down == ("P" not in name)


@pytest.mark.parametrize("name", NAMES)
def test_the_index_after_a_move(name: str) -> None:
    space, generator = space_of(name), random.Random(name)
    for _ in range(100):
        squares = random_squares(name, generator)
        index = index_of(space, packed(squares), 0)
        placement = placement_at(space, index)
        before = [placement >> 8 * slot & 63 for slot in range(len(squares))]
        for slot in (0, *range(name.count("P") + 1, len(squares))):
            to = generator.randrange(64)
            after = [*before[:slot], to, *before[slot + 1 :]]
            assert index_after(space, index, placement, slot, to) == index_of(
                space, packed(after), 1
            )


def test_attacks() -> None:
    geometry, generator = new_geometry(), random.Random(1)
    for _ in range(100):
        kind = generator.randrange(chess.KNIGHT, chess.KING + 1)
        square, *others = generator.sample(chess.SQUARES, 5)
        board = chess.BaseBoard(None)
        board.set_piece_at(square, chess.Piece(kind, chess.WHITE))
        for other in others:
            board.set_piece_at(other, chess.Piece(chess.PAWN, chess.BLACK))
        occupied = signed(board.occupied)
        assert attacks(geometry, kind, square, occupied) == signed(board.attacks_mask(square))


def test_legal_placements() -> None:
    name, generator = "KPvKQ", random.Random(1)
    solver = Solver()
    solver.geometry = new_geometry()
    fill_space(solver.space, name)
    results = set()
    for _ in range(200):
        squares, side = random_squares(name, generator), generator.randrange(2)
        board = chess.Board(None)
        for square, (kind, colour) in zip(squares, slots(name), strict=True):
            board.set_piece_at(square, chess.Piece(kind, colour == 0))
        board.turn = side == 0
        legal = not board.was_into_check()
        results.add(legal)
        assert is_legal(solver, packed(squares), side) == legal, board.fen()
    assert results == {True, False}
    assert not is_legal(solver, packed([0, 8, 63, 8]), 0)  # two men on a2


def test_wdl_of_plies() -> None:
    for wdl, examples in {
        2: (1, 100),
        1: (101, 500),
        0: (0, STALEMATE, BLESSED_CAPTURE),
        -1: (-102, -501),
        -2: (-1, -2, -101),
        ILLEGAL_OUTCOME: (ILLEGAL,),
    }.items():
        assert {wdl_of_plies(plies) for plies in examples} == {wdl}
