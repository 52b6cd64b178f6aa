"""Making moves and taking them back."""

from __future__ import annotations

from engine.board.attacks import checkers_of, slider_attackers
from engine.board.constants import EMPTY, KING, KNIGHT, NO_SQUARE, PAWN, ROOK, WHITE
from engine.board.move import (
    CAPTURE,
    CASTLING,
    DOUBLE_PUSH,
    EN_PASSANT,
    FLAGS,
    NO_MOVE,
    PROMOTION,
    from_square,
    promotion_kind,
    to_square,
)
from engine.board.position import Position
from engine.native.bits import bit, lsb, squares
from engine.native.jit import entry, kernel


@kernel
def castled_king(start: int, rook: int) -> int:
    """Where the king lands: the g file if the rook stands on its right, else the c file."""
    return (start & 56) + (6 if rook > start else 2)


@kernel
def castled_rook(start: int, rook: int) -> int:
    return (start & 56) + (5 if rook > start else 3)


@kernel
def king_sides(pos: Position) -> int:
    """Where the kings stand, as far as the values of all pieces depend on it: bit 0 is set if
    White's stands on the files e to h, bit 1 if Black's does."""
    white = (lsb(pos.pieces[0, KING]) >> 2) & 1
    black = (lsb(pos.pieces[1, KING]) >> 2) & 1
    return white + 2 * black


@kernel
def piece_square_sum(pos: Position) -> int:
    """What all pieces are worth where they stand: packed, White's view."""
    kings = king_sides(pos)
    total = 0
    for colour in range(2):
        for square in squares(pos.colours[colour]):
            total += pos.tables.piece_square[kings, colour, pos.board[square], square]
    return total


@kernel
def en_passant_possible(pos: Position, square: int) -> bool:
    """May the side to move legally capture in passing on `square`?"""
    us = pos.side
    candidates = pos.tables.pawn[us ^ 1, square] & pos.pieces[us, PAWN]
    for start in squares(candidates):
        if en_passant_safe(pos, start, square):
            return True
    return False


@kernel
def en_passant_safe(pos: Position, start: int, square: int) -> bool:
    """Is our king out of check after the pawn on `start` has captured in passing on `square`?

    Two pieces leave the fourth rank at once, so neither pins nor check masks tell.
    """
    us = pos.side
    king = lsb(pos.pieces[us, KING])
    victim = bit(square ^ 8)
    occupied = (pos.occupied ^ bit(start) ^ victim) | bit(square)
    if slider_attackers(pos, king, us ^ 1, occupied):
        return False
    leapers = pos.tables.pawn[us, king] & pos.pieces[us ^ 1, PAWN] & ~victim
    leapers |= pos.tables.knight[king] & pos.pieces[us ^ 1, KNIGHT]
    return leapers == 0


