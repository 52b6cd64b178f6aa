"""Static exchange evaluation, against values worked out by hand and by others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import chess
import pytest

from engine.board.fen import START
from engine.board.notation import parse_move
from engine.board.position import MoveLists, Position
from engine.board.see import SEE_VALUES, see_at_least

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


def test_shared_values(data: Path, position: Callable[..., Position], lists: MoveLists) -> None:
    """Computed by others with their own piece values, so with those."""
    pos = position(START)
    usual = pos.tables.see_value.copy()
    pos.tables.see_value[:] = (100, 300, 300, 500, 900, 0, 0)
    checked = 0
    wrong = []
    for line in (data / "suites" / "see_values.epd").read_text().splitlines():
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
