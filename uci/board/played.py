"""The game that is played at a desk: the person's acts, the engine's moves, the clocks.

What changes the game names the `revision` that the tab has seen: a tab that is behind is refused
and changes nothing. An act that cannot be done does nothing and raises RefusedError with the
reason.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import chess

from engine.settings import RANGES
from uci.board.asked import RefusedError, text_in
from uci.board.tabs import Tabs
from uci.board.worker import Worker
from uci.game import newcomer
from uci.game.game import Game
from uci.game.newcomer import strength
from uci.game.opponent import Opponent
from uci.game.sitting import Sitting, hint, standing_of, who_plays

GO_BACK = '"Continue last game"'
AFTER_THE_GAME = '"Explain the game" shows what your moves cost.'


class PlayedGame:
    """Guarded by the lock of its desk."""

    def __init__(
        self,
        lock: threading.RLock,
        worker: Worker,
        tabs: Tabs,
        tell: Callable[..., None],
        changed: Callable[[], None],
    ) -> None:
        """`tell` sends a message to the tabs; `changed` is called when the game has."""
        self._lock = lock
        self._worker = worker
        self._tabs = tabs
        self._tell = tell
        self._changed = changed
        self._sitting: Sitting | None = None
        self._thinks = False
        self.revision = 0

    def __bool__(self) -> bool:
        """Whether a game is played here, or was played and is still there."""
        return self._sitting is not None

    def state(self) -> dict[str, Any]:
        """What a tab shows of it."""
        state: dict[str, Any] = {
            "revision": self.revision, "thinks": self._thinks, "on": False,
            "words": "Move the pieces, or paste a game.", "newcomer": not newcomer.remembered(),
        }  # fmt: skip
        sitting = self._sitting
        if sitting is None:
            return state
        game = sitting.game
        state |= {"on": game.ending is None, "played": True, "level": game.level}
        state["person"] = 0 if game.person else 1
        if game.control is not None:
            state["clocks"] = [round(sitting.left_ms(side)) for side in chess.COLORS]
            running = game.ending is None and bool(self._tabs)
            state["running"] = (0 if game.board.turn else 1) if running else None
        state["words"] = self._words(sitting)
        state["opening"] = sitting.opening()
        return state

    def _words(self, sitting: Sitting) -> str:
        if sitting.game.ending is not None:
            return f"{sitting.outcome()} {AFTER_THE_GAME}"
        turn = "Wadjet thinks." if self._thinks else "It is your move."
        who = who_plays(sitting.game)
        return f"{who[0].upper()}{who[1:]} {turn}"

    @property
    def game(self) -> Game | None:
        return None if self._sitting is None else self._sitting.game

    # --- Games and clocks

    def begin(self, game: Game, remark: Callable[[str], None]) -> None:
        """Play this game from now on; an unfinished one is set aside. `go_on` lets it begin.
        `remark` takes words about the files of games."""
        self.stop()
        if self._sitting is None:
            self._sitting = Sitting(game, remark, GO_BACK)
        else:
            self._sitting.set_aside()
        self._sitting.begin(game)
        if not self._tabs:
            self._sitting.pause()

    def remember(self, level: int | None) -> None:
        """The next game begins at this level."""
        if self._sitting is not None:
            self._sitting.remember(level)

    def leave(self) -> None:
        """Nobody plays; the game stays in its file."""
        self.stop()
        self._sitting = None
        self.revision += 1

    def stop(self) -> None:
        """What the engine thinks of is not wanted any more."""
        self._thinks = False
        self._worker.hurry()

    def keep(self) -> None:
        if self._sitting is not None:
            self._sitting.keep()

    def pause(self) -> None:
        """The person's clock stands until `resume`."""
        if self._sitting is not None and not self._thinks:
            self._sitting.pause()

    def resume(self) -> None:
        if self._sitting is not None:
            self._sitting.resume()

    def watch_clock(self) -> None:
        if self._sitting is not None and self._sitting.flag_has_fallen():
            self.go_on()

    def hurry(self) -> None:
        """Somebody waits for the engine."""
        if self._thinks:
            self._worker.hurry()

    # --- Moves

    def go_on(self) -> None:
        """Something has changed in the game: tell it, and let the engine move."""
        sitting = self._sitting
        assert sitting is not None
        self.revision += 1
        game = sitting.game
        self._thinks = game.ending is None and not game.persons_turn
        if self._thinks:
            sitting.resume()
            self._worker.ask(self._think(self.revision))
        self._changed()

    def move(self, move: chess.Move) -> None:
        """The person's, or of nobody if their time is over."""
        sitting = self._sitting
        assert sitting is not None
        if sitting.game.ending is not None:
            raise RefusedError("The game is over. Take a move back, or begin another.")
        if not sitting.game.persons_turn:
            raise RefusedError("It is Wadjet's move.")
        if not sitting.flag_has_fallen():
            sitting.move(move)
        self.go_on()

    def _think(self, revision: int) -> Callable[[Opponent], None]:
        def think(opponent: Opponent) -> None:
            with self._lock:
                sitting = self._sitting
                if sitting is None or self.revision != revision:
                    return
                limits = opponent.prepare(sitting.game)
            move = opponent.play(limits)
            with self._lock:
                if self.revision == revision and sitting is self._sitting:
                    said = sitting.answer(move)
                    if not self._tabs:
                        sitting.pause()
                    self.go_on()
                    self._talk(said)

        return self._watched(think)

    def _watched(self, job: Callable[[Opponent], None]) -> Callable[[Opponent], None]:
        """The same job; what fails in it is told."""

        def watched(opponent: Opponent) -> None:
            try:
                job(opponent)
            except Exception as error:
                self._talk(f"The engine has failed: {error}")
                raise

        return watched

    def _talk(self, words: str) -> None:
        self._tell("talk", words=words)

    # --- What tabs ask

    def check_revision(self, arguments: dict[str, Any]) -> None:
        if arguments.get("revision") != self.revision:
            raise RefusedError("The game has changed in another tab.")

    def _played(self, arguments: dict[str, Any]) -> Sitting:
        if self._sitting is None:
            raise RefusedError("No game is being played.")
        self.check_revision(arguments)
        return self._sitting

    def _going_on(self, arguments: dict[str, Any]) -> Sitting:
        sitting = self._played(arguments)
        if sitting.game.ending is not None:
            raise RefusedError("The game is over.")
        return sitting

    def back(self, arguments: dict[str, Any]) -> None:
        with self._lock:
            sitting = self._played(arguments)
            if not sitting.game.undo():
                raise RefusedError("There is no move of yours to take back.")
            self.stop()
            sitting.restart_turn()
            sitting.keep()
            self.go_on()

    def hint(self, arguments: dict[str, Any]) -> None:
        with self._lock:
            sitting = self._going_on(arguments)
            if not sitting.game.persons_turn:
                raise RefusedError("It is Wadjet's move.")
            game, revision = Game(sitting.game.board.copy()), self.revision

        def advise(opponent: Opponent) -> None:
            move = standing_of(opponent, game).line.moves[0]
            with self._lock:
                if self.revision == revision:
                    self._tell("hint", words=hint(game.board, move), uci=move.uci(),
                               fen=game.board.fen())  # fmt: skip

        self._worker.ask(self._watched(advise))

    def draw(self, arguments: dict[str, Any]) -> None:
        with self._lock:
            sitting = self._going_on(arguments)
            if reason := sitting.why_no_draw_yet():
                raise RefusedError(reason)
            game, revision = Game(sitting.game.board.copy()), self.revision

        def consider(opponent: Opponent) -> None:
            standing = standing_of(opponent, game)
            with self._lock:
                if self.revision != revision or sitting is not self._sitting:
                    return
                reason = sitting.why_no_draw(standing)
                if reason:
                    self._talk(reason)
                else:
                    self.go_on()

        self._worker.ask(self._watched(consider))

    def resign(self, arguments: dict[str, Any]) -> None:
        with self._lock:
            sitting = self._going_on(arguments)
            sitting.game.resign()
            sitting.keep()
            self.stop()
            self.go_on()

    def level(self, arguments: dict[str, Any]) -> None:
        """How well the person plays, as an answer to the newcomer's question or as a rating."""
        with self._lock:
            sitting = self._played(arguments)
            try:
                level = newcomer.answered(text_in(arguments, "level", 10), RANGES["elo"])
            except ValueError as reason:
                raise RefusedError(f"{reason}.") from None
            sitting.game.level = level
            sitting.remember(level)
            sitting.keep()
            self._changed()
            self._talk(f"I play {strength(level)}.")
