"""Correction histories: the usual error of the static evaluation.

A search ends with a score that the static evaluation should have predicted. The correction
histories average the difference by features that positions share (pawns, minor pieces, major
pieces, each side's pieces), and the search adds it to the evaluation of such positions.
"""

from __future__ import annotations

from engine.board.constants import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK
from engine.board.position import Position
from engine.native.jit import kernel
from engine.scores import MATE_IN_RANGE
from engine.search.state import CORRECTION_SIZE, Worker

GRAIN = 256  # corrections are kept in 1/256 centipawns
LIMIT = 60 * GRAIN  # no feature explains more; fits into the int16 of the tables
FULL_WEIGHT = 256
PAWNS, MINORS, MAJORS, WHITE_PIECES, BLACK_PIECES, FEATURES = range(6)


@kernel
def pieces_key(pos: Position, side: int) -> int:
    keys = pos.kind_keys
    pieces = keys[side, KNIGHT] ^ keys[side, BISHOP] ^ keys[side, ROOK]
    return pieces ^ keys[side, QUEEN] ^ keys[side, KING]


@kernel
def feature_key(pos: Position, feature: int) -> int:
    """Zobrist key of one feature of the position."""
    keys = pos.kind_keys
    if feature == PAWNS:
        return keys[0, PAWN] ^ keys[1, PAWN]
    if feature == MINORS:
        return keys[0, KNIGHT] ^ keys[1, KNIGHT] ^ keys[0, BISHOP] ^ keys[1, BISHOP]
    if feature == MAJORS:
        return keys[0, ROOK] ^ keys[1, ROOK] ^ keys[0, QUEEN] ^ keys[1, QUEEN]
    return pieces_key(pos, feature - WHITE_PIECES)


@kernel
def correction(worker: Worker) -> int:
    """The correction of the static evaluation here, in centipawns.

    Call it before the evaluation, so that the loads overlap with it.
    """
    pos = worker.position
    total = 0
    for feature in range(FEATURES):
        index = feature_key(pos, feature) & (CORRECTION_SIZE - 1)
        total += worker.corrections[feature, pos.side, index]
    return total * worker.params.correction_weight // (100 * GRAIN)


@kernel
def corrected(static_eval: int, learnt: int) -> int:
    """The static evaluation with its correction; never a mate score."""
    return max(1 - MATE_IN_RANGE, min(MATE_IN_RANGE - 1, static_eval + learnt))


@kernel
def learn_correction(worker: Worker, static_eval: int, score: int, depth: int) -> None:
    """Learn that the search found `score`, and the uncorrected evaluation `static_eval`."""
    pos = worker.position
    error = max(-LIMIT, min(LIMIT, (score - static_eval) * GRAIN))
    weight = min(depth + 1, 16)
    for feature in range(FEATURES):
        index = feature_key(pos, feature) & (CORRECTION_SIZE - 1)
        old = worker.corrections[feature, pos.side, index]
        new = (old * (FULL_WEIGHT - weight) + error * weight) // FULL_WEIGHT
        worker.corrections[feature, pos.side, index] = max(-LIMIT, min(LIMIT, new))
