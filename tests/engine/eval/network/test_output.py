"""The score of the network is what the model in floating point says, and has no colour."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import chess
import numpy as np

from engine.bench import POSITIONS
from engine.board.position import Position
from engine.diagram import flipped_fen
from engine.eval.network.file import Network
from engine.eval.network.memory import NetworkEvaluator
from engine.eval.network.output import HIGHEST, network_score
from engine.eval.network.setup import clear_accumulators
from engine.eval.network.shape import BUCKETS, HIDDEN, INPUT_SCALE, INPUTS
from engine.native.settings import INTERPRETED
from tests.engine.eval.network.networks import input_row_of, layers_of
from tests.reference.random_fens import random_fens


def model_score(board: chess.Board, network: Network) -> float:
    """Centipawns as the trainer computes them, in floating point, from the whole numbers."""
    halves = []
    for view in (board.turn, not board.turn):
        sums = network.first_bias / INPUT_SCALE
        for square, piece in board.piece_map().items():
            row = input_row_of(board, view, square, piece)
            sums = sums + network.first_weights[row] / INPUT_SCALE
        halves.append(np.clip(sums, 0, 1) ** 2)
    bucket = (len(board.piece_map()) - 2) * BUCKETS // 32
    logit = np.concatenate(halves) @ (network.output_weights[bucket] / network.output_scale)
    logit += network.output_bias[bucket] / (INPUT_SCALE * network.output_scale)
    return max(-HIGHEST, min(HIGHEST, float(logit) * network.centipawns))


def test_the_score_is_the_models(
    position: Callable[..., Position], evaluator: NetworkEvaluator, network: Network
) -> None:
    bare = [f"4k3/8/8/8/8/8/8/{'Q' * queens}{4 - queens}K3 w - - 0 1" for queens in (1, 2, 3)]
    for fen in (*bare, *random_fens(10 if INTERPRETED else 1000, seed=11)):
        here = network_score(position(fen), evaluator)
        assert abs(here - model_score(chess.Board(fen), network)) < 1, fen  # towards zero


def test_flipped_and_mirrored_positions_have_the_same_score(
    position: Callable[..., Position], evaluator: NetworkEvaluator
) -> None:
    for fen in (*POSITIONS[: 3 if INTERPRETED else 99], *random_fens(3 if INTERPRETED else 200)):
        pos = position(fen)
        here = network_score(pos, evaluator)
        assert network_score(position(flipped_fen(pos)), evaluator) == here, fen
        board = chess.Board(fen)
        board.castling_rights = 0
        board.apply_mirror()
        board.apply_transform(chess.flip_horizontal)
        assert network_score(position(board.fen()), evaluator) == here, fen


def test_the_largest_weights_do_not_overflow(
    position: Callable[..., Position], evaluator: NetworkEvaluator, network: Network
) -> None:
    """Every sum clipped at 1, every output weight the largest there may be: of one sign, or
    twice as large of both."""
    largest_weight = min(64, (2**31 - 1) // (INPUT_SCALE * INPUT_SCALE * HIDDEN))
    one = np.full((BUCKETS, 2 * HIDDEN), largest_weight)
    both = 2 * one
    both[:, HIDDEN // 2 : HIDDEN] *= -1
    both[:, HIDDEN + HIDDEN // 2 :] = 0
    for weights in (one, -one, both, -both):
        largest = replace(
            network,
            first_weights=np.full((INPUTS, HIDDEN), 1000, np.int16),
            first_bias=np.full(HIDDEN, 700, np.int16),
            output_weights=weights.astype(np.int16),
            output_scale=4096,
            centipawns=100,
        )
        evaluator.layers = layers_of(largest)
        start = chess.STARTING_FEN
        expected = model_score(chess.Board(start), largest)
        assert abs(expected) > 500
        clear_accumulators(evaluator)  # the sums of the network before
        assert abs(network_score(position(start), evaluator) - expected) < 1
