"""The classical evaluation: a weighted sum of features, tapered from middlegame to endgame."""

from __future__ import annotations

from engine.board.constants import BLACK, KING, PAWN, WHITE
from engine.board.position import Position
from engine.eval.classical.attack_map import prepare_attacks
from engine.eval.classical.features import ENEMY_KING_SQUARE, MATERIAL, PIECE_SQUARE, TEMPO
from engine.eval.classical.king import king_attack, probe_shelter
from engine.eval.classical.memory import Classical, PawnEntry
from engine.eval.classical.passed import passed_pawns
from engine.eval.classical.pawns import probe_pawns
from engine.eval.classical.pieces import pieces
from engine.eval.classical.scale_factor import FULL_SCALE, scale_factor
from engine.eval.classical.scores import endgame, middlegame, weigh
from engine.eval.classical.threats import space, threats
from engine.eval.scaling import FULL_PHASE, game_phase, truncated
from engine.native.bits import lsb, popcount, squares
from engine.native.jit import entry, kernel


@entry
def taper(pos: Position, packed: int) -> int:
    """One score from a packed one, White's view: all middlegame at phase 24, all endgame at 0."""
    phase = game_phase(pos)
    strong = WHITE if endgame(packed) > 0 else BLACK
    late = endgame(packed) * scale_factor(pos, strong)
    total = middlegame(packed) * FULL_SCALE * phase + late * (FULL_PHASE - phase)
    return truncated(total, FULL_PHASE * FULL_SCALE)


@kernel
def side_score(pos: Position, evaluator: Classical, cached: PawnEntry, us: int) -> int:
    """Packed sum of the terms of one side that need the attacks of both."""
    score = king_attack(pos, evaluator, cached, us) + threats(pos, evaluator, us)
    return score + passed_pawns(pos, evaluator, cached.passed, us) + space(pos, evaluator, us)


@entry
def weighted_sum(pos: Position, evaluator: Classical) -> int:
    """Score in centipawns, White's view. Not for positions in check."""
    return taper(pos, packed_sum(pos, evaluator))


@kernel
def packed_sum(pos: Position, evaluator: Classical) -> int:
    """Packed sum of all features, White's view."""
    prepare_attacks(pos, evaluator)
    cached = probe_pawns(pos, evaluator)
    packed = cached.score
    packed += material(pos, evaluator, WHITE) + piece_squares(pos, evaluator, WHITE)
    packed -= material(pos, evaluator, BLACK) + piece_squares(pos, evaluator, BLACK)
    packed += probe_shelter(pos, evaluator, cached, WHITE)
    packed -= probe_shelter(pos, evaluator, cached, BLACK)
    packed += pieces(pos, evaluator, WHITE)
    packed -= pieces(pos, evaluator, BLACK)
    packed += side_score(pos, evaluator, cached, WHITE)
    packed -= side_score(pos, evaluator, cached, BLACK)
    tempo = weigh(evaluator, pos.side, TEMPO, 1)
    return packed + (tempo if pos.side == WHITE else -tempo)


@entry
def material(pos: Position, evaluator: Classical, us: int) -> int:
    """Packed score of the material of `us`."""
    score = 0
    for kind in range(PAWN, KING):
        score += weigh(evaluator, us, MATERIAL + kind, popcount(pos.pieces[us, kind]))
    return score


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


@kernel
def mirror(pos: Position, colour: int) -> int:
    """What flips a square so that the king of `colour` stands on the files e to h."""
    return 0 if lsb(pos.pieces[colour, KING]) & 4 else 7
