"""When a game is ended because its result is clear: one rule, in several strengths.

The rule is that of fastchess and cutechess. A side has lost when its own scores have been low
enough in enough moves in a row. A game is drawn when, late enough, the scores of both sides have
been near 0 for enough moves since the last capture or pawn move.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

LOSS, DRAW, WIN = 0, 1, 2  # half points of White
RESULTS = ("0-1", "1/2-1/2", "1-0")  # as PGN has them, by half points of White
HALF_POINTS = {result: points for points, result in enumerate(RESULTS)}


@dataclass(frozen=True)
class Adjudication:
    """Scores in centipawns; `lost_moves` and `draw_moves` of each side."""

    lost_score: int
    lost_moves: int
    draw_score: int
    draw_moves: int
    draw_from: int  # not before this full move is played
    longest: int  # plies; then a draw
    longest_clock: int = 100  # plies without capture or pawn move; then a draw


MATCHES = Adjudication(700, 4, draw_score=10, draw_moves=8, draw_from=40, longest=600)
TUNING = Adjudication(800, 3, draw_score=8, draw_moves=6, draw_from=30, longest=400)
SELFPLAY = Adjudication(1500, 3, draw_score=8, draw_moves=6, draw_from=30, longest=400)
SAMPLING = Adjudication(
    450, 2, draw_score=-1, draw_moves=1, draw_from=0, longest=160, longest_clock=60
)
NONE = Adjudication(1 << 30, 1, draw_score=-1, draw_moves=1, draw_from=0, longest=600)
LEVELS = replace(NONE, longest=300)


@dataclass
class Adjudicator:
    """Follows the scores of a game."""

    rule: Adjudication
    _lost: list[int] = field(default_factory=lambda: [0, 0])  # low scores of a side, in a row
    _drawn: int = 0
    _plies: int = 0

    def result(self, mover: int, score: int | None, clock: int, move_number: int) -> int | None:
        """Half points of White after a move, or None while the game goes on.

        Args:
            mover: 0 White, 1 Black.
            score: the mover's, from its own side; None if it gave none.
            clock: plies since the last capture or pawn move.
            move_number: of the full move that comes next.
        """
        rule = self.rule
        self._plies += 1
        if clock == 0:
            self._drawn = 0
        is_lost = score is not None and score <= -rule.lost_score
        is_drawn = score is not None and abs(score) <= rule.draw_score
        self._lost[mover] = self._lost[mover] + 1 if is_lost else 0
        self._drawn = self._drawn + 1 if is_drawn else 0
        if self._lost[mover] >= rule.lost_moves:
            return WIN if mover else LOSS
        drawn = move_number > rule.draw_from and self._drawn >= 2 * rule.draw_moves
        if drawn or self._plies >= rule.longest or clock >= rule.longest_clock:
            return DRAW
        return None
