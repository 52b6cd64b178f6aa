"""The evaluation: a weighted sum of features, tapered from middlegame to endgame."""

from __future__ import annotations

from engine.board.constants import BLACK, WHITE
from engine.board.position import Position
from engine.eval.attackmap import prepare_attacks
from engine.eval.endgames import UNKNOWN, known_result
from engine.eval.features import TEMPO
from engine.eval.king import king_attack, probe_shelter
from engine.eval.memory import Evaluator, PawnEntry
from engine.eval.packed import endgame, middlegame
from engine.eval.passed import passed_pawns
from engine.eval.pawns import probe_pawns
from engine.eval.pieces import pieces
from engine.eval.scaling import FULL_FADE, FULL_SCALE, fade, scale_factor
from engine.eval.threats import space, threats
from engine.eval.weigh import weigh
from engine.native.jit import entry, kernel

FULL_PHASE = 24


@entry
def finish(pos: Position, packed: int) -> int:
    """One score from a packed one, White's view: all middlegame at phase 24, all endgame at 0."""
    phase = min(pos.snapshots[pos.ply].phase, FULL_PHASE)
    strong = WHITE if endgame(packed) > 0 else BLACK
    late = endgame(packed) * scale_factor(pos, strong)
    total = middlegame(packed) * FULL_SCALE * phase + late * (FULL_PHASE - phase)
    return truncated(total, FULL_PHASE * FULL_SCALE)


@kernel
def truncated(number: int, divisor: int) -> int:
    """Towards zero, so that a mirrored position has exactly the opposite score."""
    return number // divisor if number >= 0 else -(-number // divisor)


@kernel
def side_score(pos: Position, evaluator: Evaluator, cached: PawnEntry, us: int) -> int:
    """Packed sum of the terms of one side that ask for the attacks of both."""
    score = king_attack(pos, evaluator, cached, us) + threats(pos, evaluator, us)
    return score + passed_pawns(pos, evaluator, cached.passed, us) + space(pos, evaluator, us)


@entry
def evaluate(pos: Position, evaluator: Evaluator) -> int:
    """Static evaluation in centipawns, seen by the side to move. Not meant for checks."""
    score = known_result(pos, evaluator)
    if score == UNKNOWN:
        score = finish(pos, weighted_sum(pos, evaluator))
    score = truncated(score * fade(pos), FULL_FADE)
    return score if pos.side == WHITE else -score


@kernel
def weighted_sum(pos: Position, evaluator: Evaluator) -> int:
    """Packed sum of all features, White's view."""
    prepare_attacks(pos, evaluator)
    cached = probe_pawns(pos, evaluator)
    packed = pos.snapshots[pos.ply].piece_square + cached.score
    packed += probe_shelter(pos, evaluator, cached, WHITE)
    packed -= probe_shelter(pos, evaluator, cached, BLACK)
    packed += pieces(pos, evaluator, WHITE)
    packed -= pieces(pos, evaluator, BLACK)
    packed += side_score(pos, evaluator, cached, WHITE)
    packed -= side_score(pos, evaluator, cached, BLACK)
    tempo = weigh(evaluator, pos.side, TEMPO, 1)
    return packed + (tempo if pos.side == WHITE else -tempo)
