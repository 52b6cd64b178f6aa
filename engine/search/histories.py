"""Histories: how often moves caused cutoffs.

A move that causes a cutoff gets a bonus; moves tried before it get a malus. The continuation
histories know a move by the earlier moves 1, 2, 4 and 6 plies back in the line, each as one number,
its row; before the root there are none. A row also says whether that move was noisy and an evasion.

After Stockfish 15, with the sizes of bonus and limits that suit its search.
"""

from __future__ import annotations

from engine.board.move import NO_MOVE, from_square, is_quiet, to_square
from engine.board.see import captured_kind
from engine.native.jit import kernel
from engine.search.state import (
    FARTHEST_BACK,
    FOLLOW_UP,
    KIND_AND_TO,
    MAX_TRIED,
    NO_MOVE_ROW,
    REPLY,
    Worker,
)

BUTTERFLY_LIMIT = 7183
CAPTURE_LIMIT = 10692
CONTINUATION_LIMIT = 29952
UNKNOWN_HISTORY = -71  # of a move after another before they were tried: a little bad


# --- Reading -------------------------------------------------------------------------------------


@kernel
def piece_to(worker: Worker, move: int) -> int:
    """The moving piece's kind and its target, as one number."""
    return worker.position.board[from_square(move)] * 64 + to_square(move)


@kernel
def last_piece_to(worker: Worker) -> int:
    """The same for the last move made, which must not be a null move."""
    pos = worker.position
    now = pos.snapshots[pos.ply]
    return now.moved * 64 + to_square(now.move)


@kernel
def continuation(worker: Worker, ply: int, column: int, back: int) -> int:
    """The history of our move `column` at `ply` after the move `back` plies earlier."""
    row = worker.rows[FARTHEST_BACK + ply - back]
    distance = REPLY if back == 1 else FOLLOW_UP
    return worker.continuations[distance, worker.position.side, row, column]


@kernel
def butterfly(worker: Worker, move: int) -> int:
    """The history of a move by its squares."""
    return worker.history[worker.position.side, from_square(move), to_square(move)]


@kernel
def near_continuations(worker: Worker, ply: int, move: int) -> int:
    """The histories of a move after the three last moves that matter most."""
    column = piece_to(worker, move)
    score = continuation(worker, ply, column, 1) + continuation(worker, ply, column, 2)
    return score + continuation(worker, ply, column, 4)


@kernel
def capture_history(worker: Worker, move: int) -> int:
    """The history of a capture, by piece, target and victim."""
    victim = captured_kind(worker.position, move)
    return worker.capture_history[worker.position.side, piece_to(worker, move), victim]


@kernel
def countermove(worker: Worker, ply: int) -> int:
    """The quiet move that last refuted the move before `ply`, or NO_MOVE."""
    pos = worker.position
    if ply == 0 or pos.snapshots[pos.ply].move == NO_MOVE:
        return NO_MOVE
    return worker.countermoves[pos.side, last_piece_to(worker)]


# --- The line ------------------------------------------------------------------------------------


@kernel
def remember_row(worker: Worker, ply: int, move: int) -> None:
    """`move` is about to be made at `ply`."""
    row = NO_MOVE_ROW
    if move != NO_MOVE:
        kind = worker.stack[ply].in_check * 2 + (not is_quiet(move))
        row = kind * KIND_AND_TO + piece_to(worker, move)
    worker.rows[FARTHEST_BACK + ply] = row


@kernel
def forget_tried(worker: Worker, ply: int) -> None:
    """No move of this node has been searched yet."""
    frame = worker.stack[ply]
    frame.quiet_count = 0
    frame.noisy_count = 0


@kernel
def remember_tried(worker: Worker, ply: int, move: int) -> None:
    """`move` is not the best."""
    frame = worker.stack[ply]
    if is_quiet(move):
        if frame.quiet_count < MAX_TRIED:
            frame.tried_quiets[frame.quiet_count] = move
            frame.quiet_count += 1
    elif frame.noisy_count < MAX_TRIED:
        frame.tried_noisies[frame.noisy_count] = move
        frame.noisy_count += 1


# --- Learning ------------------------------------------------------------------------------------


@kernel
def gravity(old: int, bonus: int, limit: int) -> int:
    """`old` plus `bonus`, the less the nearer `old` is to the limit on that side."""
    return old + bonus - old * abs(bonus) // limit


@kernel
def bonus_of(worker: Worker, depth: int) -> int:
    params = worker.params
    bonus = (params.history_bonus_square * depth + params.history_bonus_factor) * depth
    return min(bonus - params.history_bonus_base, params.history_bonus_limit)


@kernel
def add_butterfly(worker: Worker, side: int, move: int, bonus: int) -> None:
    start = from_square(move)
    to = to_square(move)
    worker.history[side, start, to] = gravity(
        worker.history[side, start, to], bonus, BUTTERFLY_LIMIT
    )


