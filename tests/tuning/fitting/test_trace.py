"""The features of the tracing copy: their weighted sum is the evaluation, for every position."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.bench import POSITIONS
from engine.board.fen import set_fen
from engine.diagram import flipped_fen
from engine.eval.choice import CLASSICAL
from engine.eval.classical.features import ATTACK_COUNT, LINEAR_COUNT, WEIGHT_COUNT
from engine.eval.classical.king import ATTACK_DIVISOR_EG, ATTACK_DIVISOR_MG
from engine.eval.classical.loading import pack_weights, shipped_weights
from engine.eval.classical.memory import Weights
from engine.eval.classical.scale_factor import FULL_SCALE
from engine.eval.evaluate import evaluate
from engine.eval.scaling import FULL_FIFTY_MOVE_SCALE, FULL_PHASE
from engine.native import jit
from engine.search.shared import Shared, new_worker
from engine.search.state import Worker
from tests.reference.random_fens import random_fens
from tuning.data.packed import POSITION, PackedPosition, pack
from tuning.fitting.trace import ROW, Features, Records, extract

Matrix = np.ndarray[Any, np.dtype[np.int64]]

COUNT, FEN_STEP = (12, 4) if jit.INTERPRETED else (300, 1)


@pytest.fixture(scope="module")
def worker() -> Worker:
    """Evaluates by the weighted sum."""
    shared = Shared(hash_mb=1)
    shared.evaluation.choose(CLASSICAL)
    return new_worker(shared)


def packed(worker: Worker, fens: list[str]) -> Records:
    positions = np.zeros(len(fens), POSITION)
    for number, fen in enumerate(fens):
        set_fen(worker.position, fen)
        pack(worker.position, PackedPosition(positions[number : number + 1].view(np.uint8)))
    return positions


def flipped(worker: Worker, fen: str) -> str:
    set_fen(worker.position, fen)
    return flipped_fen(worker.position)


def truncated(numbers: Matrix, divisor: int) -> Matrix:
    return np.sign(numbers) * (np.abs(numbers) // divisor)


def rebuilt(features: Features, weights: Matrix) -> Matrix:
    """The evaluation as the docstring of trace.py writes it, White's view."""
    rows = {name: features.rows[name].astype(np.int64) for name in ROW.names or ()}
    matrix = np.zeros((len(features.rows), WEIGHT_COUNT + ATTACK_COUNT), np.int64)
    line = np.repeat(np.arange(len(matrix)), np.diff(features.starts))
    matrix[line, features.columns] = features.counts
    linear = matrix[:, :LINEAR_COUNT] @ weights[:LINEAR_COUNT]
    white = matrix[:, LINEAR_COUNT:WEIGHT_COUNT] @ weights[LINEAR_COUNT:]
    black = matrix[:, WEIGHT_COUNT:] @ weights[LINEAR_COUNT:]
    attacks = [np.maximum(0, side) for side in (white, black)]
    middlegame = linear[:, 0] + attacks[0][:, 0] ** 2 // ATTACK_DIVISOR_MG
    middlegame -= attacks[1][:, 0] ** 2 // ATTACK_DIVISOR_MG
    endgame = linear[:, 1] + attacks[0][:, 1] // ATTACK_DIVISOR_EG
    endgame -= attacks[1][:, 1] // ATTACK_DIVISOR_EG
    scaled = endgame * np.where(endgame > 0, rows["scale_white"], rows["scale_black"])
    late = FULL_PHASE - rows["phase"]
    score = truncated(middlegame * FULL_SCALE * rows["phase"] + scaled * late, 24 * FULL_SCALE)
    return truncated(score * rows["fifty_move_scale"], FULL_FIFTY_MOVE_SCALE)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_weighted_features_are_the_evaluation(worker: Worker, seed: int) -> None:
    """With the shipped weights and with others, and in the search's own evaluation too."""
    fens = [*POSITIONS[::FEN_STEP], *random_fens(COUNT, seed, longest=160)]
    values = shipped_weights()
    if seed:
        values += np.random.default_rng(seed).integers(-30, 31, values.shape)
    weights = Weights()
    pack_weights(weights, values)
    features = extract(packed(worker, fens), weights, threads=2)
    expected = features.rows["score"]
    fitted = features.rows["known"] == 0
    assert fitted.mean() > 0.9
    assert np.array_equal(rebuilt(features, values)[fitted], expected[fitted])
    if not seed:
        for fen, score in zip(fens, expected, strict=True):
            set_fen(worker.position, fen)
            side = 1 - 2 * int(worker.position.side)
            assert side * evaluate(worker.position, worker.evaluator) == score, fen


def test_a_mirrored_position_has_the_opposite_features(worker: Worker) -> None:
    fens = list(random_fens(12))
    positions = packed(worker, fens)
    mirrored = packed(worker, [flipped(worker, fen) for fen in fens])
    weights = Weights()
    here, there = extract(positions, weights), extract(mirrored, weights)
    linear = here.columns < LINEAR_COUNT
    assert np.array_equal(here.columns[linear], there.columns[there.columns < LINEAR_COUNT])
    assert np.array_equal(here.counts[linear], -there.counts[there.columns < LINEAR_COUNT])
