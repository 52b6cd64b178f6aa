"""A person's session at a terminal: the game, the screen, and what is shown in a turn."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import chess

from uci.analysis.lines import side_name
from uci.game.game import Game, clock_text
from uci.game.opponent import Opponent
from uci.game.sitting import Sitting
from uci.terminal.screen import BOLD, CYAN, GREEN, RED, YELLOW, Screen, board_lines, captured

if TYPE_CHECKING:
    from uci.analysis.games import Analysed
    from uci.board.server import Server

AFTER_THE_GAME = (
    "analyse explains every move in your browser, undo takes moves back, new starts another game, "
    "save keeps this one, quit leaves."
)


class PlaySession(Sitting):
    def __init__(self, screen: Screen, opponent: Opponent, game: Game) -> None:
        super().__init__(game, lambda text: screen.say(text, YELLOW), "load")
        self.screen = screen
        self.opponent = opponent
        self.from_white = game.person == chess.WHITE  # how the board is shown
        self.leaving = False
        self.resigns = False  # and was asked whether that is meant
        self.saved_to: Path | None = None  # this game, with a name of the person's choice
        self.next_level = game.level
        self._opening = ""  # the name that was shown last
        self._page: Server | None = None  # of the game that was analysed last

    def begin(self, game: Game) -> None:
        """Start with this game or position; the engine moves if it is its turn."""
        self.next_level = game.level
        self.from_white = game.person == chess.WHITE
        self.saved_to = None
        self._opening = ""
        super().begin(game)
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

    def person_moves(self, move: chess.Move) -> None:
        self.move(move)
        self.go_on()

    def flag_has_fallen(self) -> bool:
        has_fallen = super().flag_has_fallen()
        if has_fallen:
            self.go_on()
        return has_fallen

    def _engine_moves(self) -> None:
        self.screen.pass_by("Wadjet thinks ...")
        self.restart_turn()
        self.screen.say(self.answer(self.opponent.choose(self.game)), BOLD)

    # --- What is shown

    def show_board(self) -> None:
        game, screen = self.game, self.screen
        screen.show(["", *board_lines(game.board, self.from_white, screen), ""])
        opening = self.opening()
        if opening and opening != self._opening:
            self._opening = opening
            screen.say(f"Opening: {opening}", CYAN)
        for side in chess.COLORS:
            if taken := captured(game.board, not side):
                screen.say(f"{side_name(side)} has taken {taken}")
        if game.control is not None:
            white, black = (clock_text(game.clock_ms(side)) for side in (True, False))
            screen.say(f"Clocks: White {white}, Black {black}")
        if game.ending is None and game.board.is_check():
            screen.say("Check!", RED)

    def _finish(self) -> None:
        """Say how the game ended, and show what cost the person points."""
        ending = self.game.ending
        assert ending is not None
        style = {None: YELLOW, self.game.person: GREEN}.get(ending.winner, RED)
        self.screen.say(self.outcome(), f"{BOLD};{style}")
        self.review()
        self.screen.say(AFTER_THE_GAME)

    def open_page(self, analysed: Analysed) -> None:
        """With an engine behind it, in the browser, if there is one; until the session ends."""
        from uci.board.browser import has_browser, open_browser  # not at startup: it takes longer
        from uci.board.command import server_of

        if not has_browser():
            return
        if self._page is not None:
            self._page.shutdown()
        self._page = server_of([analysed])
        threading.Thread(target=self._page.run, daemon=True).start()
        if open_browser(self._page.address):
            self.screen.say(f"Your browser shows it on a board: {self._page.address}")

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
        self.screen.say("What cost you most (??: blunder, ?: mistake, ?!: inaccuracy):", BOLD)
        for mistake in mistakes:
            self.screen.say(mistake.name, RED)
            for sentence in mistake.explanation():
                self.screen.say(f"  {sentence}")
