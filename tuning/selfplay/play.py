"""Games between players in this process: fast enough to play thousands, and reproducible."""

from __future__ import annotations

from typing import Protocol

from engine.board.draws import insufficient_material, repetitions
from engine.board.movegen import ALL, generate
from engine.board.position import Position
from engine.search.state import Worker
from tuning.adjudication import DRAW, LOSS, TUNING, WIN, Adjudication, Adjudicator
from tuning.data.games import GameRecord
from tuning.selfplay.player import MoveLimit, Player


class Side(Protocol):
    """Somebody who plays one side of a game, or both."""

    @property
    def position(self) -> Position: ...  # where the game stands

    @property
    def worker(self) -> Worker: ...  # whose lists of moves are used

    def start(self, fen: str) -> None: ...

    def choose(self, limit: MoveLimit | None) -> tuple[int, int | None]:
        """A move, and its score for the side to move if there is one."""
        ...

    def push(self, move: int) -> None: ...


def play(
    white: Side,
    black: Side,
    fen: str,
    limit: MoveLimit | None,
    rule: Adjudication = TUNING,
) -> GameRecord:
    """One game from `fen` to its end. The two sides may be the same one.

    `limit`: of each move; None for sides that have limits of their own.

    Raises PositionError if `fen` is not legal.
    """
    adjudicator = Adjudicator(rule)
    players = (white, black)
    everyone = (white,) if white is black else players
    for player in everyone:
        player.start(fen)
    pos = white.position
    game, decided = GameRecord(fen), None
    while True:
        can_move = generate(pos, white.worker.lists, 0, 0, ALL) > 0
        if _is_over(game, pos, can_move):
            return game
        if decided is not None:
            game.result = decided
            game.reason = "adjudicated draw" if decided == DRAW else "adjudicated win"
            return game
        side = int(pos.side)
        move, score = players[side].choose(limit)
        shown = score or 0
        game.scores.append(shown if side == 0 else -shown)
        game.moves.append(move)
        for player in everyone:
            player.push(move)
        clock = int(pos.snapshots[pos.ply].halfmove_clock)
        decided = adjudicator.result(side, score, clock, 1 + len(game.moves) // 2)


def _is_over(game: GameRecord, pos: Position, can_move: bool) -> bool:
    """Has the game ended by the rules of chess? Sets result and reason."""
    now = pos.snapshots[pos.ply]
    if not can_move:
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


def play_pair(
    first: Player,
    second: Player,
    fen: str,
    limit: MoveLimit,
) -> int:
    """Two games from one position, each side White once: half points of `first`, 0 to 4."""
    as_white = play(first, second, fen, limit).result
    return as_white + WIN - play(second, first, fen, limit).result
