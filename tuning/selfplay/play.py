"""Games between players in this process: fast enough to play thousands.

The only clock is that of `movetime_ms`, so games at fixed nodes are reproducible.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.board.draws import insufficient_material, repetitions
from engine.board.game import push
from engine.board.movegen import ALL, generate
from engine.board.position import Position
from tuning.data.games import LOSS, WIN, Game
from tuning.selfplay.player import MoveLimit, Player


@dataclass(frozen=True)
class Adjudication:
    """When to end a game because its result is clear. Scores in centipawns, lengths in plies."""

    win_score: int = 800
    win_plies: int = 5  # in a row, so that both sides agree
    draw_score: int = 8
    draw_plies: int = 12
    draw_from_ply: int = 60
    longest_game: int = 400  # then a draw


def play(
    white: Player,
    black: Player,
    fen: str,
    limit: MoveLimit,
    adjudication: Adjudication | None = None,
) -> Game:
    """One game from `fen` to its end. The two players may be the same one.

    Raises PositionError if `fen` is not legal.
    """
    rules = adjudication or Adjudication()
    players = (white, black)
    everyone = (white,) if white is black else players
    for player in everyone:
        player.start(fen)
    pos = white.position
    game = Game(fen)
    while True:
        can_move = generate(pos, white.thread.lists, 0, 0, ALL) > 0
        if _is_over(game, pos, can_move) or _is_adjudicated(game, rules):
            return game
        mover = players[int(pos.side)]
        move, score = mover.choose(limit)
        game.scores.append(score if pos.side == 0 else -score)
        game.moves.append(move)
        for player in everyone:
            push(player.position, move)


def _is_over(game: Game, pos: Position, can_move: bool) -> bool:
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


def _is_adjudicated(game: Game, rules: Adjudication) -> bool:
    scores = game.scores
    if not scores:
        return False
    if abs(scores[-1]) >= rules.win_score and len(scores) >= rules.win_plies:
        last = scores[-rules.win_plies :]
        if min(last) >= rules.win_score:
            game.result, game.reason = WIN, "adjudicated win"
        elif max(last) <= -rules.win_score:
            game.result, game.reason = LOSS, "adjudicated win"
    if abs(scores[-1]) <= rules.draw_score and len(scores) >= max(
        rules.draw_from_ply, rules.draw_plies
    ):
        if max(map(abs, scores[-rules.draw_plies :])) <= rules.draw_score:
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
