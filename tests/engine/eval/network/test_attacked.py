"""Attacked pieces are found, and told apart by attackers and defence."""

from __future__ import annotations

from collections.abc import Callable

import chess

from engine.bench import POSITIONS
from engine.board.position import Position
from engine.eval.network.attacked import find_attacked
from engine.eval.network.memory import AttackedPieces
from engine.eval.network.shape import ATTACKS, PIECE_INPUTS
from engine.native.settings import INTERPRETED
from tests.engine.eval.network.networks import rows_of_view
from tests.reference.random_fens import random_fens


def rows_found(pos: Position, view: int) -> list[int]:
    attacked = AttackedPieces()
    find_attacked(pos, attacked)
    return sorted(attacked.views[view].rows[: attacked.count].tolist())


def test_attacked_pieces_are_those_of_the_definition(position: Callable[..., Position]) -> None:
    seen = set()
    for fen in (*POSITIONS, *random_fens(5 if INTERPRETED else 500)):
        board = chess.Board(fen, chess960=True)
        for view, colour in enumerate((chess.WHITE, chess.BLACK)):
            found = rows_found(position(fen, True), view)
            assert found == sorted(rows_of_view(board, colour)[1]), fen
            seen |= {row // PIECE_INPUTS for row in found}
    assert INTERPRETED or len(seen) == ATTACKS
