"""King shelter: own pawns before the king, enemy pawns coming at it."""

from __future__ import annotations

from engine.board.constants import KING, PAWN
from engine.board.position import Position
from engine.eval.memory import Evaluator
from engine.eval.pawns import nearest_rank
from engine.native.bits import lsb, shl
from engine.native.jit import entry


@entry
def shelter(pos: Position, evaluator: Evaluator, us: int) -> int:
    """Packed score of the pawns on the three files around the king of `us`."""
    weights = evaluator.weights
    masks = evaluator.masks
    king = lsb(pos.pieces[us, KING])
    centre = max(1, min(6, king & 7))
    # Only pawns beside or before the king: the squares in front of its rank, and its own rank.
    first_rank = king & 56
    score = 0
    for file in range(centre - 1, centre + 2):
        ahead = masks.front[us, first_rank | file] | shl(1, first_rank | file)
        own = nearest_rank(us, ahead & pos.pieces[us, PAWN])
        enemy = nearest_rank(us, ahead & pos.pieces[us ^ 1, PAWN])
        score += weights.shelter[own] + weights.storm[enemy]
    return score
