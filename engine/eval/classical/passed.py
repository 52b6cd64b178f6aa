"""Passed pawns: how far they are, and which pieces support or stop them."""

from __future__ import annotations

from engine.board.constants import BISHOP, KING, KNIGHT, QUEEN, ROOK
from engine.board.geometry import distance, relative_rank
from engine.board.position import Position
from engine.eval.classical.features import (
    PASSED_BLOCKED,
    PASSED_CONNECTED,
    PASSED_FILE,
    PASSED_FREE_PATH,
    PASSED_HELPED_STEP,
    PASSED_KING_FAR,
    PASSED_KING_NEAR,
    PASSED_PAWN,
    PASSED_ROOK_BEHIND,
    PASSED_SAFE_STEP,
    PASSED_UNSTOPPABLE,
)
from engine.eval.classical.memory import Classical
from engine.eval.classical.scores import weigh
from engine.native.bits import bit, lsb, squares
from engine.native.jit import entry, kernel


@entry
def passed_pawns(pos: Position, evaluator: Classical, passed: int, us: int) -> int:
    """Packed score of the passed pawns of `us`; `passed`: those of both sides."""
    ours = passed & pos.colours[us]
    score = 0
    for square in squares(ours):
        rank = relative_rank(us, square)
        edge = min(square & 7, 7 - (square & 7))
        score += weigh(evaluator, us, PASSED_PAWN + rank, 1)
        score += weigh(evaluator, us, PASSED_FILE + edge, 1)
        if (pos.tables.king[square] | pos.tables.pawn[us ^ 1, square]) & ours:
            score += weigh(evaluator, us, PASSED_CONNECTED + rank, 1)
        if rank >= 3:
            score += kings_and_pawn(pos, evaluator, us, square, rank)
            score += way_ahead(pos, evaluator, us, square, rank)
    return score


@kernel
def kings_and_pawn(pos: Position, evaluator: Classical, us: int, square: int, rank: int) -> int:
    """Packed score of the kings' distances, which count more the further the pawn is."""
    pieces = pos.pieces
    them = us ^ 1
    step = square + 8 - 16 * us
    near = distance(lsb(pieces[us, KING]), step)
    far = distance(lsb(pieces[them, KING]), step)
    score = weigh(evaluator, us, PASSED_KING_NEAR + near, rank - 2)
    score += weigh(evaluator, us, PASSED_KING_FAR + far, rank - 2)
    if pieces[them, KNIGHT] | pieces[them, BISHOP] | pieces[them, ROOK] | pieces[them, QUEEN] == 0:
        # The square rule
        corner = (square & 7) + 56 * (us ^ 1)
        moves = distance(lsb(pieces[them, KING]), corner) - (1 if pos.side == them else 0)
        if moves > 7 - rank and evaluator.masks.front[us, square] & pos.occupied == 0:
            score += weigh(evaluator, us, PASSED_UNSTOPPABLE, 1)
    return score


@kernel
def way_ahead(pos: Position, evaluator: Classical, us: int, square: int, rank: int) -> int:
    """Packed score of the squares ahead: occupied, attacked, defended."""
    them = us ^ 1
    step = bit(square + 8 - 16 * us)
    path = evaluator.masks.front[us, square]
    behind = evaluator.masks.front[them, square]
    hostile = evaluator.attacks.all[them]
    score = 0
    if pos.colours[them] & step:
        score += weigh(evaluator, us, PASSED_BLOCKED + rank, 1)
    elif (pos.occupied | hostile) & step == 0:
        score += weigh(evaluator, us, PASSED_SAFE_STEP + rank, 1)
    if evaluator.attacks.all[us] & step:
        score += weigh(evaluator, us, PASSED_HELPED_STEP + rank, 1)
    if (pos.colours[them] | hostile) & path == 0:
        score += weigh(evaluator, us, PASSED_FREE_PATH + rank, 1)
    if behind & pos.pieces[us, ROOK]:
        score += weigh(evaluator, us, PASSED_ROOK_BEHIND, 1)
    if behind & pos.pieces[them, ROOK]:
        score += weigh(evaluator, us, PASSED_ROOK_BEHIND + 1, 1)
    return score
