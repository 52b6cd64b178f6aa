"""Solving by retrograde analysis, on parts of spaces that are small enough to run interpreted."""

from __future__ import annotations

import functools

import chess
import pytest

from engine.native.structs import StructArray
from tablebases.folders import BUILT_IN
from tablebases.generator import retrograde
from tablebases.generator.check import ALL_RIGHT, Comparison, first_wrong_dtz, first_wrong_wdl
from tablebases.generator.moves import NO_MOVE, best_pawn_move, double_step
from tablebases.generator.placements import (
    ILLEGAL,
    ILLEGAL_OUTCOME,
    STALEMATE,
    Solver,
    index_of,
)
from tablebases.generator.solve import (
    BARE_KINGS,
    fill_space,
    index_count,
    new_solver,
    slots,
    solve,
)
from tablebases.material import successors
from tablebases.reading import open_table
from tablebases.tables import Byte

ROOM_OF_A_PAWN = 4096  # indices of KPvK that have the pawn on one square
CORNER_PAWNS = (chess.A7, chess.H7)  # kings that cross the middle exchange them by reflection


def drawn(name: str) -> dict[str, StructArray[Byte]]:
    """Outcomes of all materials that follow this one: draws, until a test writes others."""
    outcomes = {other: StructArray(Byte, index_count(other)) for other in successors(name)}
    return outcomes | {BARE_KINGS: bare_kings()}


@functools.cache
def bare_kings() -> StructArray[Byte]:
    return solve(BARE_KINGS, {}).outcomes


def placement_of(name: str, board: chess.Board) -> int:
    free = board.piece_map()
    placement = 0
    for slot, (kind, colour) in enumerate(slots(name)):
        piece = chess.Piece(kind, colour == 0)
        square = next(square for square, man in free.items() if man == piece)
        del free[square]
        placement |= square << 8 * slot
    return placement


def index_at(solver: Solver, name: str, fen: str) -> int:
    board = chess.Board(fen)
    return int(index_of(solver.space, placement_of(name, board), 0 if board.turn else 1))


def fill_promotions(outcomes: dict[str, StructArray[Byte]]) -> None:
    """What a pawn in the corner promotes to, with Black to move. Queen and rook always win, unless
    they are taken or it is stalemate."""
    for name, kind in (("KQvK", chess.QUEEN), ("KRvK", chess.ROOK)):
        solver = Solver()
        fill_space(solver.space, name)
        for corner in (chess.A8, chess.H8):
            for king in range(64):
                if king & 4:
                    continue
                for other in range(64):
                    board = chess.Board(None)
                    for square, man in ((corner, kind), (king, chess.KING)):
                        board.set_piece_at(square, chess.Piece(man, chess.WHITE))
                    board.set_piece_at(other, chess.Piece(chess.KING, chess.BLACK))
                    board.turn = chess.BLACK
                    if len(board.piece_map()) < 3 or board.was_into_check():
                        continue
                    saved = board.is_stalemate() or any(
                        board.is_capture(move) for move in board.legal_moves
                    )
                    index = index_of(solver.space, placement_of(name, board), 1)
                    outcomes[name][index].value = 0 if saved else -2


@pytest.fixture(scope="module")
def corner_pawns() -> Solver:
    """KPvK, solved where the pawn needs one more step in the corner."""
    outcomes = drawn("KPvK")
    fill_promotions(outcomes)
    solver = new_solver("KPvK", outcomes)
    ranges = [((pawn - 8) * ROOM_OF_A_PAWN, (pawn - 7) * ROOM_OF_A_PAWN) for pawn in CORNER_PAWNS]
    for first, last in ranges:
        retrograde.mark_illegal(solver, first, last)
    for first, last in ranges:
        retrograde.prepare(solver, first, last)
    plies = 0
    while plies <= solver.longest:
        for first, last in ranges:
            retrograde.sweep(solver, first, last, plies)
        plies += 1
    return solver


@pytest.mark.parametrize(
    "fen, plies",
    [
        ("8/P7/K7/8/8/8/8/7k w - - 0 1", 1),  # promotes
        ("k7/P7/K7/8/8/8/8/8 b - - 0 1", STALEMATE),
        ("8/Pk6/K7/8/8/8/8/8 b - - 0 1", ILLEGAL),  # the kings touch
        ("8/P1K5/8/8/8/8/8/7k b - - 0 1", -3),  # whatever Black does, the pawn promotes
        ("k7/P7/8/1K6/8/8/8/8 w - - 0 1", 0),  # the king cannot be driven away
        ("K7/P1k5/8/8/8/8/8/8 w - - 0 1", STALEMATE),
        ("8/P7/8/8/8/8/1k6/3K4 w - - 0 1", 1),
        ("8/Pk6/8/8/8/8/8/3K4 b - - 0 1", 0),  # takes the pawn
        ("K7/P7/8/8/8/8/2k5/8 b - - 0 1", -5),  # the king must leave the corner first
    ],
)
def test_plies_until_the_pawn_promotes(corner_pawns: Solver, fen: str, plies: int) -> None:
    assert corner_pawns.plies[index_at(corner_pawns, "KPvK", fen)].value == plies


def test_the_solution_fits_the_standard_table(corner_pawns: Solver) -> None:
    """With the white king on each of some squares, and the black king anywhere."""
    comparison = Comparison()
    comparison.solver = corner_pawns
    tables = {suffix: open_table(BUILT_IN / f"KPvK{suffix}") for suffix in (".rtbw", ".rtbz")}
    for king in (chess.A8, chess.B6, chess.C7, chess.D1):
        for side in (0, 1):
            first = int(index_of(corner_pawns.space, king | chess.A7 << 8, side))
            last = first + 64
            retrograde.annotate(corner_pawns, first, last)
            comparison.table = tables[".rtbw"].table
            assert first_wrong_wdl(comparison, first, last) == ALL_RIGHT
            comparison.table = tables[".rtbz"].table
            assert first_wrong_dtz(comparison, first, last) == ALL_RIGHT


