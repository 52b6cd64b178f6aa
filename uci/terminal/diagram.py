"""The board as text: 27 columns, in Unicode or ASCII, with or without colours."""

from __future__ import annotations

import chess

from uci.terminal.screen import Screen

FIGURES = {"K": "♔", "Q": "♕", "R": "♖", "B": "♗", "N": "♘", "P": "♙",
           "k": "♚", "q": "♛", "r": "♜", "b": "♝", "n": "♞", "p": "♟"}  # fmt: skip
# Numbers of escape sequences for 256 and 16 colours: squares (light, dark, those of the last move,
# the king in check) and pieces.
_MANY = {"light": "48;5;108", "dark": "48;5;65", "last": "48;5;136", "check": "48;5;167",
         "white": "38;5;231;1", "black": "38;5;16"}  # fmt: skip
_FEW = {"light": "46", "dark": "42", "last": "43", "check": "41", "white": "97;1", "black": "30"}


def board_lines(board: chess.Board, from_white: bool, screen: Screen) -> list[str]:
    """The diagram, with the side of the person below. Brackets or a colour mark where the last
    move went, and colour also where it came from."""
    ranks = range(7, -1, -1) if from_white else range(8)
    files = range(8) if from_white else range(7, -1, -1)
    lines = []
    for rank in ranks:
        cells = [_cell(board, chess.square(file, rank), screen) for file in files]
        lines.append(f" {rank + 1} " + "".join(cells))
    lines.append("   " + "".join(f" {chess.FILE_NAMES[file]} " for file in files))
    return lines


def _cell(board: chess.Board, square: chess.Square, screen: Screen) -> str:
    piece = board.piece_at(square)
    last = board.peek() if board.move_stack else None
    if screen.abilities.colours:
        return _painted_cell(board, square, piece, last, screen)
    if piece is None:
        shown = "·" if screen.abilities.unicode else "."
    else:
        shown = FIGURES[piece.symbol()] if screen.abilities.unicode else piece.symbol()
    return f"[{shown}]" if last is not None and square == last.to_square else f" {shown} "


def _painted_cell(
    board: chess.Board,
    square: chess.Square,
    piece: chess.Piece | None,
    last: chess.Move | None,
    screen: Screen,
) -> str:
    paint = _MANY if screen.abilities.colours == 256 else _FEW
    if piece is not None and piece.piece_type == chess.KING and _is_in_check(board, piece.color):
        ground = "check"
    elif last is not None and square in (last.from_square, last.to_square):
        ground = "last"
    else:
        ground = "light" if chess.BB_SQUARES[square] & chess.BB_LIGHT_SQUARES else "dark"
    if piece is None:
        return screen.painted("   ", paint[ground])
    # The filled figures for both sides: their colour tells them apart.
    shown = FIGURES[piece.symbol().lower()] if screen.abilities.unicode else piece.symbol()
    side = paint["white" if piece.color == chess.WHITE else "black"]
    return screen.painted(f" {shown} ", f"{paint[ground]};{side}")


def _is_in_check(board: chess.Board, side: chess.Color) -> bool:
    return board.turn == side and bool(board.is_check())
