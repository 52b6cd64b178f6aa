"""Static exchange evaluation, against values worked out by hand and by others."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import chess
import pytest

from engine.board.constants import EMPTY, PAWN, QUEEN, ROOK
from engine.board.fen import START
from engine.board.notation import legal_moves, move_text, parse_move
from engine.board.position import MoveLists, Position
from engine.board.see import SEE_VALUES, captured_kind, see_at_least
from engine.native import jit
from tests.reference import see as reference
from tests.reference.random_fens import random_fens

COUNT, MOVES = (6, 6) if jit.INTERPRETED else (60, 40)
P, N, B, R, Q, *_ = SEE_VALUES


def largest_threshold(pos: Position, move: int) -> int:
    """The largest threshold that the exchange reaches."""
    low, high = -4000, 4000
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if see_at_least(pos, move, middle) else (low, middle - 1)
    return low


@pytest.mark.parametrize(
    "fen, move, value",
    [
        ("4k3/8/8/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", P),  # hangs
        ("4k3/8/4p3/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", P - R),  # defended by a pawn
        ("3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", P),  # the second rook stands behind
        ("3rk3/3r4/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", P - R),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", P),  # en passant
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", Q - P),
        ("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", -P),  # promoted and lost
        ("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8n", R + N - P),
        ("8/8/3k4/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", P - R),  # the king takes back
        ("8/8/3k4/3p4/8/8/3Q4/3RK3 w - - 0 1", "d2d5", P),  # the king may not take back
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1", 0),  # castling wins nothing
    ],
)
def test_exchanges(
    position: Callable[..., Position], lists: MoveLists, fen: str, move: str, value: int
) -> None:
    pos = position(fen)
    assert largest_threshold(pos, parse_move(pos, lists, move)) == value


@pytest.mark.parametrize(
    "fen, move, kind",
    [
        ("4k3/8/8/3q4/8/8/8/3RK3 w - - 0 1", "d1d5", QUEEN),
        ("4k3/8/8/3q4/8/8/8/3RK3 w - - 0 1", "d1d4", EMPTY),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", PAWN),
        ("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8q", ROOK),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", EMPTY),  # written as king takes rook
    ],
)
def test_captured_kind(
    position: Callable[..., Position], lists: MoveLists, fen: str, move: str, kind: int
) -> None:
    pos = position(fen)
    assert captured_kind(pos, parse_move(pos, lists, move)) == kind


def test_against_plain_recursion(position: Callable[..., Position], lists: MoveLists) -> None:
    """All moves of random positions; promotions later in the exchange do not count here either."""
    rng = random.Random(2)
    checked = 0
    for fen in (*TACTICAL, *random_fens(COUNT, seed=12)):
        pos = position(fen)
        board = chess.Board(fen)
        moves = legal_moves(pos, lists)
        for move in rng.sample(moves, min(MOVES, len(moves))):
            text = move_text(move, False)
            expected = reference.exchange_value(board, board.parse_uci(text), SEE_VALUES[:6])
            assert largest_threshold(pos, move) == expected, f"{fen} {text}"
            checked += expected != 0
    assert checked > COUNT


TACTICAL = (
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "r1b1r1k1/pp1n1ppp/2pq1n2/3p4/3P1B2/2NBPQ2/PP3PPP/R4RK1 w - - 0 1",
    "3r2k1/3r1pp1/1q5p/3p4/3P4/1Q1R3P/3R1PP1/6K1 w - - 0 1",
    "4k3/8/8/1pPp4/1P6/8/8/4K3 w - d6 0 1",
    "1n1n3k/2P5/8/8/8/8/8/K1R5 w - - 0 1",
)


def test_shared_values(data: Path, position: Callable[..., Position], lists: MoveLists) -> None:
    """Computed by others with their own piece values, so with those."""
    pos = position(START)
    usual = pos.tables.see_value.copy()
    pos.tables.see_value[:] = (100, 300, 300, 500, 900, 0, 0)
    checked = 0
    wrong = []
    for line in (data / "suites" / "see_values.epd").read_text(encoding="utf-8").splitlines():
        fen, san, value = (part.strip() for part in line.split(";")[:3])
        board = chess.Board(f"{fen} 0 1" if len(fen.split()) == 4 else fen)
        move = board.parse_san(san)
        promoting = board.pawns & board.occupied_co[chess.WHITE] & chess.BB_RANK_7
        promoting |= board.pawns & board.occupied_co[chess.BLACK] & chess.BB_RANK_2
        if promoting:
            continue  # the file also counts promotions later in the exchange
        pos = position(board.fen())
        ours = largest_threshold(pos, parse_move(pos, lists, board.uci(move)))
        checked += 1
        if ours != int(value):
            wrong.append(f"{line}: {ours}")
    pos.tables.see_value[:] = usual
    assert wrong == []
    assert checked > 40
