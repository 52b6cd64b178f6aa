"""Attacks of pieces, and the tables behind them."""

from __future__ import annotations

from engine.board.constants import (
    BISHOP,
    FILE_A,
    FILE_B,
    FILE_G,
    FILE_H,
    KING,
    KNIGHT,
    PAWN,
    QUEEN,
    RANK_1,
    RANK_8,
    ROOK,
    WHITE,
)
from engine.board.position import AttackTables, Magic, Position
from engine.native.bits import bit, has_pext, lsb, pext, popcount, shl, shr, squares
from engine.native.jit import entry, kernel


@kernel
def slider_index(magic: Magic, occupied: int) -> int:
    """Where AttackTables.slider_attacks has the attacks, if just `occupied` is in the way."""
    if has_pext():
        return magic.start + pext(occupied, magic.mask)
    return magic.start + shr((occupied & magic.mask) * magic.multiplier, magic.shift)


@kernel
def rook_attacks(tables: AttackTables, square: int, occupied: int) -> int:
    return tables.slider_attacks[slider_index(tables.rook[square], occupied)]


@kernel
def bishop_attacks(tables: AttackTables, square: int, occupied: int) -> int:
    return tables.slider_attacks[slider_index(tables.bishop[square], occupied)]


@kernel
def piece_attacks(tables: AttackTables, kind: int, square: int, occupied: int) -> int:
    """Squares a knight, bishop, rook, queen or king attacks. Not for pawns."""
    if kind == KNIGHT:
        return tables.knight[square]
    if kind == BISHOP:
        return bishop_attacks(tables, square, occupied)
    if kind == ROOK:
        return rook_attacks(tables, square, occupied)
    if kind == QUEEN:
        return bishop_attacks(tables, square, occupied) | rook_attacks(tables, square, occupied)
    return tables.king[square]


@kernel
def west_captures(colour: int, pawns: int) -> int:
    """Squares that a set of pawns attacks towards the a-file."""
    west = pawns & ~FILE_A
    return shl(west, 7) if colour == WHITE else shr(west, 9)


@kernel
def east_captures(colour: int, pawns: int) -> int:
    """Squares that a set of pawns attacks towards the h-file."""
    east = pawns & ~FILE_H
    return shl(east, 9) if colour == WHITE else shr(east, 7)


@kernel
def knight_attacks(knights: int) -> int:
    """Squares that a set of knights attacks."""
    beside = (shl(knights, 1) & ~FILE_A) | (shr(knights, 1) & ~FILE_H)
    beyond = (shl(knights, 2) & ~(FILE_A | FILE_B)) | (shr(knights, 2) & ~(FILE_G | FILE_H))
    return shl(beside, 16) | shr(beside, 16) | shl(beyond, 8) | shr(beyond, 8)


@kernel
def pawn_attacks(colour: int, pawns: int) -> int:
    """Squares that a set of pawns attacks."""
    return west_captures(colour, pawns) | east_captures(colour, pawns)


@kernel
def attacked(pos: Position, square: int, by: int, occupied: int) -> bool:
    """Does colour `by` attack `square`, with `occupied` blocking its sliders?"""
    tables = pos.tables
    queens = pos.pieces[by, QUEEN]
    if tables.pawn[by ^ 1, square] & pos.pieces[by, PAWN]:
        return True
    if tables.knight[square] & pos.pieces[by, KNIGHT]:
        return True
    if tables.king[square] & pos.pieces[by, KING]:
        return True
    if bishop_attacks(tables, square, occupied) & (pos.pieces[by, BISHOP] | queens):
        return True
    return rook_attacks(tables, square, occupied) & (pos.pieces[by, ROOK] | queens) != 0


@kernel
def slider_attackers(pos: Position, square: int, by: int, occupied: int) -> int:
    """Bishops, rooks and queens of colour `by` that attack `square`."""
    queens = pos.pieces[by, QUEEN]
    diagonal = bishop_attacks(pos.tables, square, occupied) & (pos.pieces[by, BISHOP] | queens)
    straight = rook_attacks(pos.tables, square, occupied) & (pos.pieces[by, ROOK] | queens)
    return diagonal | straight


@kernel
def checkers_of(pos: Position, side: int) -> int:
    """The pieces that give check to the king of `side`."""
    tables = pos.tables
    by = side ^ 1
    king = lsb(pos.pieces[side, KING])
    leapers = tables.pawn[side, king] & pos.pieces[by, PAWN]
    leapers |= tables.knight[king] & pos.pieces[by, KNIGHT]
    return leapers | slider_attackers(pos, king, by, pos.occupied)


@entry
def king_attacked(pos: Position, side: int) -> bool:
    """Is the king of `side` attacked, whoever is to move?"""
    return attacked(pos, lsb(pos.pieces[side, KING]), side ^ 1, pos.occupied)


