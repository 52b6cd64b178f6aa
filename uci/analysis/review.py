"""A whole game: what each move cost, and how accurate the sides were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import chess
import chess.pgn

from openings.game import NamedGame, Opening
from uci.analysis.judgement import Mark, accuracy, expected_points, mark
from uci.analysis.positions import Analysis, Line, Place


@dataclass(frozen=True)
class MoveReview:
    """A move, in expected points of 100 for the side that played it."""

    before: float
    after: float
    lost: float  # 0 for the best move
    mark: Mark | None
    is_forced: bool  # the only legal one: it says nothing about the player


@dataclass(frozen=True)
class Review:
    game: chess.pgn.Game
    analyses: Sequence[Analysis]  # one more than moves
    moves: Sequence[MoveReview]
    opening: Opening | None

    @property
    def accuracies(self) -> tuple[float | None, float | None]:
        """White's and Black's, in percent."""
        white, black = (
            accuracy([move.lost for move in self._of(side) if not move.is_forced])
            for side in (chess.WHITE, chess.BLACK)
        )
        return white, black

    def count(self, side: bool, wanted: Mark) -> int:
        """How many moves of White (True) or Black have that mark."""
        return sum(move.mark is wanted for move in self._of(side))

    def _of(self, side: bool) -> Sequence[MoveReview]:
        first = 0 if self.game.turn() == side else 1
        return self.moves[first::2]


def review(game: chess.pgn.Game, places: Sequence[Place], analyses: Sequence[Analysis]) -> Review:
    """`places` and `analyses` are those of the main line, the first position included."""
    board = game.board()
    moves = []
    for number, node in enumerate(game.mainline()):
        before, after = analyses[number].line, analyses[number + 1].line
        moves.append(_review_move(board, board.uci(node.move), before, after))
        board.push(node.move)
    names = NamedGame()
    names.follow(places[-1].fen, places[-1].moves)
    return Review(game, analyses, moves, names.opening)


def _review_move(board: chess.Board, played: str, before: Line, after: Line) -> MoveReview:
    had, kept = (_points(line, board.turn) for line in (before, after))
    lost = 0.0 if played == before.moves[0] else max(0.0, had - kept)
    return MoveReview(had, kept, lost, mark(lost), board.legal_moves.count() == 1)


def _points(line: Line, side: bool) -> float:
    white = expected_points(line.chances)
    return white if side == chess.WHITE else 100 - white
