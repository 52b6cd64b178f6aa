"""The sum of the piece squares follows the moves."""

from __future__ import annotations

import random
from collections.abc import Callable

import chess
import pytest

from engine.bench import POSITIONS
from engine.board.makemove import make, make_null, unmake, unmake_null
from engine.board.notation import legal_moves
from engine.board.piece_square_sum import current_piece_square_sum, piece_square_sum
from engine.board.position import MoveLists, Position
from engine.native.settings import INTERPRETED


@pytest.mark.parametrize("chess960", [False, True])
def test_it_is_the_sum_from_scratch(
    position: Callable[..., Position], lists: MoveLists, chess960: bool
) -> None:
    """Up and down through games, with pauses of all lengths; kings change their sides."""
    rng = random.Random(1)
    for game in range(3 if INTERPRETED else 60):
        fen = POSITIONS[game % 8]
        if chess960:
            fen = chess.Board.from_chess960_pos(rng.randrange(960)).fen()
        pos = position(fen, chess960)
        nulls: list[bool] = []  # of the moves made: is it a null move?
        for _ in range(40 if INTERPRETED else 150):
            moves = legal_moves(pos, lists)
            if nulls and (not moves or rng.random() < 0.3):
                for _ in range(rng.randrange(1, 5)):
                    if nulls:
                        (unmake_null if nulls.pop() else unmake)(pos)
            elif not moves:
                break
            else:
                nulls.append(not pos.snapshots[pos.ply].checkers and rng.random() < 0.1)
                if nulls[-1]:
                    make_null(pos)
                else:
                    kings = [move for move in moves if pos.board[move & 63] == chess.KING - 1]
                    make(pos, rng.choice(kings if kings and rng.random() < 0.3 else moves))
            if rng.random() < 0.4:
                assert current_piece_square_sum(pos) == piece_square_sum(pos)
