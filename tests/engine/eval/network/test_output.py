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
from engine.eval.network.loading import clear_accumulators
from engine.eval.network.memory import NetworkEvaluator
from engine.eval.network.output import network_score
from engine.eval.network.shape import BUCKETS, DEEP_NEURONS, HIDDEN, INPUT_SCALE, INPUTS, NEURONS
from engine.native.settings import INTERPRETED
from tests.engine.eval.network.networks import layers_of, rows_of_view
from tests.reference.random_fens import random_fens


def model_score(board: chess.Board, network: Network) -> float:
    """Centipawns as the trainer computes them, in floating point, from the integers."""
    halves = []
    for view in (board.turn, not board.turn):
        sums = network.first_bias / INPUT_SCALE
        pieces, attacked = rows_of_view(board, view)
        sums = sums + network.first_weights[pieces].sum(axis=0) / INPUT_SCALE
        sums = sums + network.attacked_weights[attacked].sum(axis=0) / INPUT_SCALE
        halves.append(np.clip(sums, 0, 1))
    bucket = (len(board.piece_map()) - 2) * BUCKETS // 32
    products = np.concatenate([half[: HIDDEN // 2] * half[HIDDEN // 2 :] for half in halves])
    products = np.floor(products * INPUT_SCALE**2 / 2**9 + 1e-6)  # rounding of floats, no more
    totals = network.neuron_weights[bucket] @ products
    neurons = np.clip((totals + network.neuron_bias[bucket]) / 2**15, 0, 1)
    totals = network.deep_weights[bucket] / 2**10 @ np.concatenate([neurons, neurons**2])
    deep = np.clip(totals + network.deep_bias[bucket] / 2**22, 0, 1)
    logit = network.output_weights[bucket] / 2**10 @ deep + network.output_bias[bucket] / 2**22
    logit += network.direct_weights[bucket] @ products / 2**15
    return float(logit) * network.centipawns


def test_the_score_is_the_models(
    position: Callable[..., Position], evaluator: NetworkEvaluator, network: Network
) -> None:
    bare = [f"4k3/8/8/8/8/8/8/{'Q' * queens}{4 - queens}K3 w - - 0 1" for queens in (1, 2, 3)]
    for fen in (*bare, *random_fens(4 if INTERPRETED else 300, seed=11)):
        here = network_score(position(fen), evaluator)
        # The score is rounded towards zero, and every product and neuron down.
        assert abs(here - model_score(chess.Board(fen), network)) < 2, fen


def test_flipped_and_mirrored_positions_have_the_same_score(
    position: Callable[..., Position], evaluator: NetworkEvaluator
) -> None:
    for fen in (*POSITIONS[: 1 if INTERPRETED else 99], *random_fens(2 if INTERPRETED else 200)):
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
    """Every sum clipped at 1, and every weight nearly the largest there may be."""
    most = 2**31 - 1
    for sign in (1, -1):
        of_output = sign * (most // 4096 // DEEP_NEURONS - 1)
        largest = replace(
            network,
            first_weights=np.full((INPUTS, HIDDEN), 1000, np.int16),
            first_bias=np.full(HIDDEN, 700, np.int16),
            direct_weights=np.full_like(network.direct_weights, sign * 127),
            neuron_weights=np.full_like(network.neuron_weights, 127),
            neuron_bias=np.full_like(network.neuron_bias, most - 127 * 127 * HIDDEN),
            deep_weights=np.full_like(network.deep_weights, most // 4096 // (2 * NEURONS)),
            deep_bias=np.full_like(network.deep_bias, -1000),
            output_weights=np.full_like(network.output_weights, of_output),
            output_bias=np.full_like(network.output_bias, sign * 1000),
            centipawns=2,
        )
        evaluator.layers = layers_of(largest)
        start = chess.STARTING_FEN
        expected = model_score(chess.Board(start), largest)
        assert 500 < abs(expected) < 15_000
        clear_accumulators(evaluator)  # the sums of the network before
        assert abs(network_score(position(start), evaluator) - expected) < 1
