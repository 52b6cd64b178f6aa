"""Positions of random games."""

from __future__ import annotations

import random

import chess


def random_fens(count: int, seed: int = 5, longest: int = 90) -> list[str]:
    rng = random.Random(seed)
    fens: list[str] = []
    while len(fens) < count:
        board = chess.Board()
        for _ in range(rng.randrange(4, longest)):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(rng.choice(moves))
        fens.append(board.fen())
    return fens
