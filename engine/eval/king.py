"""King shelter: own pawns before the king, enemy pawns coming at it."""

from __future__ import annotations

from engine.board.constants import KING, PAWN
from engine.board.position import Position
from engine.eval.features import SHELTER, STORM
from engine.eval.memory import Evaluator
from engine.eval.packed import endgame, middlegame, pack
from engine.eval.pawns import nearest_rank
from engine.eval.weigh import weigh
from engine.native.bits import lsb, shl
from engine.native.jit import entry, kernel

ATTACK_DIVISOR_MG = 512
ATTACK_DIVISOR_EG = 16


@kernel
def attack_score(danger: int) -> int:
    """Packed score of an attack on the king: attackers together are worth more than each alone."""
    early = max(0, middlegame(danger))
    late = max(0, endgame(danger))
    return pack(early * early // ATTACK_DIVISOR_MG, late // ATTACK_DIVISOR_EG)


@entry
def king_attack(evaluator: Evaluator, us: int) -> int:
    """Packed score of the attack of `us` on the other king, once all its features are summed."""
    return attack_score(evaluator.attacks.danger[us])


@entry
def shelter(pos: Position, evaluator: Evaluator, us: int) -> int:
    """Packed score of the pawns on the three files around the king of `us`."""
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
        score += weigh(evaluator, us, SHELTER + own, 1) + weigh(evaluator, us, STORM + enemy, 1)
    return score
