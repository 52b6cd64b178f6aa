"""The memory of a position, of the tables all positions share, and of generated moves."""

from __future__ import annotations

from engine.board.constants import MAX_HISTORY, MAX_MOVES, MAX_PLY
from engine.native.structs import Struct, array_of, int8, int32, int64, pointer_to

CYCLE_SIZE = 8192  # a power of two; 3668 reversible moves must find room


class Magic(Struct):
    """The lookup of attacks of a rook or a bishop on one square."""

    mask = int64  # the squares whose occupancy matters
    multiplier = int64
    shift = int64
    start = int64  # first index in AttackTables.slider_attacks


class AttackTables(Struct):
    """Computed once, then only read."""

    knight = int64[64]
    king = int64[64]
    pawn = int64[2, 64]  # [colour, square], captures only
    rook = array_of(Magic, 64)
    bishop = array_of(Magic, 64)
    slider_attacks = int64[107648]
    between = int64[64, 64]  # the squares strictly between two on a line
    line = int64[64, 64]  # the whole line through two squares, or 0
    file = int64[64]  # the file of a square
    diagonal = int64[64]  # parallel to a1-h8
    antidiagonal = int64[64]  # parallel to a8-h1
    piece_keys = int64[2, 6, 64]
    castling_keys = int64[16]
    en_passant_keys = int64[65]
    side_key = int64
    cycle_keys = int64[CYCLE_SIZE]  # what a reversible move changes in a key; see cycles.py
    cycle_moves = int32[CYCLE_SIZE]  # its two squares
    see_value = int64[7]  # by piece kind, for static exchange evaluation


class Snapshot(Struct):
    """State that `unmake` cannot recompute."""

    key = int64  # Zobrist key of the whole position
    castling = int64  # rights still held, as bits: White short, long, Black short, long
    en_passant = int64  # NO_SQUARE, or the square of a legal en passant capture
    halfmove_clock = int64  # plies since a capture or pawn move
    reversible_plies = int64  # the same, but a null move also sets it to 0
    checkers = int64  # enemy pieces that attack the king of the side to move
    move = int64  # the move that led here, NO_MOVE at the root and after a null move
    moved = int64  # kind of the piece that moved (before it promoted)
    captured = int64  # kind that the move captured, or EMPTY


class Position(Struct):
    pieces = int64[2, 6]  # [colour, piece kind]
    colours = int64[2]
    occupied = int64
    board = int8[64]  # piece kind or EMPTY
    side = int64
    ply = int64  # index of the current snapshot
    # Xor of the keys of all pieces of a colour and kind. Partial keys (pawns, minor pieces, one
    # side's pieces ...) are an xor of a few of these.
    kind_keys = int64[2, 6]
    castling_rook = int64[4]  # by right: where the rook stands
    castling_empty = int64[4]  # by right: squares that must be empty
    castling_safe = int64[4]  # by right: squares of the king's way, start and end included
    castling_kept = int64[64]  # the rights that survive a move from or to a square
    chess960 = int64  # 1: castling is written as king takes rook
    fullmove_number = int64
    tables = pointer_to(AttackTables)
    snapshots = array_of(Snapshot, MAX_HISTORY + MAX_PLY + 8)  # last: see copy_from

    def copy_from(self, other: Struct) -> None:
        """Copy the memory of another position, without the snapshots after its current one: they
        are most of it, and each search makes several copies."""
        assert isinstance(other, Position)
        end = self.fields["snapshots"].offset + (int(other.ply) + 1) * Snapshot.size
        self._memory[:end] = other._memory[:end]


class MoveLists(Struct):
    """One list of moves for each ply of the search."""

    moves = int32[MAX_PLY + 2, MAX_MOVES]
    scores = int32[MAX_PLY + 2, MAX_MOVES]
