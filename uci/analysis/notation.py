"""Lines of moves in UCI notation, for people."""

from __future__ import annotations

from collections.abc import Iterable

import chess


def moves_of(board: chess.Board, line: Iterable[str]) -> list[chess.Move]:
    """The moves of a line that begins in this position, which stays as it is."""
    ahead = board.copy(stack=False)
    return [ahead.push_uci(text) for text in line]


def san_line(board: chess.Board, line: Iterable[str]) -> str:
    """The line as text: `12... Nf6 13. Bg5`."""
    return str(board.variation_san(moves_of(board, line)))