@kernel
def attackers_to(pos: Position, square: int, occupied: int) -> int:
    """Pieces of both colours that attack `square`, with `occupied` blocking the sliders."""
    tables = pos.tables
    pieces = pos.pieces
    knights = pieces[0, KNIGHT] | pieces[1, KNIGHT]
    kings = pieces[0, KING] | pieces[1, KING]
    queens = pieces[0, QUEEN] | pieces[1, QUEEN]
    bishops = pieces[0, BISHOP] | pieces[1, BISHOP] | queens
    rooks = pieces[0, ROOK] | pieces[1, ROOK] | queens
    attackers = tables.pawn[1, square] & pieces[0, PAWN]
    attackers |= tables.pawn[0, square] & pieces[1, PAWN]
    attackers |= tables.knight[square] & knights
    attackers |= tables.king[square] & kings
    attackers |= bishop_attacks(tables, square, occupied) & bishops
    attackers |= rook_attacks(tables, square, occupied) & rooks
    return attackers


@kernel
def lone_blockers(pos: Position, side: int) -> int:
    """Pieces of both colours that alone stand between the king of `side` and an enemy slider."""
    tables = pos.tables
    king = lsb(pos.pieces[side, KING])
    queens = pos.pieces[side ^ 1, QUEEN]
    straight = (tables.file[king] | shl(RANK_1, king & 56)) & (pos.pieces[side ^ 1, ROOK] | queens)
    diagonal = tables.diagonal[king] | tables.antidiagonal[king]
    snipers = straight | (diagonal & (pos.pieces[side ^ 1, BISHOP] | queens))
    lone = 0
    for sniper in squares(snipers):
        blockers = tables.between[king, sniper] & pos.occupied
        if blockers & (blockers - 1) == 0:  # at most one
            lone |= blockers
    return lone


@kernel
def pinned(pos: Position) -> int:
    """The pieces of the side to move that shield their king from a slider."""
    return lone_blockers(pos, pos.side) & pos.colours[pos.side]


# --- Filling the tables, once per engine ------------------------------------------------------


@kernel
def step(square: int, files: int, ranks: int) -> int:
    """The bitboard of the square this many files and ranks away, or 0 if that is off the board."""
    file = (square & 7) + files
    rank = (square >> 3) + ranks
    if file < 0 or file > 7 or rank < 0 or rank > 7:
        return 0
    return bit(rank * 8 + file)


@kernel
def ray(square: int, files: int, ranks: int, occupied: int) -> int:
    """Squares reached in one direction, up to and including the first occupied one."""
    reached = 0
    for distance in range(1, 8):
        target = step(square, files * distance, ranks * distance)
        reached |= target
        if target & occupied or target == 0:
            break
    return reached


@kernel
def walk(square: int, occupied: int, axes: int) -> int:
    """Attacks of a rook (`axes` = 1) or a bishop (2), one step at a time."""
    attacks = 0
    for files in range(-1, 2):
        for ranks in range(-1, 2):
            if abs(files) + abs(ranks) == axes:
                attacks |= ray(square, files, ranks, occupied)
    return attacks


@kernel
def fill_slider(tables: AttackTables, square: int, axes: int) -> None:
    rank = shl(RANK_1, square & 56)
    file = shl(FILE_A, square & 7)
    edges = ((RANK_1 | RANK_8) & ~rank) | ((FILE_A | FILE_H) & ~file)
    mask = walk(square, 0, axes) & ~edges
    magic = tables.rook[square] if axes == 1 else tables.bishop[square]
    magic.mask = mask
    magic.shift = 64 - popcount(mask)
    occupied = 0
    while True:  # over all subsets of the mask
        tables.slider_attacks[slider_index(magic, occupied)] = walk(square, occupied, axes)
        occupied = (occupied - mask) & mask
        if occupied == 0:
            break


@kernel
def fill_lines(tables: AttackTables, start: int) -> None:
    for files in range(-1, 2):
        for ranks in range(-1, 2):
            if files == 0 and ranks == 0:
                continue
            line = bit(start) | ray(start, files, ranks, 0) | ray(start, -files, -ranks, 0)
            if files * ranks == 1:
                tables.diagonal[start] = line
            elif files * ranks == -1:
                tables.antidiagonal[start] = line
            passed = 0
            for target in squares(line):
                if target != start:
                    tables.line[start, target] = line
            for distance in range(1, 8):
                reached = step(start, files * distance, ranks * distance)
                if reached == 0:
                    break
                tables.between[start, lsb(reached)] = passed
                passed |= reached


@entry
def fill_attacks(tables: AttackTables) -> None:
    """Fill everything but the magic multipliers, which must be set before."""
    start = 0
    for square in range(64):
        tables.pawn[0, square] = step(square, -1, 1) | step(square, 1, 1)
        tables.pawn[1, square] = step(square, -1, -1) | step(square, 1, -1)
        tables.file[square] = shl(FILE_A, square & 7)
        tables.knight[square] = 0
        tables.king[square] = 0
        for files in range(-2, 3):
            for ranks in range(-2, 3):
                if abs(files * ranks) == 2:
                    tables.knight[square] |= step(square, files, ranks)
                elif max(abs(files), abs(ranks)) == 1:
                    tables.king[square] |= step(square, files, ranks)
        fill_lines(tables, square)
        tables.rook[square].start = start
        fill_slider(tables, square, 1)
        start += 1 << (64 - tables.rook[square].shift)
        tables.bishop[square].start = start
        fill_slider(tables, square, 2)
        start += 1 << (64 - tables.bishop[square].shift)
