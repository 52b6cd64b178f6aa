"""Material and piece-square tables, from scratch; the search sums them incrementally."""

from __future__ import annotations

from engine.board.constants import KING, PAWN
from engine.board.position import Position
from engine.eval.classical.features import ENEMY_KING_SQUARE, MATERIAL, PIECE_SQUARE
from engine.eval.classical.memory import Classical
from engine.eval.classical.weigh import weigh
from engine.native.bits import lsb, popcount, squares
from engine.native.jit import entry, kernel


@entry
def material(pos: Position, evaluator: Classical, us: int) -> int:
    """Packed score of the material of `us`."""
    score = 0
    for kind in range(PAWN, KING):
        score += weigh(evaluator, us, MATERIAL + kind, popcount(pos.pieces[us, kind]))
    return score


@kernel
def mirror(pos: Position, colour: int) -> int:
    """What flips a square so that the king of `colour` stands on the files e to h."""
    return 0 if lsb(pos.pieces[colour, KING]) & 4 else 7


@entry
def piece_squares(pos: Position, evaluator: Classical, us: int) -> int:
    """Packed score of the squares of the pieces of `us`."""
    own = mirror(pos, us) ^ (56 * us)
    enemy = mirror(pos, us ^ 1) ^ (56 * us)
    score = 0
    for kind in range(PAWN, KING + 1):
        for square in squares(pos.pieces[us, kind]):
            score += weigh(evaluator, us, PIECE_SQUARE + 64 * kind + (square ^ own), 1)
            score += weigh(evaluator, us, ENEMY_KING_SQUARE + 64 * kind + (square ^ enemy), 1)
    return score