@entry
def make(pos: Position, move: int) -> None:
    """Make a legal move."""
    tables = pos.tables
    before = pos.snapshots[pos.ply]
    after = pos.snapshots[pos.ply + 1]
    us = pos.side
    them = us ^ 1
    start = from_square(move)
    to = to_square(move)
    flag = move & FLAGS
    piece = pos.board[start]
    kings = king_sides(pos)

    key = before.key ^ tables.side_key ^ tables.en_passant_keys[before.en_passant]
    piece_square = before.piece_square
    phase = before.phase
    clock = before.halfmove_clock + 1
    reversible = before.reversible_plies + 1
    castling = before.castling
    captured = EMPTY
    double_pushed = False

    if flag == CASTLING:
        king_to = castled_king(start, to)
        rook_to = castled_rook(start, to)
        king_change = bit(start) ^ bit(king_to)
        rook_change = bit(to) ^ bit(rook_to)
        pos.board[start] = EMPTY
        pos.board[to] = EMPTY
        pos.board[king_to] = KING
        pos.board[rook_to] = ROOK
        pos.pieces[us, KING] ^= king_change
        pos.pieces[us, ROOK] ^= rook_change
        pos.colours[us] ^= king_change ^ rook_change
        king_key = tables.piece_keys[us, KING, start] ^ tables.piece_keys[us, KING, king_to]
        rook_key = tables.piece_keys[us, ROOK, to] ^ tables.piece_keys[us, ROOK, rook_to]
        pos.kind_keys[us, KING] ^= king_key
        pos.kind_keys[us, ROOK] ^= rook_key
        key ^= king_key ^ rook_key
        values = tables.piece_square
        piece_square += values[kings, us, KING, king_to] - values[kings, us, KING, start]
        piece_square += values[kings, us, ROOK, rook_to] - values[kings, us, ROOK, to]
    else:
        if flag & CAPTURE:
            victim = to
            if flag == EN_PASSANT:
                victim = to ^ 8
            captured = pos.board[victim]
            pos.board[victim] = EMPTY
            pos.pieces[them, captured] ^= bit(victim)
            pos.colours[them] ^= bit(victim)
            victim_key = tables.piece_keys[them, captured, victim]
            pos.kind_keys[them, captured] ^= victim_key
            key ^= victim_key
            piece_square -= tables.piece_square[kings, them, captured, victim]
            phase -= tables.phase[captured]
            clock = 0
            reversible = 0
        placed = piece
        if flag & PROMOTION:
            placed = promotion_kind(move)
            phase += tables.phase[placed]
        if piece == PAWN:
            clock = 0
            reversible = 0
            double_pushed = flag == DOUBLE_PUSH
        pos.board[start] = EMPTY
        pos.board[to] = placed
        pos.pieces[us, piece] ^= bit(start)
        pos.pieces[us, placed] ^= bit(to)
        pos.colours[us] ^= bit(start) | bit(to)
        start_key = tables.piece_keys[us, piece, start]
        to_key = tables.piece_keys[us, placed, to]
        pos.kind_keys[us, piece] ^= start_key
        pos.kind_keys[us, placed] ^= to_key
        key ^= start_key ^ to_key
        piece_square += tables.piece_square[kings, us, placed, to]
        piece_square -= tables.piece_square[kings, us, piece, start]

    if castling:
        castling &= pos.castling_kept[start] & pos.castling_kept[to]
        key ^= tables.castling_keys[before.castling] ^ tables.castling_keys[castling]
    pos.occupied = pos.colours[0] | pos.colours[1]
    pos.side = them
    pos.ply += 1

    if piece == KING and king_sides(pos) != kings:
        piece_square = piece_square_sum(pos)
    after.piece_square = piece_square
    after.phase = phase
    after.castling = castling
    after.halfmove_clock = clock
    after.reversible_plies = reversible
    after.move = move
    after.moved = piece
    after.captured = captured
    after.checkers = checkers_of(pos, them)
    after.en_passant = NO_SQUARE
    if double_pushed:
        passed = (start + to) >> 1
        if en_passant_possible(pos, passed):
            after.en_passant = passed
            key ^= tables.en_passant_keys[passed]
    after.key = key


@kernel
def likely_key_after(pos: Position, move: int) -> int:
    """The key after a move, unless it is special or changes castling rights: to prefetch with."""
    keys = pos.tables.piece_keys
    us = pos.side
    start = from_square(move)
    to = to_square(move)
    piece = pos.board[start]
    captured = pos.board[to]
    key = pos.snapshots[pos.ply].key ^ pos.tables.side_key
    key ^= keys[us, piece, start] ^ keys[us, piece, to]
    if captured != EMPTY:
        key ^= keys[us ^ 1, captured, to]
    return key


