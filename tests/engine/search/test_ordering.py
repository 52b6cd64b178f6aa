"""The move picker: every legal move once, in the order of its stages."""

from __future__ import annotations

import random

import numpy as np
import pytest

from engine.board.checks import find_check_squares, gives_check
from engine.board.makemove import make
from engine.board.move import CASTLING, NO_MOVE, PROMOTION, is_quiet
from engine.board.movegen import NOISY, generate
from engine.board.notation import legal_moves, move_text, parse_move
from engine.board.see import see_at_least
from engine.native import jit
from engine.search.histories import butterfly
from engine.search.ordering import next_move, start_picking, start_picking_noisy
from engine.search.params import Params
from engine.search.state import Worker
from tests.engine.search.handles import CHECKS, TACTICAL, in_check, killers, set_up
from tests.reference.random_fens import random_fens

PLY = 3
COUNT = 8 if jit.INTERPRETED else 60
FENS = (*CHECKS, *TACTICAL, *random_fens(COUNT, seed=8))
THROUGH_ITS_MEN = 4 | 36 << 6  # no move: from e1 to e5
QUIET_CHOICE = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"


def picked(worker: Worker, tt_move: int = NO_MOVE, quiescence_depth: int = 1) -> list[int]:
    """What the picker hands out at PLY, to the end: in quiescence, if its depth is 0 or less."""
    checked = in_check(worker)
    moves: list[int] = []
    with np.errstate(over="ignore"):  # kernels rely on 64-bit wrap-around
        find_check_squares(worker.position, worker.stack[PLY].picker.checks)
        if quiescence_depth > 0:
            start_picking(worker, PLY, tt_move, checked)
        else:
            start_picking_noisy(worker, PLY, tt_move, checked, quiescence_depth)
        while (move := int(next_move(worker, PLY, checked))) != NO_MOVE:
            moves.append(move)
            assert len(moves) < 300, "no end"
        assert next_move(worker, PLY, checked) == NO_MOVE
    return moves


def noisy_moves(worker: Worker) -> set[int]:
    count = generate(worker.position, worker.lists, 0, 0, NOISY)
    return set(worker.lists.moves[0, :count].tolist())


def texts(moves: list[int]) -> list[str]:
    return [move_text(move, False) for move in moves]


@pytest.mark.parametrize("with_tt_move", [False, True])
def test_every_legal_move_comes_once(worker: Worker, with_tt_move: bool) -> None:
    rng = random.Random(4)
    for fen in FENS:
        set_up(worker, fen)
        legal = legal_moves(worker.position, worker.lists)
        tried = rng.sample(legal, min(4, len(legal))) if with_tt_move else [NO_MOVE]
        for tt_move in tried:
            moves = picked(worker, tt_move)
            assert sorted(moves) == sorted(legal), fen
            assert tt_move == NO_MOVE or moves[0] == tt_move, fen


def test_winning_captures_come_before_quiet_moves_and_losing_ones_last(
    worker: Worker, params: Params
) -> None:
    params.good_capture_margin = 0  # of a larger capture a good one may lose a little more
    seen = set()
    for fen in FENS:
        set_up(worker, fen)
        if in_check(worker):
            continue
        noisy = noisy_moves(worker)

        def stage(move: int, noisy: set[int] = noisy) -> int:
            if move not in noisy:
                return 1
            return 0 if see_at_least(worker.position, move, 0) else 2

        stages = [stage(move) for move in picked(worker)]
        assert stages == sorted(stages), fen
        seen |= set(stages)
    assert seen == {0, 1, 2}


def test_of_evasions_captures_come_first(worker: Worker) -> None:
    for fen in CHECKS:
        set_up(worker, fen)
        quiet = [bool(is_quiet(move)) for move in picked(worker)]
        assert quiet == sorted(quiet), fen
    set_up(worker, "4k3/8/8/b7/8/2N5/P7/4K2r w - - 0 1")
    assert len(picked(worker)) == 3  # the king's steps: nothing blocks, nothing captures


def test_quiescence_takes_all_captures_and_at_first_the_checks(worker: Worker) -> None:
    seen = 0
    for fen in FENS:
        set_up(worker, fen)
        legal = set(legal_moves(worker.position, worker.lists))
        if in_check(worker):
            assert set(picked(worker, quiescence_depth=-1)) == legal  # no evasion is left out
            continue
        noisy = noisy_moves(worker)
        captures = picked(worker, quiescence_depth=-1)
        assert len(captures) == len(noisy) and set(captures) == noisy, fen
        checks = worker.stack[PLY].picker.checks
        plain = {move for move in legal - noisy if move & (CASTLING | PROMOTION) == 0}
        quiet = {move for move in plain if gives_check(worker.position, checks, move)}
        moves = picked(worker, quiescence_depth=0)
        assert moves[: len(captures)] == captures and set(moves[len(captures) :]) == quiet, fen
        seen += len(quiet)
        if legal - noisy:
            first = min(legal - noisy)
            assert picked(worker, first, -1) == [first, *captures]
    assert seen > 0


