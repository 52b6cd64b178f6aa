"""The engine as an adviser."""

from __future__ import annotations

import chess

from engine.limits import Limits
from uci.analysis.lines import Line
from uci.terminal.game import Game
from uci.terminal.opponent import MOST_MISTAKES, Opponent


class Adviser(Opponent):
    """To it a2a3 is always best; each other move costs the more the later it comes."""

    def __init__(self) -> None:
        pass

    def judge(self, board: chess.Board, limits: Limits) -> Line:
        person_moved = board.turn == chess.BLACK
        cost = 110 + 10 * len(board.move_stack) if person_moved else 0
        return Line(0, None, (500 - cost, 0, 500 + cost), (chess.Move.from_uci("a2a3"),))


def test_only_the_worst_are_shown_in_the_order_of_the_game() -> None:
    game = Game()
    for move in ["g1f3", "g8f6", "b1c3", "b8c6", "h2h3", "h7h6", "h1h2", "h8h7"]:
        game.push(chess.Move.from_uci(move), 0)
    for move in ["e2e3", "e7e6", "d2d3", "d7d6", "f1e2", "f8e7", "c1d2", "c8d7"]:
        game.push(chess.Move.from_uci(move), 0)
    seen: list[tuple[int, int]] = []
    found = Adviser().find_mistakes(game, lambda done, of: seen.append((done, of)))
    assert seen == [(number, 8) for number in range(8)]
    assert [len(one.board.move_stack) for one in found] == list(range(4, 16, 2))
    assert len(found) == MOST_MISTAKES
