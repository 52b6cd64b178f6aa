"""What a tab asks, read: anything else than it should send is refused, with the reason."""

from __future__ import annotations

from typing import Any

import chess
import chess.pgn

from engine.settings import RANGES
from uci.game.moves import castled_to
from uci.game.newcomer import read_level

LONGEST_FEN = 120
LONGEST_TEXT = 1 << 20  # of pasted games
LONGEST_PATH = 10_000  # moves


class RefusedError(ValueError):
    """Why something cannot be done, for the person."""


def text_in(arguments: dict[str, Any], name: str, longest: int) -> str:
    text = arguments.get(name, "")
    if not isinstance(text, str) or len(text) > longest:
        raise RefusedError(f"{name} must be a text of at most {longest} characters")
    return text.strip()


def level_in(arguments: dict[str, Any]) -> int | None:
    try:
        return read_level(text_in(arguments, "level", 10), RANGES["elo"])
    except ValueError as reason:
        raise RefusedError(f"{reason}.") from None


def number_in(arguments: dict[str, Any], games: int) -> int:
    """Of one of so many games."""
    number = arguments.get("game")
    if type(number) is not int or not 0 <= number < games:
        raise RefusedError("There is no such game.")
    return number


def follow(
    record: chess.pgn.Game, arguments: dict[str, Any]
) -> tuple[chess.pgn.GameNode, chess.Board, list[chess.Move]]:
    """The position that a tab speaks of: the last one on the way to it that is in the game, its own
    board, and the moves of an engine's line between them."""
    path = arguments.get("path")
    if not isinstance(path, list) or len(path) > LONGEST_PATH:
        raise RefusedError("There is no such position.")
    node: chess.pgn.GameNode = record
    board = node.board()
    beyond: list[chess.Move] = []
    for step in path:
        try:
            move = board.parse_uci(step)
        except (ValueError, TypeError):
            move = chess.Move.null()
        if not (move or node.has_variation(move)):
            raise RefusedError("There is no such position.")
        if not beyond and node.has_variation(move):
            node = node.variation(move)
        else:
            beyond.append(move)
        board.push(move)
    return node, board, beyond


def legal_in(board: chess.Board) -> dict[str, dict[str, list[str]]]:
    """By the squares from and to which a piece can be moved, the moves in UCI notation: several if
    a pawn promotes."""
    legal: dict[str, dict[str, list[str]]] = {}
    for move in board.legal_moves:
        targets = legal.setdefault(chess.square_name(move.from_square), {})
        targets.setdefault(chess.square_name(move.to_square), []).append(move.uci())
    for move in filter(board.is_castling, board.legal_moves):  # in Chess960 onto the rook, too
        beside = chess.square_name(castled_to(board, move) or move.to_square)
        legal[chess.square_name(move.from_square)].setdefault(beside, [move.uci()])
    return legal