def test_a_wrong_value_of_the_table_is_found(corner_pawns: Solver) -> None:
    """Or of the solution: they are compared."""
    first = int(index_of(corner_pawns.space, chess.B6 | chess.A7 << 8, 1))
    retrograde.annotate(corner_pawns, first, first + 64)
    comparison = Comparison()
    comparison.solver = corner_pawns
    lost = next(i for i in range(first, first + 64) if corner_pawns.plies[i].value == -3)
    note = corner_pawns.counts[lost]
    comparison.table = open_table(BUILT_IN / "KPvK.rtbw").table
    note.value ^= 2  # a draw
    assert first_wrong_wdl(comparison, first, first + 64) == lost
    note.value ^= 2

    first = int(index_of(corner_pawns.space, chess.A8 | chess.A7 << 8, 0))
    retrograde.annotate(corner_pawns, first, first + 64)
    comparison.table = open_table(BUILT_IN / "KPvK.rtbz").table
    won = next(i for i in range(first, first + 64) if corner_pawns.counts[i].value == 4)
    assert first_wrong_dtz(comparison, first, first + 64) == ALL_RIGHT
    corner_pawns.plies[won].value += 8
    assert first_wrong_dtz(comparison, first, first + 64) == won
    corner_pawns.plies[won].value -= 8


def test_between_bare_kings_nothing_happens() -> None:
    values = bare_kings().memory.view("int8")
    assert set(values) == {0, ILLEGAL_OUTCOME}
    # Of the sixteen squares for the white king one is a corner, and six are on an edge.
    assert (values == ILLEGAL_OUTCOME).sum() == 2 * (1 * 4 + 6 * 6 + 9 * 9)


@pytest.mark.parametrize(
    "fen, capture, value",
    [
        ("8/p7/8/8/8/4k3/P7/K7 w - - 0 1", 2, -2),  # nobody can take: the value after the step
        ("8/8/8/8/1p6/4k3/P7/K7 w - - 0 1", 0, -2),  # taking en passant would be worse for Black
        ("8/8/8/8/1p6/4k3/P7/K7 w - - 0 1", 2, -2),
        ("8/8/8/8/p7/4k3/7P/K7 w - - 0 1", 2, -2),  # the other edge is no neighbour
    ],
)
def test_a_double_step(fen: str, capture: int, value: int) -> None:
    """Black wins in 5 plies without, and `capture` is what en passant is worth to Black."""
    assert double_step_value(fen, 5, capture) == value


@pytest.mark.parametrize("capture, value", [(2, -2), (0, 0), (-2, 0)])
def test_en_passant_is_tried_where_a_double_step_draws(capture: int, value: int) -> None:
    assert double_step_value("8/8/8/8/1p6/4k3/P7/K7 w - - 0 1", 0, capture) == value


@pytest.mark.parametrize("capture, value", [(2, -2), (0, 0), (-2, 2)])
def test_en_passant_is_no_choice_if_it_is_the_only_move(capture: int, value: int) -> None:
    assert double_step_value("8/8/8/8/1p6/4k3/P7/K7 w - - 0 1", STALEMATE, capture) == value


def test_a_double_step_into_an_illegal_placement_is_none() -> None:
    assert double_step_value("8/8/8/8/1p6/4k3/P7/K7 w - - 0 1", ILLEGAL, 0) == NO_MOVE


def double_step_value(fen: str, plies: int, capture: int) -> int:
    """To the side to move, of its pawn that stands first; `plies` is the state after it."""
    name, board = "KPvKP", chess.Board(fen)
    outcomes = drawn(name)
    solver = new_solver(name, outcomes)
    outcomes["KPvK"].memory.view("int8")[:] = -capture  # to White, who moves then
    placement = placement_of(name, board)
    (pawn,) = board.pieces(chess.PAWN, chess.WHITE)
    board.set_piece_at(pawn + 16, board.remove_piece_at(pawn))
    solver.plies[index_of(solver.space, placement_of(name, board), 1)].value = plies
    return int(double_step(solver, placement, 0, 1))


@pytest.mark.parametrize(
    "fen, plies",
    [
        ("8/8/8/8/8/4k3/P7/K7 w - - 0 1", {"a2a3": 7}),
        ("8/8/8/8/8/4k3/P7/K7 w - - 0 1", {"a2a4": 7}),
        ("8/8/8/8/8/k7/P7/K7 w - - 0 1", {}),  # blocked
        ("8/8/8/8/k7/8/P7/K7 w - - 0 1", {"a2a3": 7}),
    ],
)
def test_the_best_pawn_move(fen: str, plies: dict[str, int]) -> None:
    """It leads to the placement that Black has lost, or to a draw."""
    solver = new_solver("KPvK", drawn("KPvK"))
    board = chess.Board(fen)
    placement = placement_of("KPvK", board)
    moves = [move.uci() for move in board.legal_moves if move.from_square == chess.A2]
    assert best_pawn_move(solver, placement, 0) == (0 if moves else NO_MOVE)
    for move, count in plies.items():
        board.push_uci(move)
        solver.plies[index_of(solver.space, placement_of("KPvK", board), 1)].value = -count - 1
        assert best_pawn_move(solver, placement, 0) == 2