def test_deep_in_quiescence_only_recaptures_count(worker: Worker) -> None:
    set_up(worker, TACTICAL[0])
    make(worker.position, parse_move(worker.position, worker.lists, "d5e6"))
    assert len(picked(worker, quiescence_depth=-1)) > 5
    assert {text[2:] for text in texts(picked(worker, quiescence_depth=-9))} == {"e6"}


def test_the_most_valuable_victim_is_taken_first_by_the_least_attacker(
    worker: Worker,
) -> None:
    set_up(worker, "1k6/8/8/q2r1n2/1P2P3/1N4N1/8/R2R2K1 w - - 0 1")
    assert texts(picked(worker, quiescence_depth=-1)) == [
        "b4a5", "b3a5", "a1a5", "e4d5", "d1d5", "e4f5", "g3f5",
    ]  # fmt: skip


def test_promotions_to_less_than_a_queen_come_last(worker: Worker) -> None:
    set_up(worker, "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1")
    moves = texts(picked(worker, quiescence_depth=-1))
    assert moves == ["a7b8q", "a7a8q", "a7b8r", "a7b8b", "a7b8n"]


def test_killers_and_the_countermove_are_the_first_quiet_moves(worker: Worker) -> None:
    set_up(worker, QUIET_CHOICE.replace(" w ", " b "))
    make(worker.position, parse_move(worker.position, worker.lists, "a7a6"))
    first, second, third = (
        parse_move(worker.position, worker.lists, text) for text in ("h1g1", "a2a3", "b2b3")
    )
    killers(worker, PLY)[:] = (first, second)
    worker.countermoves[0, 16 + 24] = third  # of the pawn on a6
    noisy = noisy_moves(worker)
    quiets = [move for move in picked(worker) if move not in noisy]
    assert quiets[:3] == [first, second, third] and len(set(quiets)) == len(quiets)
    # As the move of the table, a killer comes once; and so it does as the countermove too.
    assert picked(worker, first).count(first) == 1
    worker.countermoves[...] = second
    assert picked(worker).count(second) == 1
    # A killer that is not legal here is none.
    killers(worker, PLY)[:] = (THROUGH_ITS_MEN, second)
    assert next(move for move in picked(worker) if move not in noisy) == second


def test_after_enough_moves_no_quiet_ones_come(worker: Worker) -> None:
    set_up(worker, TACTICAL[0])
    noisy = noisy_moves(worker)
    killers(worker, PLY)[:] = 0
    start_picking(worker, PLY, NO_MOVE, False)
    find_check_squares(worker.position, worker.stack[PLY].picker.checks)
    worker.stack[PLY].picker.skip_quiets = 1
    moves = set()
    while (move := int(next_move(worker, PLY, False))) != NO_MOVE:
        moves.add(move)
    assert moves == noisy


def quiet_history(worker: Worker, move: int) -> int:
    """By the squares, and after the earlier moves, of which there are none."""
    return int(butterfly(worker, move))


def test_quiet_moves_come_in_the_order_of_their_history(worker: Worker, params: Params) -> None:
    params.threat_minor = params.threat_rook = params.threat_queen = params.check_bonus = 0
    rng = np.random.default_rng(3)
    worker.history[...] = rng.integers(-7183, 7184, worker.history.shape)
    for fen in (QUIET_CHOICE, TACTICAL[0]):
        set_up(worker, fen)
        noisy = noisy_moves(worker)
        scores = [quiet_history(worker, move) for move in picked(worker) if move not in noisy]
        assert len(set(scores)) > 15
        assert scores == sorted(scores, reverse=True)


def test_pieces_in_danger_move_away_first(worker: Worker) -> None:
    """White's knight on d4 is attacked by a pawn, and so would it be on b5."""
    set_up(worker, "4k3/p7/2p5/4p3/3N4/8/8/R3K3 w - - 0 1")
    worker.history[...] = 0
    quiets = [text for text in texts(picked(worker)) if text not in ("d4c6", "a1a7")]
    escapes = {"d4b3", "d4c2", "d4e2", "d4f3", "d4f5", "d4e6"}
    assert set(quiets[: len(escapes)]) == escapes
    set_up(worker, "4k3/8/8/8/8/8/8/R3K3 w - - 0 1")
    assert texts(picked(worker))[0] == "a1a8"  # a check


def test_evasions_come_in_the_order_of_their_history_too(worker: Worker) -> None:
    rng = np.random.default_rng(3)
    worker.history[...] = rng.integers(-7183, 7184, worker.history.shape)
    for fen in CHECKS:
        set_up(worker, fen)
        scores = [quiet_history(worker, move) for move in picked(worker) if is_quiet(move)]
        assert scores == sorted(scores, reverse=True)
