"""What stands behind the page: its games, one of them perhaps played against the engine.

A desk is one person's. All tabs of the browser show the same games, and each looks at the position
it likes; the engine shows the lines of the position that was looked at last. A tab names the
position that it speaks of by the moves that lead there, and for what changes the played game also
the `revision` that it has seen: a tab that is behind is refused and changes nothing.

Tabs ask by `act`, and hear by `watch` of what changed: `sheet` (a game, see sheet.py), `play` (the
played game and the engine), `look` (the engine's lines), `talk` (words for the person), `reload`
(other games). An act that cannot be done does nothing and raises RefusedError with the reason.
"""

from __future__ import annotations

import queue
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

import chess
import chess.pgn

from engine.board.ending import ending_by_rule
from engine.files import reason_of
from engine.machine import cores
from engine.people import MIDDLE_RATING
from openings.pgn import read_games
from uci.analysis.batch import GAME_LIMITS, Analysts
from uci.analysis.judgement import Review, rating_in, review
from uci.analysis.lines import Line
from uci.analysis.pgn import annotate
from uci.analysis.sheet import explained, look, sheet
from uci.analysis.standing import Standing
from uci.board.asked import (
    LONGEST_FEN,
    LONGEST_TEXT,
    RefusedError,
    follow,
    legal_in,
    level_in,
    number_in,
    text_in,
)
from uci.board.tabs import Tabs
from uci.board.worker import Findings, Look, Worker
from uci.game import files
from uci.game.game import Game, TimeControl
from uci.game.moves import MoveError, read_move
from uci.game.opponent import Opponent
from uci.game.sitting import (
    Sitting,
    hint,
    read_fen,
    read_game,
    read_side,
    standing_of,
    strength,
    who_plays,
)
from uci.text import brief

MOST_LINES = 5
PATIENCE_S = 30.0  # for the engine to say whether a position is possible


@dataclass(eq=False)
class Shown:
    """A game of the desk."""

    record: chess.pgn.Game
    review: Review | None = None