@kernel
def add_continuation(
    worker: Worker, ply: int, side: int, column: int, back: int, bonus: int
) -> None:
    row = worker.rows[FARTHEST_BACK + ply - back]
    if row != NO_MOVE_ROW:
        distance = REPLY if back == 1 else FOLLOW_UP
        old = worker.continuations[distance, side, row, column]
        worker.continuations[distance, side, row, column] = gravity(old, bonus, CONTINUATION_LIMIT)


@kernel
def add_continuations(worker: Worker, ply: int, side: int, column: int, bonus: int) -> None:
    """Add to the histories of a move of `side` at `ply` after the earlier moves; an evasion depends
    on the last ones only."""
    add_continuation(worker, ply, side, column, 1, bonus)
    add_continuation(worker, ply, side, column, 2, bonus)
    if worker.stack[ply].in_check == 0:
        add_continuation(worker, ply, side, column, 4, bonus)
        add_continuation(worker, ply, side, column, 6, bonus)


@kernel
def add_quiet_history(worker: Worker, ply: int, move: int, bonus: int) -> None:
    side = worker.position.side
    add_butterfly(worker, side, move, bonus)
    add_continuations(worker, ply, side, piece_to(worker, move), bonus)


@kernel
def add_capture_history(worker: Worker, move: int, bonus: int) -> None:
    side = worker.position.side
    victim = captured_kind(worker.position, move)
    column = piece_to(worker, move)
    old = worker.capture_history[side, column, victim]
    worker.capture_history[side, column, victim] = gravity(old, bonus, CAPTURE_LIMIT)


@kernel
def reward_quiet(worker: Worker, ply: int, move: int, bonus: int) -> None:
    """A quiet move was the best: it becomes a killer and countermove too."""
    frame = worker.stack[ply]
    if frame.killers[0] != move:
        frame.killers[1] = frame.killers[0]
        frame.killers[0] = move
    add_quiet_history(worker, ply, move, bonus)
    pos = worker.position
    if ply > 0 and pos.snapshots[pos.ply].move != NO_MOVE:
        worker.countermoves[pos.side, last_piece_to(worker)] = move


@kernel
def reward_best(worker: Worker, ply: int, move: int, depth: int, score: int, beta: int) -> None:
    """`move` was the best with `score`; those tried before and after it were not."""
    frame = worker.stack[ply]
    larger = bonus_of(worker, depth + 1)
    if is_quiet(move):
        is_clear = score > beta + worker.params.history_surplus_margin
        bonus = larger if is_clear else bonus_of(worker, depth)
        reward_quiet(worker, ply, move, bonus)
        for i in range(frame.quiet_count):
            add_quiet_history(worker, ply, frame.tried_quiets[i], -bonus)
    else:
        add_capture_history(worker, move, larger)
    if ply > 0:
        before = worker.stack[ply - 1]
        # It was tried first, or as the first killer, in vain.
        if before.move_number == 1 + before.known or before.move == before.killers[0]:
            add_to_previous_move(worker, ply, -larger)
    for i in range(frame.noisy_count):
        add_capture_history(worker, frame.tried_noisies[i], -larger)


@kernel
def add_to_previous_move(worker: Worker, ply: int, bonus: int) -> None:
    """Add to the continuation histories of the move before `ply`, if it was quiet."""
    if previous_was_quiet(worker):
        side = worker.position.side ^ 1
        add_continuations(worker, ply - 1, side, last_piece_to(worker), bonus)


@kernel
def previous_was_quiet(worker: Worker) -> bool:
    pos = worker.position
    move = pos.snapshots[pos.ply].move
    return move != NO_MOVE and is_quiet(move)


@kernel
def learn_from_table(worker: Worker, ply: int, move: int, depth: int, is_above_beta: bool) -> None:
    """The table ends a node with a score for its `move`: a cutoff, or the best that failed."""
    bonus = bonus_of(worker, depth)
    if is_above_beta:
        if is_quiet(move):
            reward_quiet(worker, ply, move, bonus)
        if worker.stack[ply - 1].move_number <= 2:
            add_to_previous_move(worker, ply, -bonus_of(worker, depth + 1))
    elif is_quiet(move):
        add_quiet_history(worker, ply, move, -bonus)


@kernel
def learn_from_evaluation(worker: Worker, ply: int) -> None:
    """A quiet move that improves its side's static evaluation gets a bonus, or else a malus."""
    if ply == 0 or not previous_was_quiet(worker):
        return
    before = worker.stack[ply - 1]
    if before.in_check:
        return
    pos = worker.position
    params = worker.params
    gain = -(before.static_eval + worker.stack[ply].static_eval)
    bonus = gain * params.static_history_factor
    bonus = max(-params.static_history_limit, min(params.static_history_limit, bonus))
    add_butterfly(worker, pos.side ^ 1, pos.snapshots[pos.ply].move, bonus)
