"""The move picker: tt_move, good captures, killers and countermove, quiet moves, losing captures.

It generates each stage only when it is reached; most nodes end before the quiet moves.
"""

from __future__ import annotations

from engine.board.checks import CheckSquares, find_check_squares, gives_check
from engine.board.constants import QUEEN
from engine.board.legality import is_legal
from engine.board.move import (
    NO_MOVE,
    PROMOTION,
    from_square,
    is_quiet,
    promotion_kind,
    to_square,
)
from engine.board.movegen import ALL, NOISY, QUIET, generate, generate_quiet_checks
from engine.board.see import move_gain, see_at_least
from engine.native.bits import bit
from engine.native.jit import kernel
from engine.search.histories import (
    butterfly,
    capture_history,
    continuation,
    countermove,
    piece_to,
)
from engine.search.state import Worker
from engine.search.threats import (
    attacked_by_minors,
    attacked_by_pawns,
    attacked_by_rooks,
    escape_score,
    threatened_pieces,
)

# Stages of a node of the search, in their order.
TT_MOVE, MAKE_NOISY, GOOD_NOISY, REFUTATIONS, MAKE_QUIETS, QUIETS, BAD_NOISY, DONE = range(8)
# ... of evasions, after the tt_move
MAKE_ALL, EVASIONS = 8, 9
# ... of quiescence and ProbCut, which takes no quiet moves
PLAIN_TT_MOVE, MAKE_PLAIN_NOISY, PLAIN_NOISY, MAKE_CHECKS, CHECKS = range(10, 15)

CAPTURE_SCORE = 1 << 20
RECAPTURES_DEPTH = -5  # from here on quiescence only recaptures


@kernel
def start_picking(worker: Worker, ply: int, tt_move: int, in_check: bool) -> None:
    """Begin a node of the search. `tt_move` must be legal or NO_MOVE."""
    picker = worker.stack[ply].picker
    begin(worker, ply, tt_move)
    picker.countermove = countermove(worker, ply)
    picker.stage = TT_MOVE
    if tt_move == NO_MOVE:
        picker.stage = MAKE_ALL if in_check else MAKE_NOISY


@kernel
def start_picking_noisy(worker: Worker, ply: int, tt_move: int, in_check: bool, depth: int) -> None:
    """Begin a node that takes only evasions, or else captures, and at depth 0 quiet checks.
    `tt_move` must be legal or NO_MOVE."""
    picker = worker.stack[ply].picker
    begin(worker, ply, tt_move)
    picker.depth = depth
    if tt_move != NO_MOVE:
        picker.stage = TT_MOVE if in_check else PLAIN_TT_MOVE
    else:
        picker.stage = MAKE_ALL if in_check else MAKE_PLAIN_NOISY


@kernel
def begin(worker: Worker, ply: int, tt_move: int) -> None:
    picker = worker.stack[ply].picker
    picker.tt_move = tt_move
    picker.index = 0
    picker.count = 0
    picker.bad_count = 0
    picker.skip_quiets = 0
    picker.threatened = 0
    picker.has_checks = 0