@entry
def unmake(pos: Position) -> None:
    """Take back the last move that `make` made."""
    tables = pos.tables
    undone = pos.snapshots[pos.ply]
    move = undone.move
    captured = undone.captured
    piece = undone.moved
    pos.ply -= 1
    them = pos.side
    us = them ^ 1
    pos.side = us
    start = from_square(move)
    to = to_square(move)
    flag = move & FLAGS

    if flag == CASTLING:
        king_to = castled_king(start, to)
        rook_to = castled_rook(start, to)
        king_change = bit(start) ^ bit(king_to)
        rook_change = bit(to) ^ bit(rook_to)
        pos.board[king_to] = EMPTY
        pos.board[rook_to] = EMPTY
        pos.board[start] = KING
        pos.board[to] = ROOK
        pos.pieces[us, KING] ^= king_change
        pos.pieces[us, ROOK] ^= rook_change
        pos.colours[us] ^= king_change ^ rook_change
        pos.kind_keys[us, KING] ^= tables.piece_keys[us, KING, start]
        pos.kind_keys[us, KING] ^= tables.piece_keys[us, KING, king_to]
        pos.kind_keys[us, ROOK] ^= tables.piece_keys[us, ROOK, to]
        pos.kind_keys[us, ROOK] ^= tables.piece_keys[us, ROOK, rook_to]
    else:
        placed = pos.board[to]
        pos.board[to] = EMPTY
        pos.board[start] = piece
        pos.pieces[us, placed] ^= bit(to)
        pos.pieces[us, piece] ^= bit(start)
        pos.colours[us] ^= bit(start) | bit(to)
        pos.kind_keys[us, placed] ^= tables.piece_keys[us, placed, to]
        pos.kind_keys[us, piece] ^= tables.piece_keys[us, piece, start]
        if flag & CAPTURE:
            victim = to
            if flag == EN_PASSANT:
                victim = to ^ 8
            pos.board[victim] = captured
            pos.pieces[them, captured] ^= bit(victim)
            pos.colours[them] ^= bit(victim)
            pos.kind_keys[them, captured] ^= tables.piece_keys[them, captured, victim]
    pos.occupied = pos.colours[0] | pos.colours[1]


@kernel
def make_null(pos: Position) -> None:
    """Pass. Only when not in check; taken back by `unmake_null`."""
    tables = pos.tables
    before = pos.snapshots[pos.ply]
    after = pos.snapshots[pos.ply + 1]
    key = before.key ^ tables.side_key ^ tables.en_passant_keys[before.en_passant]
    after.key = key
    after.piece_square = before.piece_square
    after.phase = before.phase
    after.castling = before.castling
    after.en_passant = NO_SQUARE
    after.halfmove_clock = before.halfmove_clock + 1
    after.reversible_plies = 0
    after.checkers = 0
    after.move = NO_MOVE
    after.moved = EMPTY
    after.captured = EMPTY
    pos.side ^= 1
    pos.ply += 1


@kernel
def unmake_null(pos: Position) -> None:
    pos.side ^= 1
    pos.ply -= 1


@entry
def refresh(pos: Position) -> None:
    """Compute from scratch what `make` keeps up to date, from `board`, `colours` and `side`.

    The current snapshot must already hold castling rights, en passant square and clocks; an en
    passant square on which nothing can be captured legally is dropped.
    """
    tables = pos.tables
    now = pos.snapshots[pos.ply]
    pos.occupied = pos.colours[0] | pos.colours[1]
    key = 0
    phase = 0
    for colour in range(2):
        for kind in range(6):
            pos.pieces[colour, kind] = 0
            pos.kind_keys[colour, kind] = 0
        for square in squares(pos.colours[colour]):
            kind = pos.board[square]
            pos.pieces[colour, kind] |= bit(square)
            pos.kind_keys[colour, kind] ^= tables.piece_keys[colour, kind, square]
            key ^= tables.piece_keys[colour, kind, square]
            phase += tables.phase[kind]
    if pos.side != WHITE:
        key ^= tables.side_key
    now.checkers = checkers_of(pos, pos.side)
    if now.en_passant != NO_SQUARE and not en_passant_possible(pos, now.en_passant):
        now.en_passant = NO_SQUARE
    now.key = key ^ tables.castling_keys[now.castling] ^ tables.en_passant_keys[now.en_passant]
    now.piece_square = piece_square_sum(pos)
    now.phase = phase
