"""Knights, bishops, rooks and queens: mobility and squares."""

from __future__ import annotations

from engine.board.attacks import bishop_attacks, rook_attacks
from engine.board.constants import (
    BISHOP,
    DARK_SQUARES,
    KING,
    KNIGHT,
    PAWN,
    QUEEN,
    RANK_2,
    RANK_7,
    ROOK,
    WHITE,
)
from engine.board.geometry import distance, relative_rank
from engine.board.position import Position
from engine.eval.classical.attack_map import add_attacks, forward
from engine.eval.classical.features import (
    BISHOP_AIMED_PAWNS,
    BISHOP_BLOCKED_PAWNS,
    BISHOP_LONG_DIAGONAL,
    BISHOP_MOBILITY,
    BISHOP_OUTPOST,
    BISHOP_PAIR,
    BISHOP_PAWNS,
    KING_ATTACK,
    KING_ATTACKER,
    KNIGHT_MOBILITY,
    KNIGHT_NEAR_OUTPOST,
    KNIGHT_OUTPOST,
    KNIGHT_PAWNS,
    MINOR_BEHIND_PAWN,
    MINOR_KING_DISTANCE,
    QUEEN_INFILTRATION,
    QUEEN_MOBILITY,
    ROOK_HALF_OPEN_FILE,
    ROOK_MOBILITY,
    ROOK_ON_SEVENTH,
    ROOK_OPEN_FILE,
    ROOK_PAWNS,
    ROOK_TRAPPED,
)
from engine.eval.classical.memory import Classical
from engine.eval.classical.scores import weigh
from engine.native.bits import bit, lsb, popcount, squares
from engine.native.jit import entry, kernel

CENTRE = 0x0000001818000000


@kernel
def activity(evaluator: Classical, us: int, kind: int, attacks: int, mobility: int) -> int:
    """Packed score of the mobility of one piece; `mobility`: index of the weight for no square.

    Adds its attacks to the map for later terms, and its part in the attack on the enemy's king.
    """
    add_attacks(evaluator, us, kind, attacks)
    attack_map = evaluator.attacks
    them = us ^ 1
    if attacks & attack_map.king_zone[them]:
        near_king = popcount(attacks & attack_map.by_kind[them, KING])
        danger = weigh(evaluator, us, KING_ATTACKER + kind, 1)
        danger += weigh(evaluator, us, KING_ATTACK + kind, near_king)
        attack_map.danger[us] += danger
        attack_map.attackers[us] += 1
    return weigh(evaluator, us, mobility + popcount(attacks & attack_map.mobility_area[us]), 1)


@kernel
def minor_piece(pos: Position, evaluator: Classical, us: int, kind: int, square: int) -> int:
    """Packed score of the terms that knights and bishops share."""
    number = kind - KNIGHT
    score = 0
    if evaluator.attacks.outposts[us] & bit(square):
        defended = 1 if evaluator.attacks.by_kind[us, PAWN] & bit(square) else 0
        outpost = KNIGHT_OUTPOST if kind == KNIGHT else BISHOP_OUTPOST
        score += weigh(evaluator, us, outpost + defended, 1)
    if forward(us, bit(square)) & (pos.pieces[0, PAWN] | pos.pieces[1, PAWN]):
        score += weigh(evaluator, us, MINOR_BEHIND_PAWN + number, 1)
    far = distance(square, lsb(pos.pieces[us, KING]))
    return score + weigh(evaluator, us, MINOR_KING_DISTANCE + number, far)


@kernel
def knights(pos: Position, evaluator: Classical, us: int) -> int:
    """Packed score."""
    held = evaluator.attacks.by_kind[us, PAWN] & ~pos.colours[us]
    score = 0
    for square in squares(pos.pieces[us, KNIGHT]):
        attacks = pos.tables.knight[square]
        score += activity(evaluator, us, KNIGHT, attacks, KNIGHT_MOBILITY)
        score += minor_piece(pos, evaluator, us, KNIGHT, square)
        if attacks & evaluator.attacks.outposts[us] & held:
            score += weigh(evaluator, us, KNIGHT_NEAR_OUTPOST, 1)
        score += weigh(evaluator, us, KNIGHT_PAWNS, popcount(pos.pieces[us, PAWN]) - 5)
    return score


