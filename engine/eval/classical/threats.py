"""Threats to enemy pieces, restricted squares, and space behind the pawns."""

from __future__ import annotations

from engine.board.attacks import bishop_attacks, pawn_attacks, rook_attacks
from engine.board.constants import (
    BISHOP,
    FILE_A,
    KING,
    KNIGHT,
    PAWN,
    QUEEN,
    RANK_1,
    RANK_3,
    RANK_6,
    ROOK,
    WHITE,
)
from engine.board.position import Position
from engine.eval.classical.attack_map import forward
from engine.eval.classical.features import (
    HANGING,
    QUEEN_HUNTED,
    RESTRICTED,
    SPACE,
    THREAT_BY_KING,
    THREAT_BY_MINOR,
    THREAT_BY_PAWN,
    THREAT_BY_PUSH,
    THREAT_BY_ROOK,
)
from engine.eval.classical.memory import Classical
from engine.eval.classical.scores import weigh
from engine.native.bits import lsb, popcount, shl
from engine.native.jit import entry, kernel

CENTRAL_FILES = FILE_A << 2 | FILE_A << 3 | FILE_A << 4 | FILE_A << 5
SPACE_RANKS = RANK_1 << 8 | RANK_1 << 16 | RANK_1 << 24  # 2 to 4


@entry
def threats(pos: Position, evaluator: Classical, us: int) -> int:
    """Packed score. After the attack maps of both sides are complete."""
    attacks = evaluator.attacks
    them = us ^ 1
    theirs = pos.colours[them]
    non_pawns = theirs & ~pos.pieces[them, PAWN]
    ours = attacks.all[us]
    # What a pawn defends, or more pieces than attack it, does not fear its like.
    held = attacks.by_kind[them, PAWN] | (attacks.twice[them] & ~attacks.twice[us])
    weak = theirs & ~held & ours
    by_minors = attacks.by_kind[us, KNIGHT] | attacks.by_kind[us, BISHOP]
    score = 0
    for kind in range(PAWN, KING):
        victims = pos.pieces[them, kind]
        minor_victims = victims & by_minors & (weak | non_pawns)
        score += weigh(evaluator, us, THREAT_BY_MINOR + kind, popcount(minor_victims))
        rook_victims = victims & weak & attacks.by_kind[us, ROOK]
        score += weigh(evaluator, us, THREAT_BY_ROOK + kind, popcount(rook_victims))
    king_victims = popcount(weak & attacks.by_kind[us, KING])
    score += weigh(evaluator, us, THREAT_BY_KING, king_victims)
    hanging = weak & (~attacks.all[them] | (non_pawns & attacks.twice[us]))
    score += weigh(evaluator, us, HANGING, popcount(hanging))
    restricted = popcount(attacks.all[them] & ~held & ours)
    score += weigh(evaluator, us, RESTRICTED, restricted)
    score += pawn_threats(pos, evaluator, us)
    if popcount(pos.pieces[them, QUEEN]) == 1:
        score += queen_hunt(pos, evaluator, us, ~held)
    return score


@kernel
def pawn_threats(pos: Position, evaluator: Classical, us: int) -> int:
    """Packed score of attacks by pawns that are safe, now or after a step."""
    attacks = evaluator.attacks
    them = us ^ 1
    pawns = pos.pieces[us, PAWN]
    safe = ~attacks.all[them] | attacks.all[us]
    attacked = pawn_attacks(us, pawns & safe)
    score = 0
    for kind in range(KNIGHT, KING):
        victims = popcount(attacked & pos.pieces[them, kind])
        score += weigh(evaluator, us, THREAT_BY_PAWN + kind, victims)
    empty = ~pos.occupied
    third = RANK_3 if us == WHITE else RANK_6
    steps = forward(us, pawns) & empty
    steps |= forward(us, steps & third) & empty
    steps &= safe & ~attacks.by_kind[them, PAWN]
    pieces = pos.colours[them] & ~pos.pieces[them, PAWN] & ~pos.pieces[them, KING]
    pushed = popcount(pawn_attacks(us, steps) & pieces & ~attacked)
    return score + weigh(evaluator, us, THREAT_BY_PUSH, pushed)


@kernel
def queen_hunt(pos: Position, evaluator: Classical, us: int, open_squares: int) -> int:
    """Packed score of squares from which the enemy queen could be attacked next."""
    attacks = evaluator.attacks
    queen = lsb(pos.pieces[us ^ 1, QUEEN])
    safe = evaluator.attacks.mobility_area[us] & open_squares
    by_knight = popcount(pos.tables.knight[queen] & attacks.by_kind[us, KNIGHT] & safe)
    diagonal = bishop_attacks(pos.tables, queen, pos.occupied) & attacks.by_kind[us, BISHOP]
    straight = rook_attacks(pos.tables, queen, pos.occupied) & attacks.by_kind[us, ROOK]
    by_slider = popcount((diagonal | straight) & safe & attacks.twice[us])
    score = weigh(evaluator, us, QUEEN_HUNTED, by_knight)
    return score + weigh(evaluator, us, QUEEN_HUNTED + 1, by_slider)


@entry
def space(pos: Position, evaluator: Classical, us: int) -> int:
    """Packed score of safe central squares in the own camp, twice if behind a pawn; they are worth
    more the more pieces there are to use them."""
    pawns = pos.pieces[us, PAWN]
    camp = SPACE_RANKS if us == WHITE else shl(SPACE_RANKS, 24)
    safe = CENTRAL_FILES & camp & ~pawns & ~evaluator.attacks.by_kind[us ^ 1, PAWN]
    behind = forward(us ^ 1, pawns)
    behind |= forward(us ^ 1, behind)
    behind |= forward(us ^ 1, forward(us ^ 1, behind))
    room = popcount(safe) + popcount(safe & behind & ~evaluator.attacks.all[us ^ 1])
    return weigh(evaluator, us, SPACE, room * popcount(pos.colours[us]) // 16)
