"""A person's session: the game, the opponent, the screen, and what happens in a turn."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import chess

from engine.files import reason_of
from openings.game import NamedGame
from uci.analysis.judgement import in_words
from uci.terminal import pgn
from uci.terminal.game import Game, clock_text
from uci.terminal.opponent import Opponent
from uci.terminal.screen import BOLD, CYAN, GREEN, RED, YELLOW, Screen, board_lines

AFTER_THE_GAME = (
    "analyse explains every move in your browser, undo takes moves back, new starts another game, "
    "save keeps this one, quit leaves."
)


class PlaySession:
    def __init__(self, screen: Screen, opponent: Opponent, game: Game) -> None:
        self.screen = screen
        self.opponent = opponent
        self.game = game
        self.from_white = game.person == chess.WHITE  # how the board is shown
        self.leaving = False
        self.saved_to: Path | None = None  # this game, with a name of the person's choice
        self._names = NamedGame()
        self._opening = ""  # the name that was shown last
        self.keeps = True  # False after a failure, which was shown
        self.next_level = game.level
        self._turn_started = 0.0

    # --- Games

    def set_aside(self) -> None:
        """Keep an unfinished game before another takes its place."""
        if self.game.ending is None and self.game.board.move_stack:
            self._write(pgn.previous_path)
            if self.keeps:
                self.screen.say("The previous game is kept: load continues it.")

    def begin(self, game: Game) -> None:
        """Start with this game or position; the engine moves if it is its turn."""
        self.game = game
        self.next_level = game.level
        self.from_white = game.person == chess.WHITE
        self.saved_to = None
        self._opening = ""
        self.opponent.set_level(game.level)
        self.opponent.engine.new_game()
        self.go_on()

    def go_on(self) -> None:
        """Show the board, let the engine move if it is its turn, and await the person."""
        self.keep()
        if self.game.ending is None and not self.game.persons_turn:
            if not self.game.board.move_stack:
                self.show_board()
            self._engine_moves()
        self.show_board()
        if self.game.ending is not None:
            self._finish()
        self.restart_turn()

    def keep(self) -> None:
        if self.keeps:
            self._write(pgn.kept_path)

    def _write(self, place: Callable[[], Path]) -> None:
        try:
            pgn.write(self.game, place())
        except OSError as reason:
            self.keeps = False
            self.screen.say(f"The game cannot be kept: {reason_of(reason)}", YELLOW)

    # --- Turns

    def spent_ms(self) -> float:
        """By the person in this turn."""
        return 1000 * (time.monotonic() - self._turn_started)

    def restart_turn(self) -> None:
        """The person's clock runs from now on."""
        self._turn_started = time.monotonic()

    def person_moves(self, move: chess.Move) -> None:
        self.game.push(move, self.spent_ms())
        self.go_on()

    def flag_has_fallen(self) -> bool:
        """Whether the person's time is over; this ends the game."""
        game = self.game
        if game.ending is not None or game.control is None or not game.persons_turn:
            return False
        if self.spent_ms() < game.clock_ms(game.person):
            return False
        game.lose_on_time(game.person)
        self.go_on()
        return True

    def _engine_moves(self) -> None:
        game = self.game
        self.screen.pass_by("Wadjet thinks ...")
        started = time.monotonic()
        move = self.opponent.choose(game)
        spent_ms = 1000 * (time.monotonic() - started)
        shown = game.board.variation_san([move])
        said = f"Wadjet plays {shown} ({in_words(game.board, move)})."
        late = game.control is not None and spent_ms > game.clock_ms(not game.person)
        game.push(move, spent_ms)
        if late:
            game.lose_on_time(not game.person)
        self.keep()
        self.screen.say(said, BOLD)

    # --- What is shown

    def show_board(self) -> None:
        game, screen = self.game, self.screen
        screen.show(["", *board_lines(game.board, self.from_white, screen), ""])
        opening = self.opening()
        if opening and opening != self._opening:
            self._opening = opening
            screen.say(f"Opening: {opening}", CYAN)
        if game.control is not None:
            white, black = (clock_text(game.clock_ms(side)) for side in (True, False))
            screen.say(f"Clocks: White {white}, Black {black}")
        if game.ending is None and game.board.is_check():
            screen.say("Check!", RED)

    def opening(self) -> str:
        """The last name that a position of the game has; empty if none has."""
        board = self.game.board
        self._names.follow(board.root().fen(), [move.uci() for move in board.move_stack])
        return str(self._names.opening or "")

    def _finish(self) -> None:
        """Say how the game ended, and show what cost the person points."""
        ending = self.game.ending
        assert ending is not None
        if ending.winner is None:
            outcome, style = "The game is drawn", YELLOW
        elif ending.winner == self.game.person:
            outcome, style = "You win", GREEN
        else:
            outcome, style = "Wadjet wins", RED
        self.screen.say(f"{ending.reason}. {outcome}, {ending.result}.", f"{BOLD};{style}")
        self.review()
        self.screen.say(AFTER_THE_GAME)

    def review(self) -> None:
        """Show the mistakes. Ctrl-C goes on without them."""
        if not self.game.board.move_stack:
            return

        def progress(done: int, of: int) -> None:
            self.screen.pass_by(f"Looking through your moves: {done} of {of} (Ctrl-C skips)")

        try:
            mistakes = self.opponent.find_mistakes(self.game, progress)
        except KeyboardInterrupt:
            self.screen.say("Skipped.")
            return
        self.screen.end_passing()
        if not mistakes:
            self.screen.say("You made no blunder: every move of yours kept your chances.")
            return
        self.screen.say("What cost you most (??: blunder, ?: mistake):", BOLD)
        for mistake in mistakes:
            self.screen.say(mistake.name, RED)
            for sentence in mistake.explanation():
                self.screen.say(f"  {sentence}")
