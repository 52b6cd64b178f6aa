"""Histories: how often moves caused cutoffs.

All entries are between -16384 and 16384. A move that causes a cutoff gets a bonus; moves tried
before it get a malus.
"""

from __future__ import annotations

from engine.board.move import NO_MOVE, from_square, is_quiet, to_square
from engine.board.see import captured_kind
from engine.native.jit import kernel
from engine.search.state import (
    FOLLOW_UP,
    MAX_TRIED,
    NO_MOVE_ROW,
    REPLY,
    Worker,
)

HISTORY_LIMIT = 16384


@kernel
def start_histories(worker: Worker, ply: int) -> None:
    """Before the moves of a node: clear the killers of the next ply."""
    killers = worker.stack[ply + 1].killers
    killers[0] = NO_MOVE
    killers[1] = NO_MOVE
    remember_last_moves(worker, ply)


@kernel
def remember_last_moves(worker: Worker, ply: int) -> None:
    """Find the rows of the continuation histories for the last moves before `ply`."""
    rows = worker.stack[ply].continuation_rows
    rows[0] = continuation_row(worker, 0)
    rows[1] = continuation_row(worker, 1)
    rows[2] = continuation_row(worker, 3)


@kernel
def continuation_row(worker: Worker, back: int) -> int:
    """Piece and target of the move `back` plies before the last one, as one number."""
    pos = worker.position
    if pos.ply < back:
        return NO_MOVE_ROW
    snapshot = pos.snapshots[pos.ply - back]
    return snapshot.moved * 64 + to_square(snapshot.move)


@kernel
def piece_to(worker: Worker, move: int) -> int:
    """The moving piece's kind and its target, as one number."""
    return worker.position.board[from_square(move)] * 64 + to_square(move)


@kernel
def quiet_history(worker: Worker, ply: int, move: int) -> int:
    """The histories of a quiet move: butterfly, and after the same earlier moves."""
    side = worker.position.side
    column = piece_to(worker, move)
    rows = worker.stack[ply].continuation_rows
    score = worker.history[side, from_square(move), to_square(move)]
    score += worker.continuations[REPLY, side, rows[0], column]
    score += worker.continuations[FOLLOW_UP, side, rows[1], column]
    score += worker.continuations[FOLLOW_UP, side, rows[2], column] // 2
    return score


@kernel
def capture_history(worker: Worker, move: int) -> int:
    """The history of a capture, by piece, target and victim."""
    victim = captured_kind(worker.position, move)
    return worker.capture_history[worker.position.side, piece_to(worker, move), victim]


@kernel
def gravity(old: int, bonus: int) -> int:
    """`old` plus `bonus`, the less the nearer `old` is to the limit on that side."""
    return old + bonus - old * abs(bonus) // HISTORY_LIMIT


@kernel
def add_quiet_history(worker: Worker, ply: int, move: int, bonus: int) -> None:
    side = worker.position.side
    start = from_square(move)
    to = to_square(move)
    column = piece_to(worker, move)
    worker.history[side, start, to] = gravity(worker.history[side, start, to], bonus)
    add_continuations(worker, ply, side, column, bonus)


@kernel
def add_continuations(worker: Worker, ply: int, side: int, column: int, bonus: int) -> None:
    """Add to the histories of a move of `side` at `ply` after the earlier moves."""
    for back in range(3):
        row = worker.stack[ply].continuation_rows[back]
        distance = REPLY if back == 0 else FOLLOW_UP
        old = worker.continuations[distance, side, row, column]
        worker.continuations[distance, side, row, column] = gravity(old, bonus)


@kernel
def add_capture_history(worker: Worker, move: int, bonus: int) -> None:
    side = worker.position.side
    victim = captured_kind(worker.position, move)
    column = piece_to(worker, move)
    old = worker.capture_history[side, column, victim]
    worker.capture_history[side, column, victim] = gravity(old, bonus)


@kernel
def forget_tried(worker: Worker, ply: int) -> None:
    """No move of this node has been searched yet."""
    frame = worker.stack[ply]
    frame.quiet_count = 0
    frame.noisy_count = 0


@kernel
def remember_tried(worker: Worker, ply: int, move: int) -> None:
    """`move` caused no cutoff."""
    frame = worker.stack[ply]
    if is_quiet(move):
        if frame.quiet_count < MAX_TRIED:
            frame.tried_quiets[frame.quiet_count] = move
            frame.quiet_count += 1
    elif frame.noisy_count < MAX_TRIED:
        frame.tried_noisies[frame.noisy_count] = move
        frame.noisy_count += 1


@kernel
def reward_cutoff(worker: Worker, ply: int, move: int, depth: int) -> None:
    """`move` caused a cutoff; those tried before it did not."""
    params = worker.params
    frame = worker.stack[ply]
    bonus = min(params.history_bonus_factor * depth, params.history_bonus_limit)
    malus = min(params.history_malus_factor * depth, params.history_malus_limit)
    if is_quiet(move):
        if frame.killers[0] != move:
            frame.killers[1] = frame.killers[0]
            frame.killers[0] = move
        add_quiet_history(worker, ply, move, bonus)
        for i in range(frame.quiet_count):
            add_quiet_history(worker, ply, frame.tried_quiets[i], -malus)
    else:
        add_capture_history(worker, move, bonus)
    for i in range(frame.noisy_count):
        add_capture_history(worker, frame.tried_noisies[i], -malus)


@kernel
def previous_was_quiet(worker: Worker) -> bool:
    pos = worker.position
    move = pos.snapshots[pos.ply].move
    return move != NO_MOVE and is_quiet(move)


@kernel
def reward_previous_move(worker: Worker, ply: int, depth: int) -> None:
    """The opponent found no good reply to the quiet move before `ply`: give that move a bonus."""
    if not previous_was_quiet(worker):
        return
    pos = worker.position
    now = pos.snapshots[pos.ply]
    bonus = worker.params.previous_move_bonus * min(depth, 8)
    side = pos.side ^ 1
    start = from_square(now.move)
    to = to_square(now.move)
    worker.history[side, start, to] = gravity(worker.history[side, start, to], bonus)
    row = worker.stack[ply - 1].continuation_rows[0]
    column = continuation_row(worker, 0)
    old = worker.continuations[REPLY, side, row, column]
    worker.continuations[REPLY, side, row, column] = gravity(old, bonus)


@kernel
def blame_previous_move(worker: Worker, ply: int, depth: int) -> None:
    """A reply refutes the quiet move before `ply`, which was tried first: give it a malus. The one
    for moves tried in vain reaches such a move only if another one is better.

    After Stockfish.
    """
    if worker.stack[ply - 1].move_number != 1 or not previous_was_quiet(worker):
        return
    malus = min(worker.params.history_bonus_factor * depth, worker.params.history_bonus_limit)
    column = continuation_row(worker, 0)
    add_continuations(worker, ply - 1, worker.position.side ^ 1, column, -malus)
