"""A game between a person and the engine: moves, clocks, and how it ended.

`record` is the game as python-chess keeps it: moves, clocks as comments on them, tags, and the
variations that somebody tried. The game is its main line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import chess
import chess.pgn

from engine.board.ending import Ending, ending_by_rule

LONGEST_MINUTES = 600
LONGEST_INCREMENT_S = 600


@dataclass(frozen=True)
class TimeControl:
    """Time for the whole game, and what each move adds."""

    base_ms: int
    increment_ms: int

    @classmethod
    def read(cls, text: str) -> TimeControl:
        """`5+3`: five minutes, and three seconds a move. Raises ValueError with the reason."""
        found = re.fullmatch(r"(\d{1,4}(?:\.\d{1,2})?)(?:\+(\d{1,4}))?", text.strip(), re.ASCII)
        base, increment = (round(60 * float(found[1])), int(found[2] or 0)) if found else (0, 0)
        if not 0 < base <= 60 * LONGEST_MINUTES or increment > LONGEST_INCREMENT_S:
            raise ValueError(
                "a clock is written as minutes and seconds a move, for example 5+3, up to "
                f"{LONGEST_MINUTES}+{LONGEST_INCREMENT_S}"
            )
        return cls(base * 1000, increment * 1000)  # whole seconds, as PGN writes them

    def __str__(self) -> str:
        return f"{round(self.base_ms / 60_000, 2):g}+{self.increment_ms // 1000}"


class Game:
    def __init__(
        self,
        board: chess.Board | None = None,
        person: chess.Color = chess.WHITE,
        level: int | None = None,
        control: TimeControl | None = None,
        record: chess.pgn.Game | None = None,
    ) -> None:
        """A game from the start position, from a board with its moves, or from a record.

        `person`: the other side is the engine's. `level`: None is full strength.
        """
        self.record = record or chess.pgn.Game.from_board(board or chess.Board())
        self.person = person
        self.level = level
        self.control = control
        self.left_out: list[str] = []  # sentences about what could not be read of its file
        self.board: chess.Board = self.record.end().board()  # with all moves
        self.ending = ending_by_rule(self.board, claimed=True)

    def set_control(self, control: TimeControl | None) -> None:
        """Both sides get the whole time from now on; None: no clocks."""
        self.control = control
        for node in self.record.mainline():
            node.set_clock(None)

    @property
    def persons_turn(self) -> bool:
        return bool(self.board.turn == self.person)

    def clock_ms(self, side: chess.Color) -> int:
        """Time left when the side made its last move."""
        assert self.control is not None
        node: chess.pgn.GameNode | None = self.record.end()
        while node is not None and (node.turn() == side or node.clock() is None):
            node = node.parent
        left_s = None if node is None else node.clock()
        return self.control.base_ms if left_s is None else round(1000 * left_s)

    def push(self, move: chess.Move, spent_ms: float) -> None:
        """Make a legal move, for which its side has taken that long."""
        side = self.board.turn
        node = self.record.end().add_main_variation(move)
        if self.control is not None:
            left = round(self.clock_ms(side) - spent_ms) + self.control.increment_ms
            node.set_clock(left / 1000)
        self.board.push(move)
        self.ending = ending_by_rule(self.board, claimed=True)

    def undo(self) -> bool:
        """Back to the person's last move, or only to before the ending; False if there is none."""
        if self.ending is not None and ending_by_rule(self.board, claimed=True) is None:
            self.ending = None  # resigned, agreed or lost on time
            if self.persons_turn:
                return True
        pops = 2 if self.persons_turn else 1
        if len(self.board.move_stack) < pops:
            return False
        for _ in range(pops):
            self.board.pop()
            self.record.end().parent.variations.clear()
        self.ending = None
        return True

    def resign(self) -> None:
        self.ending = Ending(not self.person, "You resign")

    def agree_on_a_draw(self) -> None:
        self.ending = Ending(None, "A draw is agreed")

    def lose_on_time(self, side: chess.Color) -> None:
        if self.board.has_insufficient_material(not side):
            self.ending = Ending(None, "The time is over, but nobody could mate", by_time=True)
        else:
            self.ending = Ending(not side, "The time is over", by_time=True)


def clock_text(left_ms: float) -> str:
    """4:59; tenths of a second below 20 seconds."""
    left_ms = max(0.0, left_ms)
    if left_ms < 20_000:
        return f"0:{left_ms / 1000:04.1f}"
    minutes, seconds = divmod(int(left_ms / 1000), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
