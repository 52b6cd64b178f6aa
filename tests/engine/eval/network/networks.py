"""Random networks for tests, with numbers like those of a trained one."""

from __future__ import annotations

import chess
import numpy as np

from engine.eval.network.file import Network
from engine.eval.network.loading import fill_layers
from engine.eval.network.memory import Layers
from engine.eval.network.shape import (
    ATTACKED_INPUTS,
    BUCKETS,
    DEEP_NEURONS,
    HIDDEN,
    INPUTS,
    NEURONS,
)


def random_network(seed: int = 7) -> Network:
    rng = np.random.default_rng(seed)
    return Network(
        first_weights=rng.normal(0, 25, (INPUTS, HIDDEN)).astype(np.int16),
        first_bias=rng.normal(80, 30, HIDDEN).astype(np.int16),
        attacked_weights=rng.normal(0, 25, (ATTACKED_INPUTS, HIDDEN)).astype(np.int8),
        direct_weights=rng.normal(0, 4, (BUCKETS, HIDDEN)).astype(np.int8),
        neuron_weights=rng.normal(0, 25, (BUCKETS, NEURONS, HIDDEN)).astype(np.int8),
        neuron_bias=rng.normal(1 << 14, 1 << 12, (BUCKETS, NEURONS)).astype(np.int32),
        deep_weights=rng.normal(0, 256, (BUCKETS, DEEP_NEURONS, 2 * NEURONS)).astype(np.int16),
        deep_bias=rng.normal(1 << 21, 1 << 19, (BUCKETS, DEEP_NEURONS)).astype(np.int32),
        output_weights=rng.normal(0, 800, (BUCKETS, DEEP_NEURONS)).astype(np.int16),
        output_bias=rng.normal(0, 1 << 20, BUCKETS).astype(np.int32),
        centipawns=134,
        notes={"made by": "a random number generator", "seed": seed},
    )


def layers_of(network: Network) -> Layers:
    layers = Layers()
    fill_layers(layers, network)
    return layers


def rows_of_view(board: chess.Board, view: chess.Color) -> tuple[list[int], list[int]]:
    """The rows of the pieces and those of the attacked pieces as the documentation describes them,
    told again with python-chess."""
    king = board.king(view)
    assert king is not None
    flips = 56 if view == chess.BLACK else 0
    if chess.square_file(king) > 3:
        flips ^= 7
    rank, file = chess.square_rank(king ^ flips), chess.square_file(king ^ flips)
    bucket = [file, *(first + file // 2 for first in (4, 6, 8, 10, 12, 14, 14))][rank]
    pieces, attacked = [], []
    for square, piece in board.piece_map().items():
        kind = piece.piece_type - 1 + (6 if piece.color != view else 0)
        place = 64 * kind + (square ^ flips)
        pieces.append(768 * bucket + place)
        attack = attack_on(board, square, piece)
        if attack is not None:
            attacked.append(768 * attack + place)
    return pieces, attacked


def attack_on(board: chess.Board, square: int, piece: chess.Piece) -> int | None:
    enemies = board.attackers(not piece.color, square)
    friends = board.attackers(piece.color, square)
    if piece.piece_type == chess.KING or not enemies:
        return None
    least = min(board.piece_type_at(enemy) or 0 for enemy in enemies)
    by = {chess.PAWN: 0, chess.KNIGHT: 1, chess.BISHOP: 1, chess.ROOK: 2}.get(least, 3)
    if not friends:
        return by
    if by > 1:
        return None
    by_pawn = any(board.piece_type_at(friend) == chess.PAWN for friend in friends)
    return (4 if by_pawn else 6) + by
