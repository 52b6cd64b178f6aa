"""Material and piece-square tables: what `make` keeps the sum of, from scratch."""

from __future__ import annotations

from engine.board.constants import KING, PAWN
from engine.board.position import Position
from engine.eval.features import MATERIAL, PIECE_SQUARE
from engine.eval.memory import Evaluator
from engine.eval.weigh import weigh
from engine.native.bits import popcount, squares
from engine.native.jit import entry


@entry
def material(pos: Position, evaluator: Evaluator, us: int) -> int:
    """Packed score of what the pieces of `us` are worth anywhere."""
    score = 0
    for kind in range(PAWN, KING):
        score += weigh(evaluator, us, MATERIAL + kind, popcount(pos.pieces[us, kind]))
    return score


@entry
def place(pos: Position, evaluator: Evaluator, us: int) -> int:
    """Packed score of where the pieces of `us` stand."""
    score = 0
    for kind in range(PAWN, KING + 1):
        for square in squares(pos.pieces[us, kind]):
            own_view = square ^ (56 * us)
            score += weigh(evaluator, us, PIECE_SQUARE + 64 * kind + own_view, 1)
    return score
