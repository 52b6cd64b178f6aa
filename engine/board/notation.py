"""Plain Python: moves and squares as UCI writes them."""

from __future__ import annotations

from collections.abc import Sequence

from engine.board.constants import NO_SQUARE
from engine.board.move import (
    CASTLING,
    FLAGS,
    NO_MOVE,
    PROMOTION,
    castled_king,
    from_square,
    promotion_kind,
    to_square,
)
from engine.board.movegen import ALL, generate
from engine.board.position import MoveLists, Position

PIECE_LETTERS = "pnbrqk"


def square_index(name: str) -> int:
    """The square of a name such as e4, or NO_SQUARE."""
    if len(name) != 2 or name[0] not in "abcdefgh" or name[1] not in "12345678":
        return NO_SQUARE
    return "abcdefgh".index(name[0]) + 8 * "12345678".index(name[1])


def square_name(square: int) -> str:
    return "abcdefgh"[square & 7] + str((square >> 3) + 1)


def move_text(move: int, chess960: bool) -> str:
    """A move in UCI notation: castling is e1g1, or e1h1 in Chess960."""
    start, to = int(from_square(move)), int(to_square(move))
    if move & FLAGS == CASTLING and not chess960:
        to = int(castled_king(start, to))
    promotion = PIECE_LETTERS[promotion_kind(move)] if move & PROMOTION else ""
    return square_name(start) + square_name(to) + promotion


def legal_moves(pos: Position, lists: MoveLists) -> list[int]:
    """All legal moves; uses the list of ply 0."""
    count = generate(pos, lists, 0, 0, ALL)
    return lists.moves[0, :count].tolist()


def parse_move(pos: Position, lists: MoveLists, text: str) -> int:
    """The legal move that `text` names, or NO_MOVE.

    Castling is understood as e1g1 and as e1h1, whichever is set: programs mix them up. Where the
    king's step is also a normal move (in Chess960), the normal move is meant.
    """
    return parse_among(legal_moves(pos, lists), text)


def parse_among(moves: Sequence[int], text: str) -> int:
    """As `parse_move`, where the legal moves are known."""
    text = text.lower()
    start, to = square_index(text[0:2]), square_index(text[2:4])
    castling = NO_MOVE
    for move in moves:
        if move & 63 != start:
            continue
        if move & FLAGS == CASTLING:
            if len(text) == 4 and to in (to_square(move), castled_king(start, to_square(move))):
                castling = move
        elif to_square(move) == to:
            promotion = PIECE_LETTERS[promotion_kind(move)] if move & PROMOTION else ""
            if text[4:] == promotion:
                return move
    return castling
