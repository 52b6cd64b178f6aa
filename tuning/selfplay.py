"""Games of the engine against itself, in this process: fast enough to play thousands.

Each player has memory of its own, so two sets of search constants or of weights can meet. No
clock but the one of `movetime_ms` is involved, so games at fixed nodes are reproducible.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from engine.board.attack_tables import new_position
from engine.board.draws import insufficient_material, repetitions
from engine.board.fen import set_fen
from engine.board.game import push
from engine.board.notation import legal_moves
from engine.board.position import Position
from engine.eval.classical.setup import shipped_weights
from engine.search.params import tunables
from engine.search.reductions import fill_reductions
from engine.search.root import MAX_DEPTH, Iterations, set_root_moves
from engine.search.setup import NO_NODE_LIMIT, Shared, forget_game, new_thread
from engine.search.tt import GENERATIONS

LOSS, DRAW, WIN = 0, 1, 2  # half points


def engine_hash() -> str:
    """Changes when the weights of the evaluation or the constants of the search do."""
    constants = {name: values.default for name, values in tunables().items()}
    found = hashlib.sha256(json.dumps(constants).encode())
    found.update(shipped_weights().astype("<i8").tobytes())
    return found.hexdigest()[:16]


@dataclass(frozen=True)
class MoveLimit:
    """When a move is chosen: whichever of the limits is reached first."""

    nodes: int | None = None  # exactly
    soft_nodes: int | None = None  # no new iteration after so many
    depth: int | None = None
    movetime_ms: float | None = None

    def __post_init__(self) -> None:
        limits = (self.nodes, self.soft_nodes, self.depth, self.movetime_ms)
        if all(limit is None for limit in limits):
            raise ValueError("a limit for each move is needed: nodes, depth or time")
        if any(limit is not None and limit <= 0 for limit in limits):
            raise ValueError("a limit for each move must be more than 0")


@dataclass(frozen=True)
class Adjudication:
    """When a game is ended because its result is clear. Scores in centipawns, lengths in plies."""

    win_score: int = 800
    win_plies: int = 5  # in a row, so that both sides agree
    draw_score: int = 8
    draw_plies: int = 12
    draw_from_ply: int = 60
    longest_game: int = 400  # is then drawn


@dataclass
class Game:
    """A game from a start position: what was played, and what the mover thought of it."""

    fen: str
    moves: list[int] = field(default_factory=list)
    scores: list[int] = field(default_factory=list)  # White's view, one for each move
    result: int = DRAW  # half points of White
    reason: str = ""


class Player:
    """An engine with one thread that remembers nothing from game to game.

    `params` are the search constants that differ from their defaults.
    """

    def __init__(self, hash_mb: int = 4, params: Mapping[str, int] | None = None):
        self.shared = Shared(hash_mb)
        self.thread = new_thread(self.shared)
        self.position = new_position(self.shared.tables)
        if params:
            self.set_params(params)

    def set_params(self, params: Mapping[str, int]) -> None:
        """Those not named get their default. ValueError for an unknown name."""
        known = tunables()
        unknown = sorted(set(params) - set(known))
        if unknown:
            raise ValueError(f"{unknown[0]} is no constant of the search")
        for name, values in known.items():
            setattr(self.shared.params, name, params.get(name, values.default))
        fill_reductions(self.shared.reduction_table, self.shared.params)

    def set_weights(self, values: np.ndarray) -> None:
        """Other weights of the evaluation: int64[WEIGHT_COUNT, 2], in the order of features.py."""
        self.shared.evaluation.set_weights(values)
        self.thread.evaluator.classical.pawn_entries.memory[:] = (
            0  # what the old weights made of pawns
        )

    def start(self, fen: str) -> None:
        """A new game. Raises PositionError."""
        set_fen(self.position, fen)
        self.shared.clear_hash()
        forget_game(self.thread)

    def choose(self, moves: list[int], limit: MoveLimit) -> tuple[int, int]:
        """The best of the legal moves, and its score for the side to move."""
        thread = self.thread
        table = self.shared.tt
        table.generation = (table.generation + 1) % GENERATIONS
        thread.position.copy_from(self.position)
        thread.nodes = 0
        thread.stop = 0
        thread.node_limit = NO_NODE_LIMIT if limit.nodes is None else limit.nodes
        set_root_moves(thread, moves)
        iterations = Iterations(thread, 1)
        timer = None
        if limit.movetime_ms is not None:
            timer = threading.Timer(limit.movetime_ms / 1000, self._stop)
            timer.start()
        for depth in range(1, min(limit.depth or MAX_DEPTH, MAX_DEPTH) + 1):
            if not iterations.search(depth):
                break
            if limit.soft_nodes is not None and int(thread.nodes) >= limit.soft_nodes:
                break
        if timer is not None:
            timer.cancel()
            timer.join()
        best = iterations.lines[0]
        return best.moves[0], best.score

    def _stop(self) -> None:
        self.thread.stop = 1


def play(
    white: Player,
    black: Player,
    fen: str,
    limit: MoveLimit,
    adjudication: Adjudication | None = None,
) -> Game:
    """One game from `fen` to its end. The two players may be the same one.

    Raises PositionError if `fen` is no position.
    """
    rules = adjudication or Adjudication()
    players = (white, black)
    everyone = (white,) if white is black else players
    for player in everyone:
        player.start(fen)
    pos = white.position
    game = Game(fen)
    while True:
        moves = legal_moves(pos, white.thread.lists)
        if _is_over(game, pos, moves) or _is_adjudicated(game, rules):
            return game
        mover = players[int(pos.side)]
        move, score = mover.choose(moves, limit)
        game.scores.append(score if pos.side == 0 else -score)
        game.moves.append(move)
        for player in everyone:
            push(player.position, move)


def _is_over(game: Game, pos: Position, moves: list[int]) -> bool:
    """By the rules."""
    now = pos.snapshots[pos.ply]
    if not moves:
        if now.checkers:
            game.result, game.reason = (LOSS if pos.side == 0 else WIN), "checkmate"
        else:
            game.reason = "stalemate"
    elif repetitions(pos) >= 2:
        game.reason = "threefold repetition"
    elif now.halfmove_clock >= 100:
        game.reason = "fifty moves"
    elif insufficient_material(pos):
        game.reason = "insufficient material"
    return bool(game.reason)


def _is_adjudicated(game: Game, rules: Adjudication) -> bool:
    scores = game.scores
    last = scores[-rules.win_plies :]
    if len(last) == rules.win_plies:
        if min(last) >= rules.win_score:
            game.result, game.reason = WIN, "adjudicated win"
        elif max(last) <= -rules.win_score:
            game.result, game.reason = LOSS, "adjudicated win"
    quiet = scores[-rules.draw_plies :]
    if len(scores) >= max(rules.draw_from_ply, rules.draw_plies):
        if max(map(abs, quiet)) <= rules.draw_score:
            game.reason = game.reason or "adjudicated draw"
    if len(scores) >= rules.longest_game:
        game.reason = game.reason or "adjudicated draw"
    return bool(game.reason)


def play_pair(
    first: Player,
    second: Player,
    fen: str,
    limit: MoveLimit,
    adjudication: Adjudication | None = None,
) -> int:
    """Two games from one position, each side White once: half points of `first`, 0 to 4."""
    as_white = play(first, second, fen, limit, adjudication).result
    return as_white + WIN - play(second, first, fen, limit, adjudication).result
