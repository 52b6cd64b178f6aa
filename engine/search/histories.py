"""What past cutoffs say about moves."""

from __future__ import annotations

from engine.board.move import from_square, to_square
from engine.native.jit import kernel
from engine.search.state import SearchThread

HISTORY_LIMIT = 16384


@kernel
def quiet_history(thread: SearchThread, move: int) -> int:
    """How well a quiet move of the side to move did elsewhere, -16384 to 16384."""
    return thread.history[thread.position.side, from_square(move), to_square(move)]


@kernel
def gravity(old: int, bonus: int) -> int:
    """`old` moved by `bonus`, the less the nearer it is to the limit on that side."""
    return old + bonus - old * abs(bonus) // HISTORY_LIMIT


@kernel
def history_bonus(thread: SearchThread, depth: int) -> int:
    params = thread.params
    return min(params.history_bonus_factor * depth, params.history_bonus_limit)


@kernel
def add_history(thread: SearchThread, move: int, bonus: int) -> None:
    side = thread.position.side
    start = from_square(move)
    to = to_square(move)
    thread.history[side, start, to] = gravity(thread.history[side, start, to], bonus)


@kernel
def reward_quiet(thread: SearchThread, ply: int, move: int, depth: int, tried: int) -> None:
    """A quiet move caused a cutoff: remember it, and that `tried` quiet moves before it did not."""
    if thread.killers[ply, 0] != move:
        thread.killers[ply, 1] = thread.killers[ply, 0]
        thread.killers[ply, 0] = move
    bonus = history_bonus(thread, depth)
    add_history(thread, move, bonus)
    for i in range(tried):
        add_history(thread, thread.tried_quiets[ply, i], -bonus)
