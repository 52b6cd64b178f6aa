"""Threats: the squares attacked, compared with python-chess, and what that is worth to a move."""

from __future__ import annotations

import chess
import pytest

from engine.board.constants import BLACK, WHITE
from engine.board.move import from_square
from engine.board.notation import parse_move
from engine.native import jit
from engine.search.params import new_params
from engine.search.state import Worker
from engine.search.threats import (
    attacked_by_minors,
    attacked_by_pawns,
    attacked_by_rooks,
    escape_score,
    threatened_pieces,
)
from tests.engine.search.handles import CHECKS, TACTICAL, set_up
from tests.reference.random_fens import random_fens

pytestmark = pytest.mark.usefixtures("wrap_around")
FENS = (*CHECKS, *TACTICAL, *random_fens(10 if jit.INTERPRETED else 100, seed=12))
KINDS = {
    attacked_by_pawns: (chess.PAWN,),
    attacked_by_minors: (chess.KNIGHT, chess.BISHOP),
    attacked_by_rooks: (chess.ROOK,),
}


def test_the_squares_are_those_of_python_chess(worker: Worker) -> None:
    for fen in FENS:
        set_up(worker, fen)
        board = chess.Board(fen)
        for color, chess_color in ((WHITE, chess.WHITE), (BLACK, chess.BLACK)):
            for attacked, kinds in KINDS.items():
                expected = chess.SquareSet()
                for kind in kinds:
                    for square in board.pieces(kind, chess_color):
                        expected |= board.attacks(square)
                found = int(attacked(worker.position, color)) & chess.BB_ALL
                assert found == int(expected), (fen, kinds)


@pytest.mark.parametrize(
    ("fen", "move", "bonus"),
    [
        ("4k3/8/2p5/3N4/8/8/8/4K3 w - - 0 1", "d5e3", "threat_minor"),  # away from a pawn
        ("4k3/8/2p5/3R4/8/8/8/4K3 w - - 0 1", "d5d1", "threat_rook"),
        ("4k3/8/2p5/3Q4/8/8/8/4K3 w - - 0 1", "d5d1", "threat_queen"),
        ("4k3/8/1n6/3R4/8/8/8/4K3 w - - 0 1", "d5e5", "threat_rook"),  # from a minor piece
        ("4k3/8/1n6/3B4/8/8/8/4K3 w - - 0 1", "d5e4", ""),  # as valuable as its attacker
        ("3rk3/8/8/3Q4/8/8/8/4K3 w - - 0 1", "d5e5", "threat_queen"),  # from a rook
        ("3rk3/8/8/3R4/8/8/8/4K3 w - - 0 1", "d5e5", ""),
        ("4k3/2p5/2p5/3N4/8/8/8/4K3 w - - 0 1", "d5b6", ""),  # to where a pawn attacks too
        ("4k3/2p5/3P4/8/8/8/8/4K3 w - - 0 1", "d6d7", ""),  # pawns
        ("4k3/8/8/8/3p4/4K3/8/8 w - - 0 1", "e3f2", ""),  # and kings
    ],
)
def test_a_piece_leaves_lesser_attackers(worker: Worker, fen: str, move: str, bonus: str) -> None:
    set_up(worker, fen)
    pos = worker.position
    by_pawns = attacked_by_pawns(pos, BLACK)
    by_minors = by_pawns | attacked_by_minors(pos, BLACK)
    by_rooks = by_minors | attacked_by_rooks(pos, BLACK)
    parsed = parse_move(pos, worker.lists, move)
    params = new_params()
    score = 0
    if threatened_pieces(pos, by_pawns, by_minors, by_rooks) & 1 << int(from_square(parsed)):
        score = escape_score(pos, params, parsed, by_pawns, by_minors, by_rooks)
    assert score == (getattr(params, bonus) if bonus else 0)
