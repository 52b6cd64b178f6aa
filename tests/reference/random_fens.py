"""Positions of random games."""

from __future__ import annotations

import functools
import random

import chess


@functools.cache  # tests of one file ask for the same ones
def random_fens(count: int, seed: int = 5, longest: int = 90) -> tuple[str, ...]:
    rng = random.Random(seed)
    fens: list[str] = []
    while len(fens) < count:
        board = chess.Board()
        for _ in range(rng.randrange(4, longest)):
            move = random_move(board, rng)
            if move is None:
                break
            board.push(move)
        fens.append(board.fen())
    return tuple(fens)


def random_move(board: chess.Board, rng: random.Random) -> chess.Move | None:
    """Any legal move, if there is one: much faster than to list them all."""
    moves = list(board.generate_pseudo_legal_moves())
    while moves:
        move = moves.pop(rng.randrange(len(moves)))
        if board.is_legal(move):
            return move
    return None
