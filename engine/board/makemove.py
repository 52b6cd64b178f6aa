"""Making moves and taking them back."""

from __future__ import annotations

from engine.board.attacks import checkers_of, slider_attackers
from engine.board.constants import EMPTY, KING, KNIGHT, NO_SQUARE, PAWN, ROOK, WHITE
from engine.board.move import (
    CAPTURE,
    CASTLING,
    DOUBLE_PUSH,
    FLAGS,
    NO_MOVE,
    PROMOTION,
    capture_square,
    castled_king,
    castled_rook,
    from_square,
    promotion_kind,
    to_square,
)
from engine.board.position import Position
from engine.native.bits import bit, lsb, squares
from engine.native.jit import entry, kernel

# --- One piece: its square, bitboards and keys. The caller updates `occupied` ---------------------


@kernel
def put(pos: Position, colour: int, kind: int, square: int) -> int:
    """Put a piece on an empty square. Returns its key."""
    key = pos.tables.piece_keys[colour, kind, square]
    pos.board[square] = kind
    pos.pieces[colour, kind] ^= bit(square)
    pos.colours[colour] ^= bit(square)
    pos.kind_keys[colour, kind] ^= key
    return key


@kernel
def remove(pos: Position, colour: int, kind: int, square: int) -> int:
    """Take a piece off the board. Returns its key."""
    key = pos.tables.piece_keys[colour, kind, square]
    pos.board[square] = EMPTY
    pos.pieces[colour, kind] ^= bit(square)
    pos.colours[colour] ^= bit(square)
    pos.kind_keys[colour, kind] ^= key
    return key


@kernel
def move_piece(pos: Position, colour: int, kind: int, start: int, to: int) -> int:
    """Move a piece to an empty square. Returns the change of the key."""
    keys = pos.tables.piece_keys
    key = keys[colour, kind, start] ^ keys[colour, kind, to]
    change = bit(start) ^ bit(to)
    pos.board[start] = EMPTY
    pos.board[to] = kind
    pos.pieces[colour, kind] ^= change
    pos.colours[colour] ^= change
    pos.kind_keys[colour, kind] ^= key
    return key


# --- Moves ---------------------------------------------------------------------------------------


@kernel
def en_passant_possible(pos: Position, square: int) -> bool:
    """May the side to move legally capture en passant on `square`?"""
    us = pos.side
    candidates = pos.tables.pawn[us ^ 1, square] & pos.pieces[us, PAWN]
    for start in squares(candidates):
        if en_passant_safe(pos, start, square):
            return True
    return False


@kernel
def en_passant_safe(pos: Position, start: int, square: int) -> bool:
    """Is our king out of check after the pawn on `start` has captured en passant on `square`?

    Two pieces leave the rank at once, so pins and check masks do not cover this.
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
    captured = EMPTY
    key = before.key ^ tables.side_key ^ tables.en_passant_keys[before.en_passant]

    if flag == CASTLING:
        # All off the board first: in Chess960 one may land where the other stood.
        key ^= remove(pos, us, KING, start) ^ remove(pos, us, ROOK, to)
        key ^= put(pos, us, KING, castled_king(start, to))
        key ^= put(pos, us, ROOK, castled_rook(start, to))
    else:
        if flag & CAPTURE:
            victim = capture_square(move)
            captured = pos.board[victim]
            key ^= remove(pos, them, captured, victim)
        if flag & PROMOTION:
            key ^= remove(pos, us, PAWN, start) ^ put(pos, us, promotion_kind(move), to)
        else:
            key ^= move_piece(pos, us, piece, start, to)
    pos.occupied = pos.colours[0] | pos.colours[1]
    pos.side = them
    pos.ply += 1

    castling = before.castling
    if castling:
        castling &= pos.castling_kept[start] & pos.castling_kept[to]
        key ^= tables.castling_keys[before.castling] ^ tables.castling_keys[castling]
    after.castling = castling
    irreversible = piece == PAWN or captured != EMPTY
    after.halfmove_clock = 0 if irreversible else before.halfmove_clock + 1
    after.reversible_plies = 0 if irreversible else before.reversible_plies + 1
    after.move = move
    after.moved = piece
    after.captured = captured
    after.checkers = checkers_of(pos, them)
    after.en_passant = NO_SQUARE
    if flag == DOUBLE_PUSH:
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
    undone = pos.snapshots[pos.ply]
    move = undone.move
    them = pos.side
    us = them ^ 1
    start = from_square(move)
    to = to_square(move)
    flag = move & FLAGS
    if flag == CASTLING:
        remove(pos, us, KING, castled_king(start, to))
        remove(pos, us, ROOK, castled_rook(start, to))
        put(pos, us, KING, start)
        put(pos, us, ROOK, to)
    else:
        if flag & PROMOTION:
            remove(pos, us, promotion_kind(move), to)
            put(pos, us, PAWN, start)
        else:
            move_piece(pos, us, undone.moved, to, start)
        if flag & CAPTURE:
            put(pos, them, undone.captured, capture_square(move))
    pos.occupied = pos.colours[0] | pos.colours[1]
    pos.side = us
    pos.ply -= 1


@kernel
def make_null(pos: Position) -> None:
    """Pass. Only when not in check; taken back by `unmake_null`."""
    tables = pos.tables
    before = pos.snapshots[pos.ply]
    after = pos.snapshots[pos.ply + 1]
    key = before.key ^ tables.side_key ^ tables.en_passant_keys[before.en_passant]
    after.key = key
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
    """Compute from scratch what `make` updates, from `board`, `colours` and `side`.

    The current snapshot must already hold castling rights, en passant square and clocks; an en
    passant square on which nothing can be captured legally is dropped.
    """
    tables = pos.tables
    now = pos.snapshots[pos.ply]
    key = 0
    for colour in range(2):
        for kind in range(6):
            pos.pieces[colour, kind] = 0
            pos.kind_keys[colour, kind] = 0
        placed = pos.colours[colour]
        pos.colours[colour] = 0
        for square in squares(placed):
            key ^= put(pos, colour, pos.board[square], square)
    pos.occupied = pos.colours[0] | pos.colours[1]
    if pos.side != WHITE:
        key ^= tables.side_key
    now.checkers = checkers_of(pos, pos.side)
    if now.en_passant != NO_SQUARE and not en_passant_possible(pos, now.en_passant):
        now.en_passant = NO_SQUARE
    now.key = key ^ tables.castling_keys[now.castling] ^ tables.en_passant_keys[now.en_passant]
