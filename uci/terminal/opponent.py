"""The engine as an opponent and adviser: levels, moves, and judgements of positions."""

from __future__ import annotations

from dataclasses import dataclass

import chess

from engine.answers import Answer
from engine.api import Engine
from engine.limits import Limits
from engine.settings import RANGES
from uci.analysis.judgement import expected_points
from uci.terminal.game import Game, ending_by_rule


@dataclass(frozen=True)
class Verdict:
    """What the engine, at full strength, thinks of a position."""

    centipawns: int | None  # White's view; None if mate is in sight
    mate: int | None  # moves; positive: White mates
    chances: tuple[int, int, int]  # White wins, draw, Black wins: per mille
    line: tuple[chess.Move, ...]  # the best one; empty if the game is over

    def points(self, side: chess.Color) -> float:
        """Of 100, what the side can expect."""
        white = expected_points(self.chances)
        return white if side == chess.WHITE else 100 - white

    def mate_for(self, side: chess.Color) -> int | None:
        """In how many moves the side mates, if it does."""
        mate = self.mate if side == chess.WHITE else -(self.mate or 0)
        return mate if mate else None


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

    def judge(self, board: chess.Board, limits: Limits) -> Verdict:
        """At full strength, whatever the level."""
        ending = ending_by_rule(board)
        if ending is not None:
            chances = {True: (1000, 0, 0), False: (0, 0, 1000), None: (0, 1000, 0)}[ending.winner]
            return Verdict(0 if ending.winner is None else None, None, chances, ())
        self.engine.set_position(board)
        return _verdict(self.engine.analyse(limits), board.turn)


def _verdict(answer: Answer, side: chess.Color) -> Verdict:
    """From the view of the side to move to White's."""
    best = answer.lines[0]
    sign = 1 if side == chess.WHITE else -1
    centipawns, mate = best.score.centipawns, best.score.mate
    chances = best.win_draw_loss or (0, 1000, 0)
    return Verdict(
        None if centipawns is None else sign * centipawns,
        None if mate is None else sign * mate,
        chances if side == chess.WHITE else (chances[2], chances[1], chances[0]),
        tuple(chess.Move.from_uci(move) for move in best.pv),
    )
