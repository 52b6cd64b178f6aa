"""The engine as an opponent and adviser: levels, moves, and judgements of positions."""

from __future__ import annotations

from collections.abc import Callable

import chess

from engine.api import Engine
from engine.limits import Limits
from engine.settings import RANGES
from uci.analysis.judgement import Mark, MoveReview
from uci.analysis.lines import Line, best_lines
from uci.terminal.game import Game, ending_by_rule

MOST_MISTAKES = 6  # the worst ones are shown
# Enough to see short tactics, little enough for two positions in the blink of an eye.
LOOK = Limits(nodes=60_000, movetime_ms=500)


class Opponent:
    """Owns the engine."""

    def __init__(self, seconds: float) -> None:
        """`seconds`: for a move in games without clocks."""
        self.engine = Engine(show_wdl=True)
        self.engine.options.own_book = True  # so that no two games are alike
        self._seconds = seconds

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
        self.engine.set_position(game.board)
        if game.control is None:
            limits = Limits(movetime_ms=max(1, round(1000 * self._seconds)))
        else:
            limits = Limits(
                white_time_ms=game.clock_ms(chess.WHITE),
                black_time_ms=game.clock_ms(chess.BLACK),
                white_increment_ms=game.control.increment_ms,
                black_increment_ms=game.control.increment_ms,
            )
        return chess.Move.from_uci(self.engine.play(limits).best_move or "")

    def judge(self, board: chess.Board, limits: Limits) -> Line:
        """The best line at full strength, whatever the level; without moves if the game is over."""
        ending = ending_by_rule(board)
        if ending is None:
            return best_lines(self.engine, board, limits)[0]
        chances = {True: (1000, 0, 0), False: (0, 0, 1000), None: (0, 1000, 0)}[ending.winner]
        is_draw = ending.winner is None
        return Line(0 if is_draw else None, None if is_draw else 0, chances, ())

    def find_mistakes(self, game: Game, progress: Callable[[int, int], None]) -> list[MoveReview]:
        """The person's mistakes, the worst ones if there are many, in the order of the game.

        `progress` is called with the number of moves done, and of all.
        """
        board = game.board.root()
        moves = []
        for move in game.board.move_stack:
            if board.turn == game.person:
                moves.append((board.copy(), move))
            board.push(move)
        mistakes = []
        for number, (board, move) in enumerate(moves):
            progress(number, len(moves))
            before = self.judge(board, LOOK)
            if before.moves and before.moves[0] != move:
                then = board.copy()
                then.push(move)
                review = MoveReview(board, move, before, self.judge(then, LOOK))
                if review.lost >= Mark.MISTAKE.least:
                    mistakes.append(review)
        worst = sorted(mistakes, key=lambda mistake: -mistake.lost)[:MOST_MISTAKES]
        return [mistake for mistake in mistakes if mistake in worst]
