"""Who plays: levels of this engine, in this process, and other engines as anchors of the scale."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

import chess
import chess.engine

from engine.board.fen import START, set_fen
from engine.board.game import push
from engine.board.notation import legal_moves, move_text, parse_move
from engine.play.levels import level_at
from engine.play.limited import LimitedTurn
from engine.play.state import EngineState
from engine.search.deepening import MAX_DEPTH
from engine.search.root import Iterations
from engine.search.root_moves import set_root_moves
from engine.settings import Settings
from tuning.engines import command_of, engine


class Player(Protocol):
    """Somebody who plays one side of a game."""

    def new_game(self) -> None: ...

    def move(self, board: chess.Board) -> chess.Move: ...


@dataclass(frozen=True)
class Anchor:
    """Another engine. `estimate`: what it may be worth under these limits."""

    name: str
    command: str  # as the matches take it
    limit: chess.engine.Limit
    estimate: float | None = None

    @property
    def is_installed(self) -> bool:
        return shutil.which(command_of(self.command)[0]) is not None


# Fixed depths do not depend on the machine. At these the engines search some 5,000 (Ethereal) and
# 16,000 nodes a move; the rating lists (CCRL Blitz) let them search some 3.6 million. A halving of
# the nodes is taken to cost 65 points, 9.4 and 7.8 times. These estimates
# are rough: they stand in the table beside what the games say, and do not enter the ratings.
_EASY_CLOCK = chess.engine.Limit(white_clock=4.0, black_clock=4.0, remaining_moves=40)
ANCHORS = (
    Anchor("Ethereal 12.00, depth 8", "ethereal-chess", chess.engine.Limit(depth=8), 2770),
    Anchor("Toga II 3.0, depth 6", "toga2", chess.engine.Limit(depth=6), 2350),
    Anchor("Glaurung 2.2, depth 4", "glaurung", chess.engine.Limit(depth=4)),
    # It obeys only clocks, so what it is worth depends on the machine: no estimate.
    Anchor("Phalanx, easy 60", "xboard:phalanx -b- -l- -e60", _EASY_CLOCK),
    Anchor("GNU Chess 6.2.7, depth 2", "gnuchess --uci", chess.engine.Limit(depth=2)),
    Anchor("HoiChess, depth 2", "xboard:hoichess", chess.engine.Limit(depth=2)),
)


def level_name(elo: float) -> str:
    """Names a level with its constants, so that games with others are not mixed with its own."""
    constants = [f"{value:.6g}" for value in level_at(elo)[1:]]
    digest = hashlib.sha256(" ".join(constants).encode()).hexdigest()[:6]
    return f"level {digest}"


class LevelPlayer:
    """A level of this engine, without threads, clocks and tablebases: games are quick."""

    def __init__(self, elo: float):
        self._level = level_at(elo)
        self._state = EngineState(Settings(hash_mb=1))
        self._played: list[chess.Move] = []  # on the pool's position
        self.new_game()

    def new_game(self) -> None:
        self._state.new_game()
        set_fen(self._state.position, START)
        self._played = []

    def move(self, board: chess.Board) -> chess.Move:
        """For games that begin with the usual position."""
        pos, main = self._state.position, self._state.workers[0]
        if self._played != board.move_stack[: len(self._played)]:
            self.new_game()
        for move in board.move_stack[len(self._played) :]:
            push(pos, parse_move(pos, main.lists, move.uci()))
        self._played = list(board.move_stack)
        turn = LimitedTurn(self._level, self._state)
        with turn:
            moves = turn.begin(legal_moves(pos, main.lists), is_known=False)
            main.position.copy_from(pos)
            main.nodes, main.stop, main.node_limit = 0, 0, turn.most_nodes
            set_root_moves(main, moves)
            iterations = Iterations(main, turn.effort.candidates)
            turn.deepen(iterations, MAX_DEPTH, lambda: None)
            chosen = turn.choose(iterations.lines)
        return chess.Move.from_uci(move_text(chosen.moves[0], False))


class ProgramPlayer:
    """Another engine."""

    def __init__(self, running: chess.engine.SimpleEngine, limit: chess.engine.Limit):
        self._running = running
        self._limit = limit
        self._game = object()

    def new_game(self) -> None:
        self._game = object()

    def move(self, board: chess.Board) -> chess.Move:
        played = self._running.play(board, self._limit, game=self._game)
        if played.move is None:
            raise OSError("an engine gave no move")
        return played.move


@contextmanager
def seat(anchor: Anchor) -> Iterator[ProgramPlayer]:
    """A running anchor. Raises OSError if it does not start."""
    with engine(anchor.command) as running:
        yield ProgramPlayer(running, anchor.limit)
