"""Attack tables against python-chess, square by square."""

from __future__ import annotations

import random
from collections.abc import Callable

import chess
import numpy as np
import pytest

from engine.board.attacks import bishop_attacks, king_attacked, lone_blockers, rook_attacks
from engine.board.position import Position
from engine.search.shared import Shared

ALL = (1 << 64) - 1


def test_steps(shared: Shared) -> None:
    tables = shared.tables
    for square in chess.SQUARES:
        assert int(tables.knight[square]) & ALL == chess.BB_KNIGHT_ATTACKS[square]
        assert int(tables.king[square]) & ALL == chess.BB_KING_ATTACKS[square]
        for colour, theirs in ((0, chess.WHITE), (1, chess.BLACK)):
            expected = chess.BB_PAWN_ATTACKS[theirs][square]
            assert int(tables.pawn[colour, square]) & ALL == expected


def test_lines(shared: Shared) -> None:
    tables = shared.tables
    for square in chess.SQUARES:
        file, rank = square & 7, square >> 3
        others = [(other, other & 7, other >> 3) for other in chess.SQUARES]
        diagonal = sum(1 << o for o, f, r in others if f - r == file - rank)
        antidiagonal = sum(1 << o for o, f, r in others if f + r == file + rank)
        assert int(tables.file[square]) & ALL == chess.BB_FILES[file]
        assert int(tables.diagonal[square]) & ALL == diagonal
        assert int(tables.antidiagonal[square]) & ALL == antidiagonal
        for other in chess.SQUARES:
            line, between = tables.line[square, other], tables.between[square, other]
            assert int(between) & ALL == chess.between(square, other)
            if square != other:
                assert int(line) & ALL == chess.ray(square, other)


def test_sliders(shared: Shared) -> None:
    rng = random.Random(9)
    for square in chess.SQUARES:
        for _ in range(20):
            occupied = rng.getrandbits(64) & rng.choice((ALL, rng.getrandbits(64)))
            signed = occupied - (1 << 64) if occupied >> 63 else occupied
            rank, file = chess.BB_RANK_MASKS[square], chess.BB_FILE_MASKS[square]
            straight = chess.BB_RANK_ATTACKS[square][rank & occupied]
            straight |= chess.BB_FILE_ATTACKS[square][file & occupied]
            diagonal = chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & occupied]
            with np.errstate(over="ignore"):  # kernels called as plain Python
                rook = int(rook_attacks(shared.tables, square, signed))
                bishop = int(bishop_attacks(shared.tables, square, signed))
            assert rook & ALL == straight
            assert bishop & ALL == diagonal


@pytest.mark.parametrize(
    "fen, squares",
    [
        ("4k3/8/8/8/4r3/8/4N3/4K3 w - - 0 1", [chess.E2]),
        ("4k3/8/8/4p3/4r3/8/4N3/4K3 w - - 0 1", [chess.E2]),
        ("4k3/8/8/4r3/4p3/8/4N3/4K3 w - - 0 1", []),  # two in the way
        ("4k3/8/8/8/1b6/2p5/8/4K2r w - - 0 1", [chess.C3]),  # an enemy's; nothing before the rook
        ("4k3/8/8/8/7b/6P1/8/q2BK3 w - - 0 1", [chess.D1, chess.G3]),
        ("4k3/8/8/8/7r/6P1/8/b2BK3 w - - 0 1", []),  # rook and bishop go other ways
    ],
)
def test_lone_blockers(
    position: Callable[..., Position], fen: str, squares: list[chess.Square]
) -> None:
    expected = sum(1 << square for square in squares)
    with np.errstate(over="ignore"):
        assert int(lone_blockers(position(fen), 0)) & ALL == expected


def test_a_king_is_attacked_whoever_is_to_move(position: Callable[..., Position]) -> None:
    pos = position("4k3/8/8/8/4r3/8/8/4K3 w - - 0 1")
    assert king_attacked(pos, 0) and not king_attacked(pos, 1)
