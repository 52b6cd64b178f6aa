"""The move picker: tt_move, good captures, quiet moves, losing captures.

It generates each stage only when it is reached; most nodes end before the quiet moves.
"""

from __future__ import annotations

from engine.board.checks import find_check_squares, gives_check
from engine.board.constants import QUEEN
from engine.board.move import NO_MOVE, PROMOTION, from_square, is_quiet, promotion_kind
from engine.board.movegen import ALL, NOISY, QUIET, generate
from engine.board.see import move_gain, see_at_least
from engine.native.jit import kernel
from engine.search.histories import capture_history, quiet_history
from engine.search.state import Worker
from engine.search.threats import (
    attacked_by_minors,
    attacked_by_pawns,
    attacked_by_rooks,
    threat_score,
)

# Stages, in their order.
TT_MOVE, MAKE_NOISY, GOOD_NOISY, MAKE_QUIETS, QUIETS, BAD_NOISY, MAKE_ALL, EVASIONS, DONE = range(9)

KILLER_SCORE = 1 << 20
CAPTURE_SCORE = 1 << 22


@kernel
def start_picking(worker: Worker, ply: int, tt_move: int, in_check: bool) -> None:
    """Begin a node. `tt_move` must be legal or NO_MOVE."""
    picker = worker.stack[ply].picker
    picker.tt_move = tt_move
    picker.index = 0
    picker.count = 0
    picker.bad_count = 0
    picker.only_checks = 0
    if tt_move != NO_MOVE:
        picker.stage = TT_MOVE
    else:
        picker.stage = MAKE_ALL if in_check else MAKE_NOISY


@kernel
def next_move(worker: Worker, ply: int, in_check: bool, only_noisy: bool) -> int:
    """The next move of this ply, or NO_MOVE. With `only_noisy` it ends after good captures."""
    pos = worker.position
    lists = worker.lists
    picker = worker.stack[ply].picker
    if picker.stage == TT_MOVE:
        picker.stage = MAKE_ALL if in_check else MAKE_NOISY
        return picker.tt_move

    if picker.stage == MAKE_NOISY:
        picker.count = generate(pos, lists, ply, 0, NOISY)
        score_noisy(worker, ply, 0, picker.count)
        picker.stage = GOOD_NOISY
    if picker.stage == GOOD_NOISY:
        while picker.index < picker.count:
            move = pick_best(worker, ply, picker.index, picker.count)
            picker.index += 1
            if move == picker.tt_move:
                continue
            if see_at_least(pos, move, 0):
                return move
            lists.moves[ply, picker.bad_count] = move
            picker.bad_count += 1
        picker.stage = DONE if only_noisy else MAKE_QUIETS

    if picker.stage == MAKE_QUIETS:
        first = picker.count
        picker.count = generate(pos, lists, ply, first, QUIET)
        score_quiets(worker, ply, first, picker.count)
        picker.stage = QUIETS
    if picker.stage == QUIETS:
        while picker.index < picker.count:
            if picker.only_checks:
                move = lists.moves[ply, picker.index]
            else:
                move = pick_best(worker, ply, picker.index, picker.count)
            picker.index += 1
            if move != picker.tt_move and (
                picker.only_checks == 0 or gives_check(pos, picker.checks, move)
            ):
                return move
        picker.index = 0
        picker.stage = BAD_NOISY

    if picker.stage == BAD_NOISY:
        if picker.index < picker.bad_count:
            picker.index += 1
            return lists.moves[ply, picker.index - 1]
        picker.stage = DONE

    if picker.stage == MAKE_ALL:
        picker.count = generate(pos, lists, ply, 0, ALL)
        score_evasions(worker, ply, picker.count)
        picker.stage = EVASIONS
    if picker.stage == EVASIONS:
        while picker.index < picker.count:
            move = pick_best(worker, ply, picker.index, picker.count)
            picker.index += 1
            if move != picker.tt_move:
                return move
        picker.stage = DONE
    return NO_MOVE


@kernel
def keep_only_checks(worker: Worker, ply: int) -> None:
    """From now on return only the quiet moves that give check. Does not affect evasions."""
    picker = worker.stack[ply].picker
    picker.only_checks = 1
    find_check_squares(worker.position, picker.checks)


@kernel
def noisy_score(worker: Worker, move: int) -> int:
    """Most valuable victim first, and the least valuable attacker among equals."""
    pos = worker.position
    attacker = pos.board[from_square(move)]
    score = move_gain(pos, move) * 16 - attacker + capture_history(worker, move) // 8
    if move & PROMOTION and promotion_kind(move) != QUEEN:
        score -= 40000
    return score


@kernel
def score_noisy(worker: Worker, ply: int, first: int, end: int) -> None:
    for i in range(first, end):
        set_score(worker, ply, i, noisy_score(worker, worker.lists.moves[ply, i]))


@kernel
def quiet_score(worker: Worker, ply: int, move: int) -> int:
    killers = worker.stack[ply].killers
    if move == killers[0]:
        return KILLER_SCORE + 1
    if move == killers[1]:
        return KILLER_SCORE
    return quiet_history(worker, ply, move)


@kernel
def score_quiets(worker: Worker, ply: int, first: int, end: int) -> None:
    pos = worker.position
    params = worker.params
    them = pos.side ^ 1
    by_pawns = attacked_by_pawns(pos, them)
    by_minors = by_pawns | attacked_by_minors(pos, them)
    by_rooks = by_minors | attacked_by_rooks(pos, them)
    for i in range(first, end):
        move = worker.lists.moves[ply, i]
        score = quiet_score(worker, ply, move)
        score += threat_score(pos, params, move, by_pawns, by_minors, by_rooks)
        set_score(worker, ply, i, score)


@kernel
def score_evasions(worker: Worker, ply: int, end: int) -> None:
    for i in range(end):
        move = worker.lists.moves[ply, i]
        if is_quiet(move):
            set_score(worker, ply, i, quiet_score(worker, ply, move))
        else:
            set_score(worker, ply, i, CAPTURE_SCORE + noisy_score(worker, move))


@kernel
def set_score(worker: Worker, ply: int, index: int, score: int) -> None:
    """Stored together with the index, so that a comparison alone finds the best."""
    worker.lists.scores[ply, index] = score << 8 | (255 - index)


@kernel
def pick_best(worker: Worker, ply: int, first: int, end: int) -> int:
    """Swap the best of the moves from `first` on to index `first`, and return it."""
    lists = worker.lists
    best = lists.scores[ply, first]
    for i in range(first + 1, end):
        best = max(best, lists.scores[ply, i])
    index = 255 - (best & 255)
    move = lists.moves[ply, index]
    lists.moves[ply, index] = lists.moves[ply, first]
    lists.scores[ply, index] = (lists.scores[ply, first] & ~255) | (255 - index)
    lists.moves[ply, first] = move
    return move
