"""Positions of random games, and random endings."""

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


def random_ending(rng: random.Random, clock: int = 0) -> str:
    """Three to five men anywhere; not over."""
    while True:
        board = chess.Board(None)
        kinds = rng.choices("QRBNP", k=rng.randrange(1, 4))
        letters = ["K", "k", *(rng.choice((kind, kind.lower())) for kind in kinds)]
        for square, letter in zip(rng.sample(range(64), len(letters)), letters, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn, board.halfmove_clock = rng.random() < 0.5, clock
        if board.is_valid() and not board.is_game_over():
            return board.fen()
