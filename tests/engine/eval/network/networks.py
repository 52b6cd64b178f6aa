"""Random networks for tests, with numbers like those of a trained one."""

from __future__ import annotations

import chess
import numpy as np

from engine.eval.network.file import Network
from engine.eval.network.loading import fill_layers
from engine.eval.network.memory import Layers
from engine.eval.network.shape import BUCKETS, DEEP_NEURONS, HIDDEN, INPUTS, NEURONS


def random_network(seed: int = 7) -> Network:
    rng = np.random.default_rng(seed)
    return Network(
        first_weights=rng.normal(0, 25, (INPUTS, HIDDEN)).astype(np.int16),
        first_bias=rng.normal(80, 30, HIDDEN).astype(np.int16),
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


def input_row_of(board: chess.Board, view: chess.Color, square: int, piece: chess.Piece) -> int:
    """The row of a piece as the documentation describes it, told again with python-chess."""
    king = board.king(view)
    assert king is not None
    if view == chess.BLACK:
        king, square = chess.square_mirror(king), chess.square_mirror(square)
    if chess.square_file(king) > 3:
        king, square = king ^ 7, square ^ 7
    rank, file = chess.square_rank(king), chess.square_file(king)
    bucket = [file, 4 + file // 2, 6 + file // 2, 8, 8, 9, 9, 9][rank]
    kind = piece.piece_type - 1 + (6 if piece.color != view else 0)
    return 768 * bucket + 64 * kind + square
