"""Legal moves, in two halves: noisy (captures, promotions to a queen) and quiet (the rest).

The generator produces legal moves only: a check leaves only the squares between (or the checker),
a pinned piece only its line, and the king only squares that are not attacked.
"""

from __future__ import annotations

from engine.board.attacks import attacked, bishop_attacks, pinned, rook_attacks
from engine.board.checks import CheckSquares
from engine.board.constants import (
    BISHOP,
    FILE_A,
    FILE_H,
    KING,
    KNIGHT,
    NO_SQUARE,
    PAWN,
    QUEEN,
    RANK_1,
    RANK_3,
    RANK_6,
    RANK_8,
    ROOK,
    WHITE,
)
from engine.board.makemove import en_passant_safe
from engine.board.move import (
    CAPTURE,
    CASTLING,
    DOUBLE_PUSH,
    EN_PASSANT,
    castled_king,
    castled_rook,
    promotion_flag,
)
from engine.board.position import MoveLists, Position
from engine.native.bits import bit, lsb, shr, squares
from engine.native.jit import entry, kernel

NOISY, QUIET, ALL = 1, 2, 3  # which moves to generate


@entry
def generate(pos: Position, lists: MoveLists, ply: int, count: int, which: int) -> int:
    """Append legal moves to `lists.moves[ply]` from index `count` on; return the new count."""
    tables = pos.tables
    us = pos.side
    them = us ^ 1
    king = lsb(pos.pieces[us, KING])
    occupied = pos.occupied
    checkers = pos.snapshots[pos.ply].checkers
    enemies = pos.colours[them] if which & NOISY else 0
    free = ~occupied if which & QUIET else 0

    for to in squares(tables.king[king] & enemies):
        if not attacked(pos, to, them, occupied ^ bit(king)):
            lists.moves[ply, count] = king | to << 6 | CAPTURE
            count += 1
    for to in squares(tables.king[king] & free):
        if not attacked(pos, to, them, occupied ^ bit(king)):
            lists.moves[ply, count] = king | to << 6
            count += 1
    if checkers & (checkers - 1):
        return count  # double check

    shields = pinned(pos)
    target = -1
    if checkers:
        target = tables.between[king, lsb(checkers)] | checkers
    elif which & QUIET:
        count = castling_moves(pos, lists, ply, count)
    count = pawn_moves(pos, lists, ply, count, which, target, shields)

    enemies &= target
    free &= target
    queens = pos.pieces[us, QUEEN]
    for start in squares(pos.pieces[us, KNIGHT] & ~shields):
        attacks = tables.knight[start]
        count = add_moves(lists, ply, count, start | CAPTURE, attacks & enemies)
        count = add_moves(lists, ply, count, start, attacks & free)
    for start in squares(pos.pieces[us, BISHOP] | queens):
        attacks = bishop_attacks(tables, start, occupied)
        if shields & bit(start):
            attacks &= tables.line[king, start]
        count = add_moves(lists, ply, count, start | CAPTURE, attacks & enemies)
        count = add_moves(lists, ply, count, start, attacks & free)
    for start in squares(pos.pieces[us, ROOK] | queens):
        attacks = rook_attacks(tables, start, occupied)
        if shields & bit(start):
            attacks &= tables.line[king, start]
        count = add_moves(lists, ply, count, start | CAPTURE, attacks & enemies)
        count = add_moves(lists, ply, count, start, attacks & free)
    return count


@entry
def generate_quiet_checks(
    pos: Position, lists: MoveLists, ply: int, count: int, checks: CheckSquares
) -> int:
    """Append the quiet moves that give check, without castling; return the new count. Not when in
    check. Of a pawn or king that uncovers a slider it also appends those that do not."""
    tables = pos.tables
    us = pos.side
    king = lsb(pos.pieces[us, KING])
    occupied = pos.occupied
    shields = pinned(pos)
    if checks.discoverers & bit(king):
        for to in squares(tables.king[king] & ~occupied):
            if not attacked(pos, to, us ^ 1, occupied ^ bit(king)):
                lists.moves[ply, count] = king | to << 6
                count += 1
    is_uncovering = checks.discoverers & pos.pieces[us, PAWN] != 0
    target = -1 if is_uncovering else checks.squares[PAWN]
    target &= ~(RANK_1 | RANK_8)  # no promotions
    count = pawn_moves(pos, lists, ply, count, QUIET, target, shields)
    for start in squares(pos.pieces[us, KNIGHT] & ~shields):
        targets = tables.knight[start]
        if checks.discoverers & bit(start) == 0:
            targets &= checks.squares[KNIGHT]
        count = add_moves(lists, ply, count, start, targets & ~occupied)
    queens = pos.pieces[us, QUEEN]
    for start in squares(pos.pieces[us, BISHOP] | pos.pieces[us, ROOK] | queens):
        kind = pos.board[start]
        targets = -1 if checks.discoverers & bit(start) else checks.squares[kind]
        if kind == BISHOP:
            targets &= bishop_attacks(tables, start, occupied)
        elif kind == ROOK:
            targets &= rook_attacks(tables, start, occupied)
        else:
            lines = bishop_attacks(tables, start, occupied)
            targets &= lines | rook_attacks(tables, start, occupied)
        if shields & bit(start):
            targets &= tables.line[king, start]
        count = add_moves(lists, ply, count, start, targets & ~occupied)
    return count