@kernel
def bishops(pos: Position, evaluator: Classical, us: int) -> int:
    """Packed score. Bishops see through their own queens."""
    own_pawns = pos.pieces[us, PAWN]
    pawns = own_pawns | pos.pieces[us ^ 1, PAWN]
    blocked = own_pawns & forward(us ^ 1, pos.occupied)
    score = 0
    for square in squares(pos.pieces[us, BISHOP]):
        attacks = bishop_attacks(pos.tables, square, pos.occupied & ~pos.pieces[us, QUEEN])
        score += activity(evaluator, us, BISHOP, attacks, BISHOP_MOBILITY)
        score += minor_piece(pos, evaluator, us, BISHOP, square)
        same_colour = DARK_SQUARES if bit(square) & DARK_SQUARES else ~DARK_SQUARES
        score += weigh(evaluator, us, BISHOP_PAWNS, popcount(own_pawns & same_colour))
        score += weigh(evaluator, us, BISHOP_BLOCKED_PAWNS, popcount(blocked & same_colour))
        diagonals = pos.tables.diagonal[square] | pos.tables.antidiagonal[square]
        aimed = popcount(diagonals & pos.pieces[us ^ 1, PAWN])
        score += weigh(evaluator, us, BISHOP_AIMED_PAWNS, aimed)
        seen = bishop_attacks(pos.tables, square, pawns) | bit(square)
        if popcount(seen & CENTRE) > 1:
            score += weigh(evaluator, us, BISHOP_LONG_DIAGONAL, 1)
    if popcount(pos.pieces[us, BISHOP]) >= 2:
        score += weigh(evaluator, us, BISHOP_PAIR, 1)
    return score


@kernel
def rooks(pos: Position, evaluator: Classical, us: int) -> int:
    """Packed score. Rooks see through their own queens and rooks."""
    them = us ^ 1
    own_pawns = pos.pieces[us, PAWN]
    in_the_way = pos.occupied & ~(pos.pieces[us, QUEEN] | pos.pieces[us, ROOK])
    score = 0
    for square in squares(pos.pieces[us, ROOK]):
        attacks = rook_attacks(pos.tables, square, in_the_way)
        score += activity(evaluator, us, ROOK, attacks, ROOK_MOBILITY)
        score += weigh(evaluator, us, ROOK_PAWNS, popcount(own_pawns) - 5)
        file = pos.tables.file[square]
        if file & own_pawns == 0:
            if file & pos.pieces[them, PAWN] == 0:
                score += weigh(evaluator, us, ROOK_OPEN_FILE, 1)
            else:
                score += weigh(evaluator, us, ROOK_HALF_OPEN_FILE, 1)
        elif popcount(attacks & evaluator.attacks.mobility_area[us]) <= 3:
            king_file = lsb(pos.pieces[us, KING]) & 7
            if (king_file < 4) == (square & 7 < king_file):  # between its king and the edge
                score += weigh(evaluator, us, ROOK_TRAPPED, 1)
        if relative_rank(us, square) == 6:
            seventh = RANK_7 if us == WHITE else RANK_2
            king_behind = relative_rank(us, lsb(pos.pieces[them, KING])) == 7
            if king_behind or seventh & pos.pieces[them, PAWN]:
                score += weigh(evaluator, us, ROOK_ON_SEVENTH, 1)
    return score


@kernel
def queens(pos: Position, evaluator: Classical, us: int) -> int:
    """Packed score."""
    score = 0
    for square in squares(pos.pieces[us, QUEEN]):
        attacks = bishop_attacks(pos.tables, square, pos.occupied)
        attacks |= rook_attacks(pos.tables, square, pos.occupied)
        score += activity(evaluator, us, QUEEN, attacks, QUEEN_MOBILITY)
        ahead = evaluator.masks.passed[us, square] & evaluator.masks.adjacent_files[square]
        if relative_rank(us, square) > 3 and ahead & pos.pieces[us ^ 1, PAWN] == 0:
            score += weigh(evaluator, us, QUEEN_INFILTRATION, 1)
    return score


@entry
def pieces(pos: Position, evaluator: Classical, us: int) -> int:
    """Packed score of the pieces of `us` but its king; completes its attack map."""
    evaluator.attacks.danger[us] = 0
    evaluator.attacks.attackers[us] = 0
    score = knights(pos, evaluator, us) + bishops(pos, evaluator, us)
    return score + rooks(pos, evaluator, us) + queens(pos, evaluator, us)
