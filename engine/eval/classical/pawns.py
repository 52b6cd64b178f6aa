"""Pawn structure: depends on the pawns alone, so a cache holds it."""

from __future__ import annotations

from engine.board.constants import BLACK, FILE_A, FILE_H, PAWN, RANK_1, WHITE
from engine.board.geometry import relative_rank
from engine.board.position import Position
from engine.eval.classical.features import (
    BACKWARD_PAWN,
    CANDIDATE_PAWN,
    DEFENDED_PAWN,
    DOUBLED_PAWN,
    ISOLATED_PAWN,
    MAJORITY,
    PAWN_ISLAND,
    PHALANX_PAWN,
)
from engine.eval.classical.memory import (
    NO_KING,
    PAWN_ENTRIES,
    Classical,
    PawnEntry,
    PawnMasks,
)
from engine.eval.classical.scores import weigh
from engine.native.bits import bit, popcount, shl, shr, squares
from engine.native.jit import entry, kernel

QUEEN_SIDE = FILE_A | FILE_A << 1 | FILE_A << 2 | FILE_A << 3


@kernel
def probe_pawns(pos: Position, evaluator: Classical) -> PawnEntry:
    """The cached score of the pawns; computes it if missing."""
    key = pos.kind_keys[0, PAWN] ^ pos.kind_keys[1, PAWN]
    cached = evaluator.pawn_entries[key & (PAWN_ENTRIES - 1)]
    if cached.key != key:
        cached.key = key
        cached.passed = 0
        cached.score = structure(pos, evaluator, cached, WHITE)
        cached.score -= structure(pos, evaluator, cached, BLACK)
        cached.king[WHITE] = NO_KING
        cached.king[BLACK] = NO_KING
    return cached


@kernel
def forget_pawns(pos: Position, evaluator: Classical) -> None:
    """Make the next probe compute these pawns again."""
    key = pos.kind_keys[0, PAWN] ^ pos.kind_keys[1, PAWN]
    evaluator.pawn_entries[key & (PAWN_ENTRIES - 1)].key = ~key


@entry
def structure(pos: Position, evaluator: Classical, cached: PawnEntry, us: int) -> int:
    """Packed score of the pawns of `us`; records its passed pawns in `cached`."""
    ours = pos.pieces[us, PAWN]
    theirs = pos.pieces[us ^ 1, PAWN]
    score = 0
    for square in squares(ours):
        score += pawn(pos, evaluator, us, square)
        if is_passed(pos, evaluator, us, square):
            cached.passed |= bit(square)
    for wing in range(2):
        side = shl(QUEEN_SIDE, 4 * wing)
        if popcount(ours & side) > popcount(theirs & side):
            score += weigh(evaluator, us, MAJORITY, 1)
    return score + weigh(evaluator, us, PAWN_ISLAND, islands(ours))


@kernel
def is_passed(pos: Position, evaluator: Classical, us: int, square: int) -> bool:
    """Neither an enemy pawn that could stop it ahead, nor one of its own on its file."""
    own_ahead = evaluator.masks.front[us, square] & pos.pieces[us, PAWN]
    return own_ahead | (evaluator.masks.passed[us, square] & pos.pieces[us ^ 1, PAWN]) == 0


@kernel
def pawn(pos: Position, evaluator: Classical, us: int, square: int) -> int:
    """Packed score of one pawn."""
    masks = evaluator.masks
    ours = pos.pieces[us, PAWN]
    theirs = pos.pieces[us ^ 1, PAWN]
    rank = relative_rank(us, square)
    neighbours = masks.adjacent_files[square] & ours
    opposed = 1 if masks.front[us, square] & theirs else 0
    phalanx = popcount(neighbours & shl(RANK_1, square & 56))
    score = 0
    if masks.front[us, square] & ours:
        score += weigh(evaluator, us, DOUBLED_PAWN, 1)
    if neighbours == 0:
        score += weigh(evaluator, us, ISOLATED_PAWN + opposed, 1)
    elif masks.behind[us, square] & ours == 0:
        # Nothing can come to its support: backward if it cannot safely step forward.
        step = square + 8 - 16 * us
        if (pos.tables.pawn[us, step] | bit(step)) & theirs:
            score += weigh(evaluator, us, BACKWARD_PAWN + opposed, 1)
    if pos.tables.pawn[us ^ 1, square] & ours:
        score += weigh(evaluator, us, DEFENDED_PAWN + rank, 1)
    if phalanx:
        score += weigh(evaluator, us, PHALANX_PAWN + rank, 1)
    guards = popcount(masks.passed[us, square] & theirs)
    if opposed == 0 and guards and popcount(masks.behind[us, square] & ours) >= guards:
        score += weigh(evaluator, us, CANDIDATE_PAWN + rank, 1)
    return score


@kernel
def islands(pawns: int) -> int:
    """Groups of neighbouring files with pawns."""
    files = pawns | shr(pawns, 32)
    files |= shr(files, 16)
    files = (files | shr(files, 8)) & RANK_1
    return popcount(files & ~shl(files, 1))


@entry
def fill_masks(masks: PawnMasks) -> None:
    for square in range(64):
        file = shl(FILE_A, square & 7)
        adjacent = shr(file & ~FILE_A, 1) | shl(file & ~FILE_H, 1)
        masks.adjacent_files[square] = adjacent
        for colour in range(2):
            ahead = 0
            camp = 0
            for other in range(64):
                if relative_rank(colour, other) > relative_rank(colour, square):
                    ahead |= bit(other)
                if relative_rank(colour, other) < 5:
                    camp |= bit(other)
            masks.front[colour, square] = ahead & file
            masks.passed[colour, square] = ahead & (file | adjacent)
            masks.behind[colour, square] = adjacent & ~ahead
            zone = 0
            flank = 0
            centre = max(1, min(6, square & 7))
            for other in range(64):
                ranks = relative_rank(colour, other) - relative_rank(colour, square)
                if abs((other & 7) - (square & 7)) <= 1 and ranks >= -1 and ranks <= 2:
                    zone |= bit(other)
                if abs((other & 7) - centre) <= 1:
                    flank |= bit(other)
            masks.king_zone[colour, square] = zone
            masks.king_flank[colour, square] = flank & camp
            masks.king_files[square & 7] = flank
