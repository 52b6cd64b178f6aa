"""The evaluation: the score of a position for the side to move.

Known endings come first. All other positions are evaluated by the network of `network/` or by the
weighted sum of `classical/`. As the fifty-move rule comes nearer, all scores shrink.
"""

from __future__ import annotations

from engine.board.constants import WHITE
from engine.board.position import Position
from engine.eval.classical.memory import Classical
from engine.eval.classical.weighted_sum import weighted_sum
from engine.eval.known_endings import UNKNOWN, known_result
from engine.eval.kpk import KpkBitbase
from engine.eval.network.memory import NetworkEvaluator
from engine.eval.network.output import network_score
from engine.eval.scaling import scale_by_fifty_moves
from engine.native.jit import entry, kernel
from engine.native.structs import Struct, inline, pointer_to

HIGHEST = 15000  # centipawns: far below tablebase wins and mates, even with 30 queens


class Evaluator(Struct):
    """What one thread needs to evaluate positions."""

    kpk = pointer_to(KpkBitbase)
    network = inline(NetworkEvaluator)
    classical = inline(Classical)


@entry
def evaluate(pos: Position, evaluator: Evaluator) -> int:
    """Static evaluation in centipawns, from the side to move's view. Not for positions in check."""
    score = known_result(pos, evaluator.kpk)
    if score == UNKNOWN:
        score = estimate(pos, evaluator)
    score = max(-HIGHEST, min(HIGHEST, scale_by_fifty_moves(pos, score)))
    return score if pos.side == WHITE else -score


@kernel
def estimate(pos: Position, evaluator: Evaluator) -> int:
    """Score of a position that is not a known ending, White's view."""
    if evaluator.network.layers.in_use:
        score = network_score(pos, evaluator.network)
        return score if pos.side == WHITE else -score
    return weighted_sum(pos, evaluator.classical)
