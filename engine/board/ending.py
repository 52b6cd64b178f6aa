"""Plain Python: whether and how the rules end a game, in words."""

from __future__ import annotations

from dataclasses import dataclass

import chess


@dataclass(frozen=True)
class Ending:
    """How a game ended. `winner` is None for a draw."""

    winner: chess.Color | None
    reason: str  # how the sentence begins that tells it: `Checkmate`
    by_time: bool = False

    @property
    def result(self) -> str:
        if self.winner is None:
            return "1/2-1/2"
        return "1-0" if self.winner == chess.WHITE else "0-1"

    def __str__(self) -> str:
        """`Checkmate. White has won.`"""
        if self.winner is None:
            return f"{self.reason}. The game is drawn."
        return f"{self.reason}. {'White' if self.winner == chess.WHITE else 'Black'} has won."


def ending_by_rule(board: chess.Board, claimed: bool = False) -> Ending | None:
    """Whether the rules end the game here, which the moves of `board` tell.

    `claimed`: the third repetition and fifty moves without progress, which a player must claim, end
    it, too; otherwise the fifth repetition and 75 moves.
    """
    if board.is_checkmate():
        return Ending(not board.turn, "Checkmate")
    if board.is_stalemate():
        return Ending(None, "Stalemate")
    if board.is_insufficient_material():
        return Ending(None, "Nobody can mate any more")
    times, moves = (3, 50) if claimed else (5, 75)
    if board.is_repetition(times):
        name = "three" if claimed else "five"
        return Ending(None, f"The position has occurred {name} times")
    if board.halfmove_clock >= 2 * moves:
        name = "Fifty" if claimed else "Seventy-five"
        return Ending(None, f"{name} moves without a capture or a pawn move")
    return None


def claim(board: chess.Board) -> str:
    """The draw that a player can claim where the game goes on, as a sentence; usually empty."""
    draw = None if ending_by_rule(board) else ending_by_rule(board, claimed=True)
    return f"{draw.reason}: a draw can be claimed." if draw else ""