@kernel
def next_move(worker: Worker, ply: int, in_check: bool) -> int:
    """The next move of this ply, or NO_MOVE."""
    pos = worker.position
    lists = worker.lists
    frame = worker.stack[ply]
    picker = frame.picker
    if picker.stage == TT_MOVE:
        picker.stage = MAKE_ALL if in_check else MAKE_NOISY
        return picker.tt_move

    if picker.stage == MAKE_NOISY:
        generate_noisy(worker, ply)
        picker.stage = GOOD_NOISY
    if picker.stage == GOOD_NOISY:
        while picker.index < picker.count:
            move = pick_best(worker, ply, picker.index, picker.count)
            score = lists.scores[ply, picker.index] >> 8
            picker.index += 1
            if move == picker.tt_move:
                continue
            if see_at_least(pos, move, -score * worker.params.good_capture_margin // 1024):
                return move
            lists.moves[ply, picker.bad_count] = move
            picker.bad_count += 1
        picker.stage = REFUTATIONS
        picker.index = 0

    if picker.stage == REFUTATIONS:
        while picker.index < 3:
            move = refutation(worker, ply, picker.index)
            picker.index += 1
            if move != NO_MOVE and move != picker.tt_move:
                is_new = picker.index < 3 or (move != frame.killers[0] and move != frame.killers[1])
                if is_new and is_legal(pos, move):
                    return move
        picker.stage = MAKE_QUIETS

    if picker.stage == MAKE_QUIETS:
        picker.index = picker.bad_count
        picker.count = picker.bad_count
        if picker.skip_quiets == 0:
            picker.count = generate(pos, lists, ply, picker.bad_count, QUIET)
            score_quiets(worker, ply, picker.bad_count, picker.count)
        picker.stage = QUIETS
    if picker.stage == QUIETS:
        while picker.index < picker.count and picker.skip_quiets == 0:
            move = pick_best(worker, ply, picker.index, picker.count)
            picker.index += 1
            if (
                move != picker.tt_move
                and move != frame.killers[0]
                and move != frame.killers[1]
                and move != picker.countermove
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
    return next_noisy(worker, ply) if picker.stage > DONE else NO_MOVE


@kernel
def next_noisy(worker: Worker, ply: int) -> int:
    """The next move of quiescence when not in check, or of ProbCut."""
    pos = worker.position
    lists = worker.lists
    picker = worker.stack[ply].picker
    if picker.stage == PLAIN_TT_MOVE:
        picker.stage = MAKE_PLAIN_NOISY
        return picker.tt_move

    if picker.stage == MAKE_PLAIN_NOISY:
        generate_noisy(worker, ply)
        picker.stage = PLAIN_NOISY
    if picker.stage == PLAIN_NOISY:
        now = pos.snapshots[pos.ply]
        while picker.index < picker.count:
            move = pick_best(worker, ply, picker.index, picker.count)
            picker.index += 1
            if move == picker.tt_move:
                continue
            if picker.depth > RECAPTURES_DEPTH or to_square(move) == to_square(now.move):
                return move
        picker.stage = MAKE_CHECKS if picker.depth == 0 else DONE

    if picker.stage == MAKE_CHECKS:
        picker.index = 0
        picker.count = generate_quiet_checks(pos, lists, ply, 0, checks_of(worker, ply))
        picker.stage = CHECKS
    if picker.stage == CHECKS:
        while picker.index < picker.count:
            move = lists.moves[ply, picker.index]
            picker.index += 1
            if move != picker.tt_move and is_check(worker, ply, move):
                return move
        picker.stage = DONE
    return NO_MOVE


@kernel
def checks_of(worker: Worker, ply: int) -> CheckSquares:
    """From where pieces give check in the node of `ply`: found when first asked for."""
    picker = worker.stack[ply].picker
    if picker.has_checks == 0:
        find_check_squares(worker.position, picker.checks)
        picker.has_checks = 1
    return picker.checks


@kernel
def is_check(worker: Worker, ply: int, move: int) -> bool:
    """Does a move of the node of `ply` give check?"""
    return gives_check(worker.position, checks_of(worker, ply), move)


@kernel
def refutation(worker: Worker, ply: int, number: int) -> int:
    """A killer, or the countermove, or NO_MOVE."""
    frame = worker.stack[ply]
    return frame.killers[number] if number < 2 else frame.picker.countermove


@kernel
def noisy_score(worker: Worker, move: int) -> int:
    """Most valuable victim first; and by history."""
    score = move_gain(worker.position, move) * worker.params.victim_weight
    score += capture_history(worker, move)
    if move & PROMOTION and promotion_kind(move) != QUEEN:
        score -= 40000
    return score


@kernel
def generate_noisy(worker: Worker, ply: int) -> None:
    """Fill the list of this ply with the noisy moves and their scores."""
    picker = worker.stack[ply].picker
    picker.count = generate(worker.position, worker.lists, ply, 0, NOISY)
    for i in range(picker.count):
        set_score(worker, ply, i, noisy_score(worker, worker.lists.moves[ply, i]))


@kernel
def score_quiets(worker: Worker, ply: int, first: int, end: int) -> None:
    pos = worker.position
    params = worker.params
    picker = worker.stack[ply].picker
    them = pos.side ^ 1
    by_pawns = attacked_by_pawns(pos, them)
    by_minors = by_pawns | attacked_by_minors(pos, them)
    by_rooks = by_minors | attacked_by_rooks(pos, them)
    checks = checks_of(worker, ply)
    picker.threatened = threatened_pieces(pos, by_pawns, by_minors, by_rooks)
    for i in range(first, end):
        move = worker.lists.moves[ply, i]
        column = piece_to(worker, move)
        score = 2 * (butterfly(worker, move) + continuation(worker, ply, column, 1))
        score += continuation(worker, ply, column, 2) + continuation(worker, ply, column, 4)
        score += continuation(worker, ply, column, 6)
        if picker.threatened & bit(from_square(move)):
            score += escape_score(pos, params, move, by_pawns, by_minors, by_rooks)
        if checks.squares[pos.board[from_square(move)]] & bit(to_square(move)):
            score += params.check_bonus
        set_score(worker, ply, i, score)


@kernel
def score_evasions(worker: Worker, ply: int, end: int) -> None:
    pos = worker.position
    for i in range(end):
        move = worker.lists.moves[ply, i]
        if is_quiet(move):
            column = piece_to(worker, move)
            score = butterfly(worker, move) + continuation(worker, ply, column, 1)
        else:
            score = CAPTURE_SCORE + 16 * move_gain(pos, move) - pos.board[from_square(move)]
        set_score(worker, ply, i, score)


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
    lists.scores[ply, first] = (best & ~255) | (255 - first)
    return move
