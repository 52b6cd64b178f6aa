"""The engine as an opponent and adviser: levels, moves, and judgements of positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import chess
from chess.pgn import GameNode

from engine.api import Engine
from engine.limits import Limits
from engine.machine import cores
from engine.settings import RANGES
from uci.analysis.batch import GAME_LIMITS, Analysts
from uci.analysis.judgement import Mark, MoveReview, review
from uci.analysis.lines import Analysis, Line, best_lines
from uci.game.game import Game

MOST_MISTAKES = 6  # the worst ones are shown
Progress = Callable[[int, int], None]


class Opponent:
    """Owns the engine."""

    def __init__(self, seconds: float) -> None:
        """`seconds`: for a move in games without clocks."""
        self.engine = Engine(show_wdl=True)
        self.engine.options.own_book = True  # so that no two games are alike
        self._seconds = seconds
        self._game: Game | None = None  # that it plays

    # --- Levels

    @property
    def levels(self) -> tuple[int, int]:
        """The lowest and the highest."""
        return RANGES["elo"]

    def set_level(self, level: int | None) -> None:
        """None: full strength."""
        self.engine.options.limit_strength = level is not None
        if level is not None:
            self.engine.options.elo = level

    # --- Playing and judging

    def choose(self, game: Game) -> chess.Move:
        return self.play(self.prepare(game))

    def prepare(self, game: Game) -> Limits:
        """Set level and position; what is left needs neither the game nor its board."""
        self.engine.options.multi_pv = 1
        self.set_level(game.level)
        if game is not self._game:
            self._game = game
            self.engine.new_game()
        self.engine.set_position(game.board)
        if game.control is None:
            return Limits(movetime_ms=max(1, round(1000 * self._seconds)))
        return Limits(
            white_time_ms=game.clock_ms(chess.WHITE),
            black_time_ms=game.clock_ms(chess.BLACK),
            white_increment_ms=game.control.increment_ms,
            black_increment_ms=game.control.increment_ms,
        )

    def play(self, limits: Limits) -> chess.Move:
        return chess.Move.from_uci(self.engine.play(limits).best_move or "")

    def judge(self, board: chess.Board, limits: Limits) -> Line:
        """The best line at full strength, whatever the level; without moves if the game is over."""
        self.engine.options.multi_pv = 1
        return best_lines(self.engine, board, limits, claimed=True)[0]

    def find_mistakes(self, game: Game, progress: Progress) -> list[MoveReview]:
        """The person's mistakes, the worst ones if there are many, in the order of the game."""
        game.record.headers["Result"] = game.ending.result if game.ending else "*"
        analyses = self.analyses([game.record, *game.record.mainline()], progress)
        mistakes = [
            move
            for move in review(game.record, analyses, game.level).moves
            if move.board.turn == game.person and move.mark and (
                move.mark is not Mark.INACCURACY or move.missed_mate or move.allowed_mate
            )
        ]  # fmt: skip
        worst = sorted(mistakes, key=lambda mistake: -mistake.lost())[:MOST_MISTAKES]
        return [mistake for mistake in mistakes if mistake in worst]

    def analyses(self, nodes: Sequence[GameNode], progress: Progress) -> list[Analysis]:
        """As `wadjet analyse` makes them. `progress` is called with the number of positions done,
        and of all."""
        found = {}
        for node, analysis in Analysts(min(cores(), len(nodes))).analyse(nodes, GAME_LIMITS):
            found[node] = analysis
            progress(len(found), len(nodes))
        return [found[node] for node in nodes]
