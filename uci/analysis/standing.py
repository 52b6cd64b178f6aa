"""How a position stands for people. Bars, graphs, words and scores all come from here."""

from __future__ import annotations

from dataclasses import dataclass

import chess

from engine.board.ending import Ending
from engine.eval.explain import verdict
from engine.people import MOST_RATING, expected_points
from uci.analysis.lines import Line, side_name


@dataclass(frozen=True)
class Standing:
    line: Line
    rating: int  # of the players

    @property
    def is_over(self) -> bool:
        return not self.line.moves

    @property
    def winner(self) -> chess.Color | None:
        """Of a game that is over, or of a mate in sight."""
        if self.line.mate is None:
            return None
        return self.line.mate > 0 if self.line.mate else self.line.chances[0] > 0

    def points(self, side: chess.Color, rating: int | None = None) -> float:
        """Of 100, what people score on average; `rating` None: these players."""
        if self.winner is not None:
            return 100.0 if side == self.winner else 0.0
        centipawns = self.line.centipawns or 0
        return expected_points(
            centipawns if side == chess.WHITE else -centipawns, rating or self.rating
        )

    def score(self) -> str:
        """`+0.45`, White's; `#-3`: Black mates in three; `1-0` after mate."""
        if not self.is_over:
            return self.line.score_text()
        return {True: "1-0", False: "0-1", None: "1/2-1/2"}[self.winner]

    def words(self) -> str:
        """Who is better: `White is slightly better (+0.45).`"""
        if self.is_over:
            return str(Ending(self.winner, self.line.ending))
        if self.winner is not None:
            return f"{side_name(self.winner)} mates in {abs(self.line.mate or 0)}."
        return f"{verdict(self.line.centipawns or 0)} ({self.score()})."

    def expectation(self) -> str:
        """The points in words; empty if the game is over."""
        if self.is_over:
            return ""
        points = f"{self.points(chess.WHITE):.0f} of 100 points"
        rating = min(self.rating, MOST_RATING)
        return f"Among players of about {rating}, White scores {points} from here."