class Desk:
    def __init__(self, make_opponent: Callable[[], Opponent], games: Sequence[Shown] = ()) -> None:
        self._lock = threading.RLock()  # guards everything; never held during a search
        self._worker = Worker(make_opponent)
        self.tabs = Tabs()
        self._games = list(games) or [Shown(chess.pgn.Game())]
        self._sitting: Sitting | None = None  # at the first game
        self._revision = 0
        self._thinks = False
        self._analysing: list[int] | None = None  # positions done, and of all
        self._is_live, self._lines = False, 1
        self._looked: tuple[int, chess.Board] | None = None
        self._acts: dict[str, Callable[[dict[str, Any]], dict[str, Any] | None]] = {
            "look": self._look, "live": self._live, "move": self._move, "back": self._back,
            "hint": self._hint, "draw": self._draw, "resign": self._resign, "level": self._level,
            "new": self._new, "load": self._load, "resume": self._resume, "analyse": self._analyse,
        }  # fmt: skip

    def close(self) -> None:
        """End the engine; the game is kept."""
        self._worker.close()

    # --- What tabs see

    def state(self) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """All games as sheets, and the state of play."""
        with self._lock:
            return [self._sheet(number) for number in range(len(self._games))], self._play()

    @contextmanager
    def watch(self) -> Iterator[queue.Queue[str]]:
        """Messages in JSON from now on. Raises RefusedError if too many watch."""
        with self._lock:
            heard = self.tabs.add()
            if self._sitting is not None:
                self._sitting.resume()
            self._tell_sheet(0)
            self._tell_play()
            self._show_lines()
        try:
            yield heard
        finally:
            with self._lock:
                self.tabs.remove(heard)
                self._rest()

    def _rest(self) -> None:
        """Clocks and engine rest while no tab is there."""
        if self.tabs:
            return
        if self._sitting is not None and not self._thinks:
            self._sitting.pause()
        self._worker.look(None)

    def _tell(self, kind: str, **message: Any) -> None:
        self.tabs.tell(kind, **message)
        self._rest()

    def _talk(self, text: str) -> None:
        self._tell("talk", words=text)

    def _sheet(self, number: int) -> dict[str, Any]:
        shown = self._games[number]
        return sheet(shown.record, shown.review)

    def _tell_sheet(self, number: int) -> None:
        self._tell("sheet", number=number, sheet=self._sheet(number))

    def _tell_play(self) -> None:
        self._tell("play", play=self._play())

    def _play(self) -> dict[str, Any]:
        sitting = self._sitting
        play: dict[str, Any] = {
            "revision": self._revision,
            "live": self._is_live,
            "lines": self._lines,
            "analysing": self._analysing,
            "thinks": self._thinks,
            "on": False,
            "words": "Move the pieces, or paste a game.",
        }
        if sitting is None:
            return play
        game = sitting.game
        play |= {"on": game.ending is None, "played": True, "level": game.level}
        play["person"] = 0 if game.person else 1
        if game.control is not None:
            play["clocks"] = [round(sitting.left_ms(side)) for side in chess.COLORS]
            running = game.ending is None and bool(self.tabs)
            play["running"] = (0 if game.board.turn else 1) if running else None
        play["words"] = self._words(sitting)
        play["opening"] = sitting.opening()
        return play

    def _words(self, sitting: Sitting) -> str:
        if sitting.game.ending is not None:
            return sitting.outcome()
        turn = "Wadjet thinks." if self._thinks else "It is your move."
        who = who_plays(sitting.game)
        return f"{who[0].upper()}{who[1:]} {turn}"

    # --- What tabs ask

    def act(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Carry out an act of a tab. Raises RefusedError."""
        if name not in self._acts:
            raise RefusedError(f"there is no act {brief(name, 20)}")
        return self._acts[name](arguments) or {}

    def begin(self, game: Game) -> None:
        """Play this game from now on."""
        with self._lock:
            if self._sitting is not None:
                self._sitting.set_aside()
            self._stop_everything()
            self._games = [Shown(game.record)]
            self._sitting = Sitting(game, self._talk)
            self._sitting.begin(game)
            if not self.tabs:
                self._sitting.pause()
            self._looked = None
            self._tell("reload")
            self._go_on()

    def show(self, games: Sequence[Shown]) -> None:
        """Show these games from now on; nobody plays. A played game stays in its file."""
        with self._lock:
            self._stop_everything()
            self._games = list(games)
            self._sitting = None
            self._looked = None
            self._revision += 1
            self._tell("reload")

    def _stop_everything(self) -> None:
        self._thinks = False
        self._analysing = None
        self._worker.look(None)
        self._worker.hurry()

    def watch_clock(self) -> None:
        """To be called often: whether the person's time is over."""
        with self._lock:
            if self.tabs and self._sitting is not None and self._sitting.flag_has_fallen():
                self._go_on()

    # --- The played game

    def _go_on(self) -> None:
        """Something has changed in the played game: tell it, and let the engine move."""
        sitting = self._sitting
        assert sitting is not None
        self._revision += 1
        game = sitting.game
        self._thinks = game.ending is None and not game.persons_turn
        if self._thinks:
            sitting.resume()
            self._worker.ask(self._think(self._revision))
        self._tell_sheet(0)
        self._tell_play()
        self._show_lines()

    def _think(self, revision: int) -> Callable[[Opponent], None]:
        def think(opponent: Opponent) -> None:
            with self._lock:
                sitting = self._sitting
                if sitting is None or self._revision != revision:
                    return
                limits = opponent.prepare(sitting.game)
            move = opponent.play(limits)
            with self._lock:
                if self._revision == revision and sitting is self._sitting:
                    said = sitting.answer(move)
                    if not self.tabs:
                        sitting.pause()
                    self._go_on()
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

    def _played(self, arguments: dict[str, Any]) -> Sitting:
        """The sitting at a game that goes on."""
        sitting = self._sitting
        if sitting is None:
            raise RefusedError("No game is being played.")
        self._check_revision(arguments)
        return sitting

    def _check_revision(self, arguments: dict[str, Any]) -> None:
        if arguments.get("revision") != self._revision:
            raise RefusedError("The game has changed in another tab.")

    def _going_on(self, arguments: dict[str, Any]) -> Sitting:
        sitting = self._played(arguments)
        if sitting.game.ending is not None:
            raise RefusedError("The game is over.")
        return sitting

    def _back(self, arguments: dict[str, Any]) -> None:
        with self._lock:
            sitting = self._played(arguments)
            if not sitting.game.undo():
                raise RefusedError("There is no move of yours to take back.")
            self._thinks = False
            self._worker.hurry()
            self._games[0].review = None
            sitting.restart_turn()
            sitting.keep()
            self._go_on()

    def _hint(self, arguments: dict[str, Any]) -> None:
        with self._lock:
            sitting = self._going_on(arguments)
            if not sitting.game.persons_turn:
                raise RefusedError("It is Wadjet's move.")
            game, revision = Game(sitting.game.board.copy()), self._revision

        def advise(opponent: Opponent) -> None:
            move = standing_of(opponent, game).line.moves[0]
            with self._lock:
                if self._revision == revision:
                    self._tell("hint", words=hint(game.board, move), uci=move.uci(),
                               fen=game.board.fen())  # fmt: skip

        self._worker.ask(self._watched(advise))

    def _draw(self, arguments: dict[str, Any]) -> None:
        with self._lock:
            sitting = self._going_on(arguments)
            if reason := sitting.why_no_draw_yet():
                raise RefusedError(reason)
            game, revision = Game(sitting.game.board.copy()), self._revision

        def consider(opponent: Opponent) -> None:
            standing = standing_of(opponent, game)
            with self._lock:
                if self._revision != revision or sitting is not self._sitting:
                    return
                reason = sitting.why_no_draw(standing)
                if reason:
                    self._talk(reason)
                else:
                    self._go_on()

        self._worker.ask(self._watched(consider))

    def _resign(self, arguments: dict[str, Any]) -> None:
        with self._lock:
            sitting = self._going_on(arguments)
            sitting.game.resign()
            sitting.keep()
            self._worker.hurry()
            self._go_on()

    def _level(self, arguments: dict[str, Any]) -> None:
        with self._lock:
            sitting = self._played(arguments)
            sitting.game.level = level_in(arguments)
            sitting.keep()
            self._talk(f"I play {strength(sitting.game.level)}.")
            self._tell_sheet(0)
            self._tell_play()

    def _new(self, arguments: dict[str, Any]) -> None:
        side = read_side(text_in(arguments, "side", 10))
        if side is None:
            raise RefusedError("White, Black or random?")
        level, clock = level_in(arguments), text_in(arguments, "clock", 20)
        try:
            control = TimeControl.read(clock) if clock else None
        except ValueError as reason:
            raise RefusedError(f"{str(reason)[0].upper()}{str(reason)[1:]}.") from None
        board, fen = chess.Board(), text_in(arguments, "fen", LONGEST_FEN)
        if fen == "chess960":
            board = chess.Board.from_chess960_pos(random.randrange(960))
        elif fen:
            board = self.of_engine(lambda opponent: read_fen(opponent, fen))
        with self._lock:
            self._check_revision(arguments)
            self.begin(Game(board, side, level, control))

    def _resume(self, arguments: dict[str, Any]) -> None:
        """Continue the game that is kept or, while it is played, the one before it."""
        try:
            path = files.kept_path() if self._sitting is None else files.previous_path()
            game = self.of_engine(lambda opponent: read_game(opponent, path))
        except FileNotFoundError:
            raise RefusedError("There is no other game to continue.") from None
        except OSError as reason:
            raise RefusedError(reason_of(reason)) from None
        self.begin(game)

    def of_engine(self, job: Callable[[Opponent], Any]) -> Any:
        """What the engine says. Raises RefusedError with the reason for a ValueError."""
        future: Future[Any] = self._worker.ask(job)
        with self._lock:
            if self._thinks:
                self._worker.hurry()
        try:
            return future.result(PATIENCE_S)
        except ValueError as reason:
            raise RefusedError(f"This is not possible: {reason}.") from None

    # --- Positions and moves

    def _move(self, arguments: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            number = number_in(arguments, len(self._games))
            node, board, beyond = follow(self._games[number].record, arguments)
            text = text_in(arguments, "move", 20)
            try:
                move = read_move(board, text)
            except MoveError as reason:
                raise RefusedError(str(reason)) from None
            if move is None:
                raise RefusedError(f"{brief(text, 20)} is not a move.")
            sitting = self._sitting
            if sitting is not None and node is sitting.game.record.end():
                if beyond:
                    raise RefusedError("This line goes beyond the game that you play.")
                if sitting.game.ending is not None:
                    raise RefusedError("The game is over. Take a move back, or begin another.")
                if not sitting.game.persons_turn:
                    raise RefusedError("It is Wadjet's move.")
                if not sitting.flag_has_fallen():
                    sitting.move(move)
                self._games[number].review = None
                self._go_on()
            else:
                if node.is_mainline() and not node.variations:
                    self._games[number].review = None  # of a game that grows
                for step in [*beyond, move]:
                    node = node.variation(step) if node.has_variation(step) else (
                        node.add_variation(step))  # fmt: skip
                self._tell_sheet(number)
            return {"path": [*arguments["path"], move.uci()]}

    def _look(self, arguments: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            number = number_in(arguments, len(self._games))
            _, board, _ = follow(self._games[number].record, arguments)
            self._looked = number, board
            self._show_lines()
        return {"legal": legal_in(board)}

    def _live(self, arguments: dict[str, Any]) -> None:
        on, lines = arguments.get("on"), arguments.get("lines")
        if not isinstance(on, bool) or type(lines) is not int or not 1 <= lines <= MOST_LINES:
            raise RefusedError(f"Lines go from 1 to {MOST_LINES}.")
        with self._lock:
            self._is_live, self._lines = on, lines
            self._tell_play()
            self._show_lines()

    def _show_lines(self) -> None:
        """Of the position that was looked at last, while somebody wants and sees them."""
        if not (self._is_live and self.tabs and self._looked):
            self._worker.look(None)
            return
        number, board = self._looked
        rating = self._rating(number)
        path = [move.uci() for move in board.move_stack]

        def show(findings: Findings) -> None:
            shown = look(board, [Standing(line, rating) for line in findings.lines])
            shown["effort"] = (
                f"depth {findings.depth}, {findings.nodes:,} nodes, "
                f"{findings.nodes_per_second:,} a second"
            )
            with self._lock:
                self._tell("look", number=number, path=path,
                           look=shown | explained(findings.reasons))  # fmt: skip

        if (ending := ending_by_rule(board)) is not None:
            self._worker.look(None)
            over = look(board, [Standing(Line.of(ending), rating)])
            self._tell("look", number=number, path=path, look=over)
        else:
            self._worker.look(Look(board.copy(), self._lines, show, self._talk))

    def _rating(self, number: int) -> int:
        """Of the people for whom a game is judged."""
        if self._sitting is not None:
            return self._sitting.game.level or MIDDLE_RATING
        return rating_in(self._games[number].record)

    # --- Whole games

    def _load(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """A FEN, or games in PGN."""
        text = text_in(arguments, "text", LONGEST_TEXT).strip()
        if not text:
            raise RefusedError("There is nothing to show.")
        if text.partition(" ")[0].count("/") == 7 and "\n" not in text:
            board = self.of_engine(lambda opponent: read_fen(opponent, text[:LONGEST_FEN]))
            self.show([Shown(chess.pgn.Game.from_board(board))])
            return {}
        good, left_out = [], []
        for found in read_games(text.encode()):
            try:
                if not found.refused:
                    self.of_engine(_set_up(found.game.end().board()))
                    good.append(Shown(found.game))
            except RefusedError as reason:
                found = replace(found, refused=str(reason))
            left_out += found.left_out("line", "shown")
        if not good:
            raise RefusedError("; ".join(left_out) or "There is no game in this text.")
        self.show(good)
        return {"said": "; ".join(left_out)}

    def _analyse(self, arguments: dict[str, Any]) -> None:
        """Every position of a game, as `wadjet analyse` does it."""
        with self._lock:
            shown = self._games[number_in(arguments, len(self._games))]
            nodes = [shown.record, *shown.record.mainline()]
            if len(nodes) == 1:
                raise RefusedError("No move has been played.")
            if self._analysing is not None:
                raise RefusedError("A game is being analysed.")
            self._analysing = progress = [0, len(nodes)]
            self._tell_play()
        arguments = {"shown": shown, "nodes": nodes, "progress": progress}
        threading.Thread(target=self._analyse_all, kwargs=arguments, daemon=True).start()

    def _analyse_all(
        self, shown: Shown, nodes: list[chess.pgn.GameNode], progress: list[int]
    ) -> None:
        found = {}
        try:
            analysts = Analysts(min(cores(), len(nodes)))
            for node, analysis in analysts.analyse(nodes, GAME_LIMITS):
                found[node] = analysis
                with self._lock:
                    if self._analysing is not progress:
                        return
                    progress[0] = len(found)
                    self._tell_play()
            with self._lock:
                self._take_in(shown, nodes, [found[node] for node in nodes])
        except Exception as error:
            with self._lock:
                self._talk(f"The analysis has failed: {error}")
            raise
        finally:
            with self._lock, suppress(ValueError):
                if self._analysing is progress:
                    self._analysing = None
                    self._tell_play()

    def _take_in(self, shown: Shown, nodes: list[chess.pgn.GameNode], analyses: list[Any]) -> None:
        if nodes != [shown.record, *shown.record.mainline()]:
            self._talk("The game has changed meanwhile. Analyse it again.")
            return
        if shown not in self._games:
            return
        number = self._games.index(shown)
        shown.review = review(shown.record, analyses, self._rating(number))
        annotate(shown.review)
        if self._sitting is not None:
            self._sitting.keep()
        self._tell_sheet(number)


def _set_up(board: chess.Board) -> Callable[[Opponent], str | None]:
    return lambda opponent: opponent.engine.set_position(board)
