"""The engine as an adviser."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import chess
from chess.pgn import GameNode

from tests.uci.analysis.made import made_analysis
from uci.analysis.lines import Analysis
from uci.game.game import Game
from uci.game.opponent import MOST_MISTAKES, Opponent


class Adviser(Opponent):
    """To it a2a3 is always best; each other move of White costs the more the later it comes."""

    def __init__(self) -> None:
        pass

    def analyses(
        self, nodes: Sequence[GameNode], progress: Callable[[int, int], None]
    ) -> list[Analysis]:
        return [
            made_analysis(50 if ply % 2 == 0 else 39 - ply, "a2a3" if ply % 2 == 0 else "a7a6")
            for ply in range(len(nodes))
        ]


def test_only_the_worst_are_shown_in_the_order_of_the_game() -> None:
    game = Game()
    for move in ["a2a4", "h7h5", "g1f3", "g8f6", "b1c3", "b8c6", "h2h3", "a7a5"]:
        game.push(chess.Move.from_uci(move), 0)
    for move in ["e2e3", "e7e6", "d2d3", "d7d6", "f1e2", "f8e7", "c1d2", "c8d7"]:
        game.push(chess.Move.from_uci(move), 0)
    found = Adviser().find_mistakes(game, lambda done, of: None)
    assert [one.board.ply() for one in found] == list(range(4, 16, 2))
    assert len(found) == MOST_MISTAKES
