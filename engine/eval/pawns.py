"""Pawn structure: what depends on the pawns alone is cached, passed pawns are finished here too."""

from __future__ import annotations

from engine.board.constants import BLACK, FILE_A, FILE_H, KING, PAWN, RANK_1, WHITE
from engine.board.position import Position
from engine.eval.features import (
    BACKWARD_PAWN,
    DEFENDED_PAWN,
    DOUBLED_PAWN,
    ISOLATED_PAWN,
    PASSED_BLOCKED,
    PASSED_KING_FAR,
    PASSED_KING_NEAR,
    PASSED_PAWN,
    PHALANX_PAWN,
)
from engine.eval.memory import PAWN_ENTRIES, Evaluator, PawnEntry, PawnMasks
from engine.eval.weigh import weigh
from engine.native.bits import bit, lsb, msb, shl, shr, squares
from engine.native.jit import entry, kernel


@kernel
def relative_rank(colour: int, square: int) -> int:
    """0 to 7, seen by `colour`."""
    return (square >> 3) ^ (7 * colour)


@kernel
def pawn_attacks(colour: int, pawns: int) -> int:
    """Squares that a set of pawns attacks."""
    if colour == WHITE:
        return ((pawns & ~FILE_A) << 7) | ((pawns & ~FILE_H) << 9)
    return shr(pawns & ~FILE_A, 9) | shr(pawns & ~FILE_H, 7)


@kernel
def probe_pawns(pos: Position, evaluator: Evaluator) -> PawnEntry:
    """The cached judgement of the pawns, made now if it is not there."""
    key = pos.kind_keys[0, PAWN] ^ pos.kind_keys[1, PAWN]
    cached = evaluator.pawn_entries[key & (PAWN_ENTRIES - 1)]
    if cached.key != key:
        cached.key = key
        cached.passed = 0
        cached.score = structure(pos, evaluator, cached, WHITE)
        cached.score -= structure(pos, evaluator, cached, BLACK)
    return cached


@kernel
def forget_pawns(pos: Position, evaluator: Evaluator) -> None:
    """The next probe judges these pawns anew."""
    key = pos.kind_keys[0, PAWN] ^ pos.kind_keys[1, PAWN]
    evaluator.pawn_entries[key & (PAWN_ENTRIES - 1)].key = ~key


@entry
def structure(pos: Position, evaluator: Evaluator, cached: PawnEntry, us: int) -> int:
    """Packed score of the pawns of `us`; notes its passed pawns in `cached`."""
    masks = evaluator.masks
    ours = pos.pieces[us, PAWN]
    theirs = pos.pieces[us ^ 1, PAWN]
    score = 0
    for square in squares(ours):
        rank = relative_rank(us, square)
        defended = pos.tables.pawn[us ^ 1, square] & ours
        neighbours = masks.adjacent_files[square] & ours
        if masks.front[us, square] & ours:
            score += weigh(evaluator, us, DOUBLED_PAWN, 1)
        elif masks.passed[us, square] & theirs == 0:
            cached.passed |= bit(square)
        if neighbours == 0:
            score += weigh(evaluator, us, ISOLATED_PAWN, 1)
        elif masks.behind[us, square] & ours == 0:
            # Nothing can come to its support: backward if it cannot safely step forward.
            step = square + 8 - 16 * us
            if pos.tables.pawn[us, step] & theirs:
                score += weigh(evaluator, us, BACKWARD_PAWN, 1)
        if defended:
            score += weigh(evaluator, us, DEFENDED_PAWN + rank, 1)
        if shl(RANK_1, square & 56) & pos.tables.king[square] & neighbours:
            score += weigh(evaluator, us, PHALANX_PAWN + rank, 1)
    return score


@kernel
def distance(first: int, second: int) -> int:
    """King moves between two squares."""
    files = abs((first & 7) - (second & 7))
    ranks = abs((first >> 3) - (second >> 3))
    return max(files, ranks)


@entry
def passed_pawns(pos: Position, evaluator: Evaluator, passed: int, us: int) -> int:
    """Packed score of the passed pawns of `us`."""
    our_king = lsb(pos.pieces[us, KING])
    their_king = lsb(pos.pieces[us ^ 1, KING])
    score = 0
    for square in squares(passed & pos.colours[us]):
        rank = relative_rank(us, square)
        step = square + 8 - 16 * us
        score += weigh(evaluator, us, PASSED_PAWN + rank, 1)
        if rank >= 3:
            near = distance(our_king, step)
            far = distance(their_king, step)
            score += weigh(evaluator, us, PASSED_KING_NEAR + near, rank - 2)
            score += weigh(evaluator, us, PASSED_KING_FAR + far, rank - 2)
        if pos.colours[us ^ 1] & bit(step):
            score += weigh(evaluator, us, PASSED_BLOCKED + rank, 1)
    return score


@kernel
def nearest_rank(colour: int, pawns: int) -> int:
    """Rank, seen by `colour`, of the pawn nearest its first rank; 0 if there is none."""
    if pawns == 0:
        return 0
    return relative_rank(colour, lsb(pawns) if colour == WHITE else msb(pawns))


@entry
def fill_masks(masks: PawnMasks) -> None:
    for square in range(64):
        file = shl(FILE_A, square & 7)
        adjacent = shr(file & ~FILE_A, 1) | shl(file & ~FILE_H, 1)
        masks.adjacent_files[square] = adjacent
        for colour in range(2):
            ahead = 0
            for other in range(64):
                if relative_rank(colour, other) > relative_rank(colour, square):
                    ahead |= bit(other)
            masks.front[colour, square] = ahead & file
            masks.passed[colour, square] = ahead & (file | adjacent)
            masks.behind[colour, square] = adjacent & ~ahead
            zone = 0
            for other in range(64):
                ranks = relative_rank(colour, other) - relative_rank(colour, square)
                if abs((other & 7) - (square & 7)) <= 1 and ranks >= -1 and ranks <= 2:
                    zone |= bit(other)
            masks.king_zone[colour, square] = zone
