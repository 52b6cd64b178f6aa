"""The evaluation: a weighted sum of features, tapered from middlegame to endgame."""

from __future__ import annotations

from engine.board.constants import BLACK, KING, PAWN, WHITE
from engine.board.position import Position
from engine.eval.features import TEMPO
from engine.eval.king import attack_score, shelter
from engine.eval.memory import Evaluator
from engine.eval.mobility import mobility_area, piece_activity
from engine.eval.packed import endgame, middlegame
from engine.eval.pawns import passed_pawns, pawn_attacks, probe_pawns
from engine.eval.scaling import FULL_FADE, FULL_SCALE, fade, scale_factor
from engine.eval.weigh import weigh
from engine.native.bits import lsb
from engine.native.jit import entry, kernel

FULL_PHASE = 24


@kernel
def prepare(pos: Position, evaluator: Evaluator, us: int) -> None:
    """What the terms of both sides ask for."""
    attacks = evaluator.attacks
    attacks.by_pawns[us] = pawn_attacks(us, pos.pieces[us, PAWN])
    attacks.king_zone[us] = evaluator.masks.king_zone[us, lsb(pos.pieces[us, KING])]


@entry
def prepare_both(pos: Position, evaluator: Evaluator) -> None:
    """Also what needs the attacks of both sides."""
    prepare(pos, evaluator, WHITE)
    prepare(pos, evaluator, BLACK)
    evaluator.attacks.mobility_area[WHITE] = mobility_area(pos, evaluator, WHITE)
    evaluator.attacks.mobility_area[BLACK] = mobility_area(pos, evaluator, BLACK)


@kernel
def side_score(pos: Position, evaluator: Evaluator, us: int, passed: int) -> int:
    """Packed sum of the terms of one side that are not cached."""
    score = piece_activity(pos, evaluator, us)
    score += passed_pawns(pos, evaluator, passed, us)
    score += attack_score(evaluator.attacks.danger[us])
    return score + shelter(pos, evaluator, us)


@entry
def finish(pos: Position, packed: int) -> int:
    """One score from a packed one, White's view: all middlegame at phase 24, all endgame at 0."""
    phase = min(pos.snapshots[pos.ply].phase, FULL_PHASE)
    strong = WHITE if endgame(packed) > 0 else BLACK
    late = endgame(packed) * scale_factor(pos, strong)
    total = middlegame(packed) * FULL_SCALE * phase + late * (FULL_PHASE - phase)
    score = truncated(total, FULL_PHASE * FULL_SCALE)
    return truncated(score * fade(pos), FULL_FADE)


@kernel
def truncated(number: int, divisor: int) -> int:
    """Towards zero, so that a mirrored position has exactly the opposite score."""
    return number // divisor if number >= 0 else -(-number // divisor)


@entry
def evaluate(pos: Position, evaluator: Evaluator) -> int:
    """Static evaluation in centipawns, seen by the side to move. Not meant for checks."""
    prepare_both(pos, evaluator)
    pawns = probe_pawns(pos, evaluator)
    packed = pos.snapshots[pos.ply].piece_square + pawns.score
    packed += side_score(pos, evaluator, WHITE, pawns.passed)
    packed -= side_score(pos, evaluator, BLACK, pawns.passed)
    tempo = weigh(evaluator, pos.side, TEMPO, 1)
    packed += tempo if pos.side == WHITE else -tempo
    score = finish(pos, packed)
    return score if pos.side == WHITE else -score
