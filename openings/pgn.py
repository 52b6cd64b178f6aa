"""Games in PGN, read so that no file can stop a program: what is wrong with a game is in its
`errors`. And games as text."""

from __future__ import annotations

from typing import TextIO

import chess
import chess.pgn

COLUMNS = 80  # the standard asks for fewer than 256


class _Builder(chess.pgn.GameBuilder[chess.pgn.Game]):  # type: ignore[misc]  # its type is unknown
    def handle_error(self, error: Exception) -> None:
        """Keep it for the message; python-chess would also log it."""
        self.game.errors.append(error)


def decoded(data: bytes) -> str:
    """The text of a file: UTF-8, or Latin-1 as the standard of PGN demands."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def read_game(source: TextIO) -> chess.pgn.Game | None:
    """The next game, with its errors; None at the end."""
    try:
        return chess.pgn.read_game(source, Visitor=_Builder)
    except (IndexError, AssertionError):  # python-chess fails on some unbalanced brackets
        game = chess.pgn.Game()
        game.errors.append(ValueError("a variation is opened or closed where none is"))
        return game


def problem_of(game: chess.pgn.Game) -> str:
    """Why Wadjet cannot use a game, in words that may quote the file; usually empty."""
    if game.errors:
        return str(game.errors[0]).strip("'")
    if type(game.board()) is not chess.Board:
        return f"{game.board().uci_variant} is not chess"
    if any(not node.move for node in game.mainline()):
        return "a side passes"
    return ""


def pgn_of(game: chess.pgn.Game) -> str:
    """The game as text. Its moves are in lines of up to COLUMNS characters; comments stay whole."""
    return str(game.accept(chess.pgn.StringExporter(columns=COLUMNS)))
