"""Who plays: levels of this engine, in this process, and other engines as anchors of the scale."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from random import Random

import chess
import chess.engine

from engine.board.fen import set_fen
from engine.board.game import push
from engine.board.notation import legal_moves, move_text, parse_move
from engine.play.levels import Level, level_at
from engine.play.limited import LimitedTurn
from engine.play.state import EngineState
from engine.search.deepening import MAX_DEPTH
from engine.search.iterations import Iterations
from engine.search.root_moves import set_root_moves
from engine.settings import Settings
from tuning.engines import command_of, engine
from tuning.selfplay.play import Side
from tuning.selfplay.player import MoveLimit, Player


@dataclass(frozen=True)
class Anchor:
    """Another engine, under a limit that makes it weak and quick."""

    name: str
    command: str  # as the matches take it
    limit: chess.engine.Limit

    @property
    def is_installed(self) -> bool:
        return shutil.which(command_of(self.command)[0]) is not None


# Fixed depths do not depend on the machine; Phalanx obeys only clocks.
_EASY_CLOCK = chess.engine.Limit(white_clock=4.0, black_clock=4.0, remaining_moves=40)
ANCHORS = (
    Anchor("Ethereal 12.00, depth 8", "ethereal-chess", chess.engine.Limit(depth=8)),
    Anchor("Toga II 3.0, depth 6", "toga2", chess.engine.Limit(depth=6)),
    Anchor("Glaurung 2.2, depth 4", "glaurung", chess.engine.Limit(depth=4)),
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
    """A level of this engine, without clocks and tablebases: games are quick."""

    def __init__(self, level: Level, chance: Random | None = None):
        self._level = level
        self.chance = chance or Random()
        self._state = EngineState(Settings(hash_mb=1))
        self.position, self.worker = self._state.position, self._state.workers[0]

    def start(self, fen: str) -> None:
        self._state.new_game()
        set_fen(self.position, fen, chess960=True)

    def push(self, move: int) -> None:
        push(self.position, move)

    def choose(self, limit: MoveLimit | None) -> tuple[int, int | None]:
        pos, main = self.position, self.worker
        turn = LimitedTurn(self._level, self._state, self.chance)
        with turn:
            moves = turn.begin(legal_moves(pos, main.lists), is_known=False)
            main.position.copy_from(pos)
            main.nodes, main.stop, main.node_limit = 0, 0, turn.most_nodes
            set_root_moves(main, moves)
            iterations = Iterations(main, turn.effort.candidates)
            turn.deepen(iterations, MAX_DEPTH, lambda: None)
            return int(turn.choose(iterations.lines).moves[0]), None


class ProgramPlayer(Player):
    """Another engine. What it inherits only follows the game."""

    def __init__(self, running: chess.engine.SimpleEngine, limit: chess.engine.Limit):
        super().__init__(hash_mb=1)
        self._running, self._limit = running, limit

    def start(self, fen: str, chess960: bool = False) -> None:
        super().start(fen, chess960)
        self._board, self._game = chess.Board(fen), object()

    def push(self, move: int) -> None:
        super().push(move)
        self._board.push_uci(move_text(move, chess960=False))

    def choose(self, limit: MoveLimit | None) -> tuple[int, int | None]:
        played = self._running.play(self._board, self._limit, game=self._game)
        if played.move is None:
            raise OSError("an engine gave no move")
        return parse_move(self.position, self.worker.lists, played.move.uci()), None


# --- In a worker process -------------------------------------------------------------------------

_levels: dict[str, int] = {}
_players: dict[str, Side] = {}
_programs = ExitStack()


def begin(levels: Mapping[str, int]) -> None:
    """`levels`: by name, with their ratings. Players start when they first play."""
    _levels.update(levels)


def player(name: str) -> Side:
    """Raises OSError if a program does not start."""
    if name not in _players:
        if name in _levels:
            _players[name] = LevelPlayer(level_at(_levels[name]))
        else:
            anchor = next(anchor for anchor in ANCHORS if anchor.name == name)
            running = _programs.enter_context(engine(anchor.command))
            _players[name] = ProgramPlayer(running, anchor.limit)
    return _players[name]
