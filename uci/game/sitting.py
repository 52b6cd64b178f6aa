"""A person at a game: turns, clocks that run, advice, and a file that keeps the game.

Terminal and browser show what happens here, in the same words. Nothing here waits for a person.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

import chess

from engine.files import reason_of
from engine.limits import Limits
from engine.people import MIDDLE_RATING
from openings.game import NamedGame, board_of
from uci.analysis.lines import side_name
from uci.analysis.reasons import in_words
from uci.analysis.standing import Standing
from uci.game import files, newcomer
from uci.game.game import Game
from uci.game.newcomer import strength
from uci.game.opponent import Opponent

ADVICE = Limits(movetime_ms=700)  # for a hint or a judgement
EARLIEST_DRAW = 10  # full moves: before, the engine wants to play
SIDES = ("white", "black", "random")


class Sitting:
    def __init__(self, game: Game, tell: Callable[[str], None], go_back: str) -> None:
        """`tell` shows a remark about the files of games; `go_back` names what continues the game
        before this one."""
        self.game = game
        self.keeps = True  # False after a failure, which was told
        self.kept_at: Path | None = None  # the file with this game, from its first move on
        self._kept = b""  # what we wrote there
        self._tell = tell
        self._go_back = go_back
        self._names = NamedGame()
        self._turn_started: float | None = None  # by time.monotonic; None: the clock stands
        self._spent_before_ms = 0.0  # in this turn

    # --- Games and their files

    def begin(self, game: Game) -> None:
        self.game = game
        self.restart_turn()
        self.keep()

    def keep(self) -> None:
        """In the usual file, or in one of its own if another program keeps its game there."""
        if self.keeps:
            self._write(self._place)

    def set_aside(self) -> None:
        """Keep an unfinished game before another takes its place."""
        if self.game.ending is None and self.game.board.move_stack:
            self._write(files.previous_path)
            if self.keeps:
                self._tell(f"The previous game is kept: {self._go_back} continues it.")

    def _place(self) -> Path:
        """Where to keep the game, so that nobody's is lost. Raises OSError."""
        path = self.kept_at or files.kept_path()
        there = path.read_bytes() if path.exists() else b""
        if self.kept_at is None:
            self._set_aside_last_game(path)
        elif there not in (b"", self._kept):
            path = files.free_path(path)
            self._tell(f"Another Wadjet keeps its game in {self.kept_at}, so this one is in {path}")
        self.kept_at = path
        return path

    def _set_aside_last_game(self, path: Path) -> None:
        """That of an earlier run, or of another program, unless we go on with it."""
        try:
            last = files.read(path)
        except (OSError, ValueError):  # none, or none that can be read
            return
        moves = last.board.move_stack
        if last.ending is None and moves and moves != self.game.board.move_stack[: len(moves)]:
            path.replace(files.previous_path())
            self._tell(f"Your last game is not finished: {self._go_back} continues it.")

    def _write(self, place: Callable[[], Path]) -> None:
        try:
            path = place()
            written = files.write(self.game, path)
        except OSError as reason:
            self.keeps = False
            self._tell(f"The game cannot be kept: {reason_of(reason)}")
            return
        if path == self.kept_at:
            self._kept = written

    def remember(self, level: int | None) -> None:
        """The next game begins at this level."""
        try:
            newcomer.remember(level)
        except OSError as reason:
            self._tell(f"The level cannot be remembered: {reason_of(reason)}")

    # --- Turns

    def spent_ms(self) -> float:
        """By the side to move in this turn."""
        running = 0.0 if self._turn_started is None else time.monotonic() - self._turn_started
        return self._spent_before_ms + 1000 * running

    def restart_turn(self) -> None:
        """The clock of the side to move runs from now on."""
        self._spent_before_ms = 0.0
        self._turn_started = time.monotonic()

    def pause(self) -> None:
        """The clock stands until `resume`."""
        self._spent_before_ms = self.spent_ms()
        self._turn_started = None

    def resume(self) -> None:
        if self._turn_started is None:
            self._turn_started = time.monotonic()

    def left_ms(self, side: chess.Color) -> float:
        """On the side's clock, now."""
        left = self.game.clock_ms(side)
        is_running = self.game.board.turn == side and self.game.ending is None
        return left - self.spent_ms() if is_running else left

    def move(self, move: chess.Move) -> None:
        """Make a legal move of the side to move."""
        self.game.push(move, self.spent_ms())
        self.restart_turn()
        self.keep()

    def flag_has_fallen(self) -> bool:
        """Whether the person's time is over; this ends the game."""
        game = self.game
        if game.ending is not None or game.control is None or not game.persons_turn:
            return False
        if self.left_ms(game.person) > 0:
            return False
        game.lose_on_time(game.person)
        self.keep()
        return True

    def answer(self, move: chess.Move) -> str:
        """Make the engine's move; says so."""
        game = self.game
        said = f"Wadjet plays {game.board.variation_san([move])} ({in_words(game.board, move)})."
        late = game.control is not None and self.left_ms(not game.person) < 0
        self.move(move)
        if late:
            game.lose_on_time(not game.person)
            self.keep()
        return said

    # --- Words

    def outcome(self) -> str:
        """Of a game that is over: `Checkmate. You win, 1-0.`"""
        ending = self.game.ending
        assert ending is not None
        if ending.winner is None:
            said = "The game is drawn"
        else:
            said = "You win" if ending.winner == self.game.person else "Wadjet wins"
        return f"{ending.reason}. {said}, {ending.result}."

    def opening(self) -> str:
        """The last name that a position of the game has; empty if none has."""
        board = self.game.board
        self._names.follow(board.root().fen(), [move.uci() for move in board.move_stack])
        return str(self._names.opening or "")

    # --- Draws

    def why_no_draw_yet(self) -> str:
        """Before the engine considers an offer; usually empty."""
        if self.game.board.fullmove_number >= EARLIEST_DRAW:
            return ""
        return f"It is too early for a draw: ask again from move {EARLIEST_DRAW} on."

    def why_no_draw(self, standing: Standing) -> str:
        """Empty: a draw is agreed."""
        if standing.points(not self.game.person) > 50:
            return "I decline: I think that I stand better."
        self.game.agree_on_a_draw()
        self.keep()
        return ""


# --- Advice, at full strength -------------------------------------------------------------------


def standing_of(opponent: Opponent, game: Game) -> Standing:
    return Standing(opponent.judge(game.board, ADVICE), game.level or MIDDLE_RATING)


def hint(board: chess.Board, move: chess.Move) -> str:
    return f"Hint: {board.san(move)} ({in_words(board, move)})."


# --- What people choose -------------------------------------------------------------------------


def who_plays(game: Game) -> str:
    return f"you are {side_name(game.person)}, I play {strength(game.level)}."


def read_side(text: str) -> chess.Color | None:
    """White, Black, or one of them at random; None if it is none of the SIDES."""
    sides = dict(zip(SIDES, (*chess.COLORS, random.choice(chess.COLORS)), strict=True))
    return sides.get(text.casefold())


def read_fen(opponent: Opponent, text: str) -> tuple[chess.Board, list[str]]:
    """A position, and remarks on how it was read. It is one of Chess960 if only so all its castling
    rights are possible: a FEN does not say. Raises ValueError with the reason."""
    engine = opponent.engine
    engine.options.chess960 = False
    if not (remark := engine.set_position(text)):
        return board_of(engine.fen()), []
    engine.options.chess960 = True
    if not engine.set_position(text):
        return board_of(engine.fen()), ["This is Chess960: only there such castling is possible."]
    engine.options.chess960 = False
    return board_of(engine.fen()), [f"{remark}."]
