"""Attack maps: computed once for an evaluation, then read by all terms."""

from __future__ import annotations

from engine.board.attacks import east_captures, west_captures
from engine.board.constants import (
    BLACK,
    KING,
    PAWN,
    RANK_1,
    RANK_2,
    RANK_3,
    RANK_6,
    RANK_7,
    WHITE,
)
from engine.board.position import Position
from engine.eval.classical.memory import Classical
from engine.native.bits import lsb, shl, shr
from engine.native.jit import entry, kernel


@kernel
def forward(colour: int, squares: int) -> int:
    """A set of squares, one step ahead."""
    return shl(squares, 8) if colour == WHITE else shr(squares, 8)


@entry
def prepare_attacks(pos: Position, evaluator: Classical) -> None:
    """Attacks of pawns and kings, and the maps that follow from them alone."""
    begin_attacks(pos, evaluator, WHITE)
    begin_attacks(pos, evaluator, BLACK)
    evaluator.attacks.outposts[WHITE] = outposts(WHITE, evaluator.attacks.by_kind[BLACK, PAWN])
    evaluator.attacks.outposts[BLACK] = outposts(BLACK, evaluator.attacks.by_kind[WHITE, PAWN])
    evaluator.attacks.mobility_area[WHITE] = mobility_area(pos, evaluator, WHITE)
    evaluator.attacks.mobility_area[BLACK] = mobility_area(pos, evaluator, BLACK)


@kernel
def begin_attacks(pos: Position, evaluator: Classical, us: int) -> None:
    attacks = evaluator.attacks
    pawns = pos.pieces[us, PAWN]
    king = lsb(pos.pieces[us, KING])
    west = west_captures(us, pawns)
    east = east_captures(us, pawns)
    beside_king = pos.tables.king[king]
    attacks.by_kind[us, PAWN] = west | east
    attacks.by_kind[us, KING] = beside_king
    for kind in range(PAWN + 1, KING):
        attacks.by_kind[us, kind] = 0
    attacks.all[us] = west | east | beside_king
    attacks.twice[us] = (west & east) | ((west | east) & beside_king)
    attacks.king_zone[us] = evaluator.masks.king_zone[us, king] & ~(west & east)


@kernel
def outposts(us: int, enemy_attacks: int) -> int:
    """Squares of the fourth to sixth rank that enemy pawns do not attack and never will."""
    them = us ^ 1
    span = enemy_attacks | forward(them, enemy_attacks)
    span |= forward(them, forward(them, span))
    span |= forward(them, forward(them, forward(them, forward(them, span))))
    ranks = RANK_1 << 24 | RANK_1 << 32 | (RANK_6 if us == WHITE else RANK_3)
    return ranks & ~span


@kernel
def mobility_area(pos: Position, evaluator: Classical, us: int) -> int:
    """Squares that count for mobility: without the king's, those of blocked and unmoved pawns, and
    those that enemy pawns attack."""
    low_ranks = RANK_2 | RANK_3 if us == WHITE else RANK_6 | RANK_7
    fixed = pos.pieces[us, PAWN] & (low_ranks | forward(us ^ 1, pos.occupied))
    return ~(fixed | pos.pieces[us, KING] | evaluator.attacks.by_kind[us ^ 1, PAWN])


@kernel
def add_attacks(evaluator: Classical, us: int, kind: int, squares: int) -> None:
    """Add what one piece attacks."""
    attacks = evaluator.attacks
    attacks.by_kind[us, kind] |= squares
    attacks.twice[us] |= attacks.all[us] & squares
    attacks.all[us] |= squares