@kernel
def add_moves(lists: MoveLists, ply: int, count: int, move: int, targets: int) -> int:
    """Append `move`, which has no target yet, once for each target."""
    for to in squares(targets):
        lists.moves[ply, count] = move | to << 6
        count += 1
    return count


@kernel
def add_pawn_moves(
    lists: MoveLists, ply: int, count: int, forward: int, targets: int, flag: int
) -> int:
    """Append pawn moves that do not promote; the pawns come from `forward` squares behind."""
    for to in squares(targets):
        lists.moves[ply, count] = (to - forward) | to << 6 | flag
        count += 1
    return count


@kernel
def add_promotions(
    lists: MoveLists,
    ply: int,
    count: int,
    forward: int,
    targets: int,
    flag: int,
    which: int,
) -> int:
    """Queen promotions are noisy, the others are so only if they capture."""
    for to in squares(targets):
        move = (to - forward) | to << 6 | flag
        if which & NOISY:
            lists.moves[ply, count] = move | promotion_flag(QUEEN)
            count += 1
        if which & (NOISY if flag else QUIET):
            for kind in range(KNIGHT, QUEEN):
                lists.moves[ply, count] = move | promotion_flag(kind)
                count += 1
    return count


@kernel
def pawn_moves(
    pos: Position,
    lists: MoveLists,
    ply: int,
    count: int,
    which: int,
    target: int,
    shields: int,
) -> int:
    """Pawn moves that land on `target`. A pawn in `shields` keeps to the line of its pin."""
    tables = pos.tables
    us = pos.side
    king = lsb(pos.pieces[us, KING])
    pawns = pos.pieces[us, PAWN]
    enemies = pos.colours[us ^ 1] & target
    free = ~pos.occupied
    pushable = pawns & (~shields | tables.file[king])
    # A pinned pawn may capture along the diagonal on which it is pinned.
    on_diagonal = pawns & (~shields | tables.diagonal[king])
    on_antidiagonal = pawns & (~shields | tables.antidiagonal[king])
    if us == WHITE:
        single = (pushable << 8) & free
        double = ((single & RANK_3) << 8) & free
        west = ((on_antidiagonal & ~FILE_A) << 7) & enemies
        east = ((on_diagonal & ~FILE_H) << 9) & enemies
        forward, to_west, to_east = 8, 7, 9
        last_rank = RANK_8
    else:
        single = shr(pushable, 8) & free
        double = shr(single & RANK_6, 8) & free
        west = shr(on_diagonal & ~FILE_A, 9) & enemies
        east = shr(on_antidiagonal & ~FILE_H, 7) & enemies
        forward, to_west, to_east = -8, -9, -7
        last_rank = RANK_1
    single &= target
    double &= target

    promoting = single & last_rank
    if promoting:
        count = add_promotions(lists, ply, count, forward, promoting, 0, which)
    if which & NOISY:
        if (west | east) & last_rank:
            count = add_promotions(lists, ply, count, to_west, west & last_rank, CAPTURE, which)
            count = add_promotions(lists, ply, count, to_east, east & last_rank, CAPTURE, which)
        count = add_pawn_moves(lists, ply, count, to_west, west & ~last_rank, CAPTURE)
        count = add_pawn_moves(lists, ply, count, to_east, east & ~last_rank, CAPTURE)
        en_passant = pos.snapshots[pos.ply].en_passant
        if en_passant != NO_SQUARE:
            for start in squares(tables.pawn[us ^ 1, en_passant] & pawns):
                if en_passant_safe(pos, start, en_passant):
                    lists.moves[ply, count] = start | en_passant << 6 | EN_PASSANT
                    count += 1
    if which & QUIET:
        count = add_pawn_moves(lists, ply, count, forward, single & ~last_rank, 0)
        count = add_pawn_moves(lists, ply, count, 2 * forward, double, DOUBLE_PUSH)
    return count


@kernel
def castling_allowed(pos: Position, right: int) -> bool:
    """May the side to move, not in check, castle with right number `right` (0 to 3) now?"""
    if pos.snapshots[pos.ply].castling & (1 << right) == 0:
        return False
    if pos.occupied & pos.castling_empty[right]:
        return False
    us = pos.side
    king = lsb(pos.pieces[us, KING])
    rook = pos.castling_rook[right]
    for square in squares(pos.castling_safe[right]):
        if attacked(pos, square, us ^ 1, pos.occupied):
            return False
    # In Chess960 the rook may have hidden the king's new square from a rook behind it.
    king_to = castled_king(king, rook)
    occupied = (pos.occupied ^ bit(king) ^ bit(rook)) | bit(castled_rook(king, rook))
    straight = pos.pieces[us ^ 1, ROOK] | pos.pieces[us ^ 1, QUEEN]
    return rook_attacks(pos.tables, king_to, occupied) & straight == 0


@kernel
def castling_moves(pos: Position, lists: MoveLists, ply: int, count: int) -> int:
    first = 2 * pos.side
    if pos.snapshots[pos.ply].castling & (3 << first):
        king = lsb(pos.pieces[pos.side, KING])
        for right in range(first, first + 2):
            if castling_allowed(pos, right):
                lists.moves[ply, count] = king | pos.castling_rook[right] << 6 | CASTLING
                count += 1
    return count
