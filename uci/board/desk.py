"""What stands behind the page: the games that it shows, and what is looked at and analysed. The
first game may be one that is played against the engine (played.py).

A desk is one person's. All tabs of the browser show the same games, and each looks at the position
it likes; the engine shows the lines of the position that was looked at last. A tab names the
position that it speaks of by the moves that lead there.

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
from dataclasses import dataclass
from typing import Any

import chess
import chess.pgn

from engine.board.ending import ending_by_rule
from engine.files import reason_of, write_text
from engine.machine import cores
from engine.people import MIDDLE_RATING
from openings.pgn import FoundGame, pgn_text, read_games
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
from uci.board.played import PlayedGame
from uci.board.tabs import Tabs
from uci.board.worker import Findings, Look, Worker
from uci.game import files
from uci.game.game import Game, TimeControl
from uci.game.moves import MoveError, read_move
from uci.game.opponent import Opponent
from uci.game.sitting import read_fen, read_side
from uci.text import brief

MOST_LINES = 5
NEXT_MARK = '"Next mark" goes from one marked move to the next.'
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
        self._game = played = PlayedGame(
            self._lock, self._worker, self.tabs, self._tell, self._played
        )
        self._games = list(games) or [Shown(chess.pgn.Game())]
        self._news: list[str] = []  # about these games, for every new tab
        self._analysing: list[int] | None = None  # positions done, and of all
        self._is_live, self._lines = False, 1
        self._looked: tuple[int, chess.Board] | None = None
        self._acts: dict[str, Callable[[dict[str, Any]], dict[str, Any] | None]] = {
            "look": self._look, "live": self._live, "move": self._move, "back": played.back,
            "hint": played.hint, "draw": played.draw, "resign": played.resign,
            "level": played.level, "new": self._new, "load": self._load, "resume": self._resume,
            "analyse": self._analyse,
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
        """Messages in JSON from now on."""
        with self._lock:
            heard = self.tabs.add()
            self._game.resume()
            self._tell_sheet(0)
            self._tell_play()
            if self._news:
                self._talk(" ".join(self._news))
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
        self._game.pause()
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
        looks = {"live": self._is_live, "lines": self._lines, "analysing": self._analysing}
        return self._game.state() | looks

    def _played(self) -> None:
        """The played game has changed."""
        shown = self._games[0]
        if shown.review and len(shown.review.moves) != len(list(shown.record.mainline())):
            shown.review = None
        self._tell_sheet(0)
        self._tell_play()
        self._show_lines()

    # --- What tabs ask

    def act(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Carry out an act of a tab. Raises RefusedError."""
        if name not in self._acts:
            raise RefusedError(f"there is no act {brief(name, 20)}")
        return self._acts[name](arguments) or {}

    def begin(self, game: Game) -> None:
        """Play this game from now on."""
        with self._lock:
            self._news = [*game.left_out]
            self._game.begin(game, self._remark)
            self._put([Shown(game.record)])
            self._game.go_on()

    def remember(self, level: int | None) -> None:
        """The next game begins at this level."""
        with self._lock:
            self._game.remember(level)

    def show(self, games: Sequence[Shown], news: Sequence[str] = ()) -> None:
        """Show these games from now on; nobody plays. A played game stays in its file."""
        with self._lock:
            self._news = [*news]
            self._game.leave()
            self._put(games)

    def _put(self, games: Sequence[Shown]) -> None:
        self._analysing = None
        self._worker.look(None)
        self._games = list(games)
        self._looked = None
        self._tell("reload")

    def _remark(self, text: str) -> None:
        """About the files of games."""
        self._news.append(text)
        self._talk(text)

    def _keep(self) -> None:
        """What is shown, after a change."""
        if self._game:
            self._game.keep()
            return
        try:
            path = files.analysis_path()
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, pgn_text(shown.record for shown in self._games))
        except OSError as reason:
            self._talk(f"The analysis cannot be kept: {reason_of(reason)}")

    def watch_clock(self) -> None:
        """To be called often: whether the person's time is over."""
        with self._lock:
            if self.tabs:
                self._game.watch_clock()

    # --- Other games

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
        left_out: list[str] = []
        if fen == "chess960":
            board = chess.Board.from_chess960_pos(random.randrange(960))
        elif fen == "here":
            with self._lock:
                number = number_in(arguments, len(self._games))
                board = follow(self._games[number].record, arguments)[1].copy(stack=False)
        elif fen:
            board, left_out = self.of_engine(lambda opponent: read_fen(opponent, fen))
        game = Game(board, side, level, control)
        game.left_out = left_out
        with self._lock:
            self._game.check_revision(arguments)
            self.begin(game)
            self._game.remember(level)

    def _resume(self, arguments: dict[str, Any]) -> None:
        """Continue the game that is kept or, while it is played, the one before it."""
        try:
            path = files.previous_path() if self._game else files.kept_path()
            game = self.of_engine(lambda opponent: files.read(path, opponent.engine.set_position))
        except FileNotFoundError:
            raise RefusedError("There is no other game to continue.") from None
        except OSError as reason:
            raise RefusedError(reason_of(reason)) from None
        self.begin(game)

    def of_engine(self, job: Callable[[Opponent], Any]) -> Any:
        """What the engine says. Raises RefusedError with the reason for a ValueError."""
        future: Future[Any] = self._worker.ask(job)
        with self._lock:
            self._game.hurry()
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
            game = self._game.game
            if game is not None and node is game.record.end():
                if beyond:
                    raise RefusedError("This line goes beyond the game that you play.")
                self._game.move(move)
            else:
                if node.is_mainline() and not node.variations:
                    self._games[number].review = None  # of a game that grows
                for step in [*beyond, move]:
                    node = node.variation(step) if node.has_variation(step) else (
                        node.add_variation(step))  # fmt: skip
                self._keep()
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
        if (game := self._game.game) is not None:
            return game.level or MIDDLE_RATING
        return rating_in(self._games[number].record)

    # --- Whole games

    def _load(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """A FEN, or games in PGN."""
        text = text_in(arguments, "text", LONGEST_TEXT).strip()
        if not text:
            raise RefusedError("There is nothing to show.")
        is_fen = text.partition(" ")[0].count("/") == 7 and "\n" not in text
        if is_fen or text == "startpos":
            board, news = self.of_engine(lambda opponent: read_fen(opponent, text[:LONGEST_FEN]))
            good = [Shown(chess.pgn.Game.from_board(board))]
        else:
            good, news = self.read(text.encode(), "line")
        if not good:
            raise RefusedError("; ".join(news) or "There is no game in this text.")
        with self._lock:
            self.show(good, news)
            self._keep()
        return {"said": " ".join(news)}

    def read(self, text: bytes, name: object) -> tuple[list[Shown], list[str]]:
        """The games of a file with this name, and what was left out of it."""
        found = [one if one.refused else self.of_engine(_checked(one)) for one in read_games(text)]
        left_out = [words for one in found for words in one.left_out(name, "shown")]
        return [Shown(one.game) for one in found if not one.refused], left_out

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
        self._keep()
        self._tell_sheet(number)
        is_marked = any(move.mark is not None for move in shown.review.moves)
        self._talk(f"All is explained. {NEXT_MARK if is_marked else 'No move is marked.'}")


def _checked(found: FoundGame) -> Callable[[Opponent], FoundGame]:
    return lambda opponent: found.checked(opponent.engine.set_position)
