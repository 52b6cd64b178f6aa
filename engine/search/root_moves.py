"""The moves of the root, and the results of an iteration for each."""

from __future__ import annotations

from engine.board.constants import MAX_MOVES
from engine.board.movegen import ALL, generate
from engine.native.jit import entry, kernel
from engine.scores import INFINITE
from engine.search.state import RootMove, Worker

NOT_AT_ROOT = -1
NO_FAIL_HIGH = -1


def set_root_moves(worker: Worker, moves: list[int]) -> None:
    """Set the moves to search at the root; at least one. Uses the list of ply 0."""
    worker.lists.moves[0, : len(moves)] = moves
    set_listed_root_moves(worker, len(moves))


@entry
def set_all_root_moves(worker: Worker) -> int:
    """Search every legal move at the root. Returns their number."""
    count = generate(worker.position, worker.lists, 0, 0, ALL)
    set_listed_root_moves(worker, count)
    return count


@entry
def set_listed_root_moves(worker: Worker, count: int) -> None:
    """Search the first `count` moves of the list of ply 0."""
    worker.root_count = count
    for index in range(count):
        root_move = worker.root_moves[index]
        root_move.move = worker.lists.moves[0, index]
        root_move.score = -INFINITE
        root_move.ceiling = INFINITE
        root_move.nodes = 0
        root_move.selective_depth = 0
        root_move.pv_length = 1
        root_move.pv[0] = root_move.move


@entry
def forget_ceilings(worker: Worker) -> None:
    """Begin an iteration: nothing is known about any move yet."""
    for index in range(worker.root_count):
        worker.root_moves[index].ceiling = INFINITE


@kernel
def find_root_move(worker: Worker, move: int) -> int:
    """Index of a move among those to be searched at the root, or NOT_AT_ROOT."""
    for index in range(worker.root_first, worker.root_count):
        if worker.root_moves[index].move == move:
            return index
    return NOT_AT_ROOT


@kernel
def record_root_move(worker: Worker, move: int, nodes_before: int, score: int, alpha: int) -> None:
    """Record the `score` of a root move, and its line if it is the first or raises alpha."""
    index = find_root_move(worker, move)
    is_first = worker.stack[0].move_number == 1
    root_move = worker.root_moves[index]
    root_move.nodes += worker.nodes - nodes_before
    root_move.score = -INFINITE
    root_move.ceiling = max(score, alpha)
    if is_first or score > alpha:
        record_root_line(worker, index)
    if score > alpha:
        root_move.score = score
        worker.root_best = index
    elif is_first:
        worker.window.failed_high = NO_FAIL_HIGH  # what was above the last window is not, after all


@kernel
def record_root_line(worker: Worker, index: int) -> None:
    """Root move `index` is the best so far, with the line of ply 1."""
    root_move = worker.root_moves[index]
    line = worker.stack[1]
    root_move.selective_depth = worker.selective_depth
    root_move.pv[0] = root_move.move
    for i in range(line.pv_length):
        root_move.pv[i + 1] = line.pv[i]
    root_move.pv_length = line.pv_length + 1


@entry
def bring_best_to_front(worker: Worker) -> None:
    """Swap the root move with the best score to index `root_first`."""
    first = worker.root_first
    best = first
    for index in range(first + 1, worker.root_count):
        if worker.root_moves[index].score > worker.root_moves[best].score:
            best = index
    bring_to_front(worker, best)


@kernel
def bring_to_front(worker: Worker, index: int) -> None:
    """Swap root move `index` to index `root_first`."""
    first = worker.root_first
    if index == first:
        return
    one = worker.root_moves[first]
    other = worker.root_moves[index]
    # Through the unused last element: structs are copied field by field.
    spare = worker.root_moves[MAX_MOVES]
    copy_root_move(one, spare)
    copy_root_move(other, one)
    copy_root_move(spare, other)


@kernel
def copy_root_move(source: RootMove, target: RootMove) -> None:
    target.move = source.move
    target.score = source.score
    target.ceiling = source.ceiling
    target.nodes = source.nodes
    target.selective_depth = source.selective_depth
    target.pv_length = source.pv_length
    for i in range(source.pv_length):
        target.pv[i] = source.pv[i]
