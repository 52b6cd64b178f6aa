"""Plain Python: the FEN of boards of python-chess, which is imported only with such a board."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.board.fen import PositionError
from engine.checked import type_of

if TYPE_CHECKING:
    import chess


def root_fen(board: chess.Board) -> str:
    """The position before the first move of the board's game.

    Raises TypeError for what is no board, PositionError for games other than chess.
    """
    import chess

    if not isinstance(board, chess.Board):
        raise TypeError(f"a position must be a FEN or a chess.Board, not {type_of(board)}")
    if board.uci_variant != "chess":
        raise PositionError(f"Wadjet plays chess and Chess960, not {board.uci_variant}")
    root = board.root()
    fields = root.fen().split()
    if root.castling_rights != root.clean_castling_rights():  # else they vanish without a remark
        fields[2] = _rights_of(root)
    return " ".join(fields)


def _rights_of(board: chess.Board) -> str:
    """Castling rights as in FEN, also those without king and rook in place."""
    import chess

    letters = ""
    for square in chess.SquareSet(board.castling_rights):
        file, rank = chess.square_file(square), chess.square_rank(square)
        side = rank == 0
        is_queenside = square < (board.king(side) or 0)
        corner = chess.square(0 if is_queenside else 7, rank)
        rooks = board.pieces(chess.ROOK, side)
        is_usual = not board.chess960 and (square == corner or corner not in rooks)
        letter = "kq"[is_queenside] if is_usual else chess.FILE_NAMES[file]
        letters += letter.upper() if side else letter
    return letters
