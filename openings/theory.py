"""How far a game follows known openings."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing

import chess
import chess.polyglot

from openings import SHIPPED_BOOK_PATH
from openings.game import NamedGame, castles_as_usual
from openings.polyglot import Book


def known_plies(board: chess.Board, lost: Iterable[float], most: float) -> int:
    """With how many moves the game on the board begins that everybody knows: moves of the shipped
    book, and those up to the last position that has a name if they lose less than `most` points.
    `lost`: what the moves lose, one after the other."""
    names = NamedGame()
    names.follow(board.root().fen(), [move.uci() for move in board.move_stack])
    here = board.root()
    with closing(Book(SHIPPED_BOOK_PATH)) as book:
        for ply, (move, points) in enumerate(zip(board.move_stack, lost, strict=False)):
            is_named = ply < names.named_ply and points < most
            if not (is_named or _is_in(book, here, move)):
                return ply
            here.push(move)
    return len(here.move_stack)


def _is_in(book: Book, board: chess.Board, move: chess.Move) -> bool:
    if not castles_as_usual(board):
        return False
    text = board.uci(move, chess960=True)
    entries = book.entries(chess.polyglot.zobrist_hash(board))
    return any(entry.move == text and entry.weight > 0 for entry in entries)
