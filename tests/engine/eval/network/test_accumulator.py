"""Sums that follow the moves are the sums from scratch."""

from __future__ import annotations

import random
from collections.abc import Callable

import chess
import numpy as np
import pytest

from engine.bench import POSITIONS
from engine.board.constants import BLACK, KING, WHITE
from engine.board.makemove import make, make_null, unmake, unmake_null
from engine.board.move import CASTLING, EN_PASSANT, FLAGS, PROMOTION, from_square
from engine.board.notation import legal_moves
from engine.board.position import MoveLists, Position
from engine.eval.network.accumulator import FARTHEST, refresh_accumulator
from engine.eval.network.memory import (
    ACCUMULATORS,
    Accumulator,
    Activations,
    AttackedPieces,
    NetworkEvaluator,
)
from engine.eval.network.output import network_score, score_of_sums
from engine.native.settings import INTERPRETED
from tests.reference.random_fens import random_fens

GAMES = 1 if INTERPRETED else 100
PLIES = 30 if INTERPRETED else 160


def check_accumulator(pos: Position, evaluator: NetworkEvaluator) -> None:
    """What an evaluation leaves behind is what is computed from scratch, and so is the score."""
    score = network_score(pos, evaluator)
    fresh = Accumulator(), Accumulator()
    for view in (WHITE, BLACK):
        refresh_accumulator(pos, evaluator.layers, view, fresh[view])
        kept = evaluator.accumulators[2 * (int(pos.ply) % ACCUMULATORS) + view]
        assert kept.key == fresh[view].key == pos.snapshots[pos.ply].key
        assert np.array_equal(kept.sums, fresh[view].sums)
    own, other = fresh[pos.side], fresh[pos.side ^ 1]
    attacked, activations = AttackedPieces(), Activations()
    assert score == score_of_sums(pos, evaluator.layers, own, other, attacked, activations)


@pytest.mark.parametrize("chess960", [False, True])
def test_sums_follow_the_moves_of_random_games(
    position: Callable[..., Position],
    evaluator: NetworkEvaluator,
    lists: MoveLists,
    chess960: bool,
) -> None:
    """Up and down as a search goes, with evaluations now and then."""
    rng = random.Random(3)
    seen = {"castling": 0, "en passant": 0, "promotion": 0, "null": 0, "king": 0}
    starts = (*POSITIONS[:6], *random_fens(20))
    for _ in range(GAMES):
        fen = rng.choice(starts)
        if chess960 and rng.random() < 0.5:
            fen = chess.Board.from_chess960_pos(rng.randrange(960)).fen()
        pos = position(fen, chess960)
        nulls: list[bool] = []  # of the moves made: is it a null move?
        for _ in range(PLIES):
            moves = legal_moves(pos, lists)
            if nulls and (not moves or rng.random() < 0.25):
                for _ in range(rng.randrange(1, 2 + min(len(nulls), 2 * FARTHEST))):
                    if nulls:
                        (unmake_null if nulls.pop() else unmake)(pos)
            elif not moves:
                break
            elif not pos.snapshots[pos.ply].checkers and rng.random() < 0.05:
                make_null(pos)
                nulls.append(True)
                seen["null"] += 1
            else:
                en_passant = [m for m in moves if m & FLAGS == EN_PASSANT]
                special = [m for m in moves if m & FLAGS == CASTLING or m & PROMOTION]
                kings = [m for m in moves if pos.board[from_square(m)] == KING]
                if en_passant:  # the rarest
                    move = en_passant[0]
                elif special and rng.random() < 0.5:
                    move = rng.choice(special)
                else:
                    move = rng.choice(kings if kings and rng.random() < 0.2 else moves)
                seen["castling"] += move & FLAGS == CASTLING
                seen["en passant"] += move & FLAGS == EN_PASSANT
                seen["promotion"] += bool(move & PROMOTION)
                seen["king"] += pos.board[from_square(move)] == KING
                make(pos, move)
                nulls.append(False)
            if rng.random() < 0.3:
                check_accumulator(pos, evaluator)
    assert INTERPRETED or min(seen.values()) >= 10, str(seen)


def test_an_evaluation_after_long_silence_starts_anew(
    position: Callable[..., Position], evaluator: NetworkEvaluator, lists: MoveLists
) -> None:
    """As many plies as are followed and one more; then round the ring of plies."""
    rng = random.Random(5)
    for plies in (FARTHEST, FARTHEST + 1):
        pos = position(POSITIONS[0])
        check_accumulator(pos, evaluator)
        for _ in range(plies):
            make(pos, rng.choice(legal_moves(pos, lists)))
        check_accumulator(pos, evaluator)
    pos = position("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    check_accumulator(pos, evaluator)
    for ply in range(20 if INTERPRETED else 2 * ACCUMULATORS):
        make(pos, rng.choice(legal_moves(pos, lists)))
        if ply % 50 == 7 or not legal_moves(pos, lists):
            check_accumulator(pos, evaluator)
        if not legal_moves(pos, lists):
            break


def test_another_position_in_the_same_memory(
    position: Callable[..., Position], evaluator: NetworkEvaluator
) -> None:
    """Nothing has to be said to the evaluator when a position is set up."""
    for fen in random_fens(3 if INTERPRETED else 100):
        check_accumulator(position(fen), evaluator)
