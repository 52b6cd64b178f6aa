"""King safety: the pawns before the king, and the pieces that attack it."""

from __future__ import annotations

from engine.board.attacks import bishop_attacks, lone_blockers, rook_attacks
from engine.board.constants import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK
from engine.board.geometry import relative_rank
from engine.board.position import Position
from engine.eval.classical.features import (
    KING_ATTACKERS,
    KING_FLANK_ATTACK,
    KING_FLANK_DEFENCE,
    KING_KNIGHT,
    KING_NO_QUEEN,
    KING_PINNED,
    KING_SHELTER,
    KING_STORM,
    KING_WEAK_SQUARE,
    PAWNLESS_FLANK,
    SAFE_CHECK,
    SAFE_CHECKS,
    SHELTER,
    STORM,
    STORM_BLOCKED,
    UNSAFE_CHECK,
)
from engine.eval.classical.memory import Classical, PawnEntry
from engine.eval.classical.scores import endgame, make_score, middlegame, weigh
from engine.native.bits import bit, lsb, msb, popcount, shl
from engine.native.jit import entry, kernel

ATTACK_DIVISOR_MG = 512
ATTACK_DIVISOR_EG = 16


@kernel
def attack_score(danger: int) -> int:
    """Packed score of an attack on the king: attackers together are worth more than alone."""
    early = max(0, middlegame(danger))
    late = max(0, endgame(danger))
    return make_score(early * early // ATTACK_DIVISOR_MG, late // ATTACK_DIVISOR_EG)


# --- Shelter and storm -------------------------------------------------------------------------


@kernel
def nearest_rank(colour: int, pawns: int) -> int:
    """Rank, seen by `colour`, of the pawn nearest its first rank; 0 if there is none."""
    if pawns == 0:
        return 0
    return relative_rank(colour, lsb(pawns) if colour == 0 else msb(pawns))


@kernel
def probe_shelter(pos: Position, evaluator: Classical, cached: PawnEntry, us: int) -> int:
    """The shelter of the king of `us`, from the cache if the king has not moved."""
    king = lsb(pos.pieces[us, KING])
    if cached.king[us] != king:
        cached.king[us] = king
        cached.shelter[us] = shelter(pos, evaluator, us)
        cached.shelter_danger[us] = shelter_danger(pos, evaluator, us)
    return cached.shelter[us]


@entry
def shelter(pos: Position, evaluator: Classical, us: int) -> int:
    """Packed score of the pawns on the three files around the king of `us`."""
    king = lsb(pos.pieces[us, KING])
    centre = max(1, min(6, king & 7))
    score = 0
    for file in range(centre - 1, centre + 2):
        edge = min(file, 7 - file)
        own = shelter_rank(pos, evaluator, us, king, file)
        enemy = storm_rank(pos, evaluator, us, king, file)
        score += weigh(evaluator, us, SHELTER + 8 * edge + own, 1)
        if own and enemy == own + 1:
            score += weigh(evaluator, us, STORM_BLOCKED + enemy, 1)
        else:
            score += weigh(evaluator, us, STORM + 8 * edge + enemy, 1)
    if evaluator.masks.king_files[king & 7] & (pos.pieces[0, PAWN] | pos.pieces[1, PAWN]) == 0:
        score += weigh(evaluator, us, PAWNLESS_FLANK, 1)
    return score


@entry
def shelter_danger(pos: Position, evaluator: Classical, us: int) -> int:
    """Packed danger for the king of `us` from the same pawns."""
    king = lsb(pos.pieces[us, KING])
    centre = max(1, min(6, king & 7))
    danger = 0
    for file in range(centre - 1, centre + 2):
        own = shelter_rank(pos, evaluator, us, king, file)
        enemy = storm_rank(pos, evaluator, us, king, file)
        danger += weigh(evaluator, us ^ 1, KING_SHELTER + own, 1)
        danger += weigh(evaluator, us ^ 1, KING_STORM + enemy, 1)
    return danger


@kernel
def shelter_rank(pos: Position, evaluator: Classical, us: int, king: int, file: int) -> int:
    """Rank of the nearest own pawn on a file, beside or before the king."""
    beside = (king & 56) | file
    ahead = evaluator.masks.front[us, beside] | shl(1, beside)
    return nearest_rank(us, ahead & pos.pieces[us, PAWN])


@kernel
def storm_rank(pos: Position, evaluator: Classical, us: int, king: int, file: int) -> int:
    """Rank, seen by `us`, of the nearest enemy pawn on a file, beside or before the king."""
    beside = (king & 56) | file
    ahead = evaluator.masks.front[us, beside] | shl(1, beside)
    return nearest_rank(us, ahead & pos.pieces[us ^ 1, PAWN])


# --- The attack --------------------------------------------------------------------------------


@entry
def king_attack(pos: Position, evaluator: Classical, cached: PawnEntry, us: int) -> int:
    """Packed score of the attack of `us` on the other king. After `pieces` and `probe_shelter`."""
    attacks = evaluator.attacks
    them = us ^ 1
    king = lsb(pos.pieces[them, KING])
    # Squares that only their king or queen defends, if anybody, and not two pieces.
    feeble = ~attacks.all[them] | attacks.by_kind[them, KING] | attacks.by_kind[them, QUEEN]
    weak = attacks.all[us] & ~attacks.twice[them] & feeble
    flank = evaluator.masks.king_flank[them, king]
    danger = attacks.danger[us] + cached.shelter_danger[them]
    danger += weigh(evaluator, us, KING_ATTACKERS + min(5, attacks.attackers[us]), 1)
    near = popcount(weak & attacks.king_zone[them])
    danger += weigh(evaluator, us, KING_WEAK_SQUARE, near)
    once = popcount(flank & attacks.all[us])
    twice = popcount(flank & attacks.twice[us])
    held = popcount(flank & attacks.all[them])
    danger += weigh(evaluator, us, KING_FLANK_ATTACK, once)
    danger += weigh(evaluator, us, KING_FLANK_ATTACK + 1, twice)
    danger += weigh(evaluator, us, KING_FLANK_DEFENCE, held)
    danger += weigh(evaluator, us, KING_PINNED, popcount(lone_blockers(pos, them)))
    if attacks.by_kind[them, KNIGHT] & (attacks.by_kind[them, KING] | bit(king)):
        danger += weigh(evaluator, us, KING_KNIGHT, 1)
    if pos.pieces[us, QUEEN] == 0:
        danger += weigh(evaluator, us, KING_NO_QUEEN, 1)
    safe = ~pos.colours[us] & (~attacks.all[them] | (weak & attacks.twice[us]))
    return attack_score(danger + checks(pos, evaluator, us, king, safe))


@kernel
def checks(pos: Position, evaluator: Classical, us: int, king: int, safe: int) -> int:
    """Packed danger of the checks that `us` could give; `safe`: squares to give them from."""
    in_the_way = pos.occupied & ~pos.pieces[us ^ 1, QUEEN]
    straight = rook_attacks(pos.tables, king, in_the_way)
    diagonal = bishop_attacks(pos.tables, king, in_the_way)
    danger = check(pos, evaluator, us, KNIGHT, pos.tables.knight[king], safe)
    danger += check(pos, evaluator, us, BISHOP, diagonal, safe)
    danger += check(pos, evaluator, us, ROOK, straight, safe)
    return danger + check(pos, evaluator, us, QUEEN, straight | diagonal, safe)


@kernel
def check(pos: Position, evaluator: Classical, us: int, kind: int, lines: int, safe: int) -> int:
    """Packed danger of the checks by one kind of piece; `lines`: where it would attack the king."""
    places = lines & evaluator.attacks.by_kind[us, kind] & ~pos.colours[us]
    number = popcount(places & safe)
    danger = weigh(evaluator, us, UNSAFE_CHECK + kind, popcount(places & ~safe))
    if number > 0:
        danger += weigh(evaluator, us, SAFE_CHECK + kind, 1)
    if number > 1:
        danger += weigh(evaluator, us, SAFE_CHECKS + kind, 1)
    return danger
