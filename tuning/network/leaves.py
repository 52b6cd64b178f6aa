"""Searches that write down the leaves that decide them, to learn from.

In alpha-beta every score is the evaluation of one leaf. The leaf whose evaluation a node returns is
where an error of the network becomes a move. Games alone do not contain such positions, because
their material is mostly even and nothing hangs.
"""

from __future__ import annotations

from engine.board.attacks import king_attacked
from engine.board.constants import BLACK, EMPTY, KING, MAX_PLY, NO_SQUARE, PAWN, WHITE
from engine.board.makemove import make, refresh
from engine.board.movegen import ALL, generate
from engine.board.position import Position
from engine.native.bits import bit, popcount
from engine.native.jit import entry, kernel
from engine.native.random import Random, random_below
from engine.native.structs import Struct, array_of, inline, int64, pointer_to_array
from engine.search.deepening import deepen
from engine.search.hooks import leaf_here, leaf_of_child, no_leaf, node_searched
from engine.search.state import Worker
from tuning.data.packed import PackedPosition, copy_packed, pack
from tuning.variants import variant

FEWEST_MEN = 4
LEAST_DEPTH = 3  # plies, of the nodes whose leaves are written
WINDOW = 60  # centipawns
OTHERS = 20
NO_LEAF, NEW_LEAF, SEEN_LEAF = 0, 1, 2


class Sampler(Struct):
    one_in = int64  # one deciding leaf in N of a search is written; 0: none
    random = inline(Random)
    positions = pointer_to_array(PackedPosition)
    count = int64  # of positions written
    room = int64


class Leaf(Struct):
    """The position whose evaluation is the score of a node."""

    state = int64  # NO_LEAF: not known; SEEN_LEAF: another node was decided by it before
    position = inline(PackedPosition)


class SamplingWorker(Worker):
    sampler = inline(Sampler)
    leaves = array_of(Leaf, MAX_PLY + 2)  # by ply


@kernel
def forget_leaf(worker: SamplingWorker, ply: int) -> None:
    worker.leaves[ply].state = NO_LEAF


@kernel
def keep_leaf(worker: SamplingWorker, ply: int, depth: int, distance: int) -> None:
    if worker.sampler.one_in > 0:
        leaf = worker.leaves[ply]
        pack(worker.position, leaf.position)
        leaf.state = NEW_LEAF


@kernel
def take_leaf_of_child(worker: SamplingWorker, ply: int) -> None:
    below = worker.leaves[ply + 1]
    leaf = worker.leaves[ply]
    leaf.state = below.state
    if below.state != NO_LEAF:
        copy_packed(below.position, leaf.position)


@kernel
def sample_leaf(worker: SamplingWorker, ply: int, depth: int, distance: int) -> None:
    """Write one in `one_in` of the leaves that decide nodes of LEAST_DEPTH or more, at random, each
    for the first node that it decides.

    Within WINDOW a small error of the evaluation changes what the search does; of the scores
    farther from alpha only one in OTHERS counts.
    """
    sampler = worker.sampler
    leaf = worker.leaves[ply]
    if sampler.one_in == 0 or depth < LEAST_DEPTH or leaf.state != NEW_LEAF:
        return
    leaf.state = SEEN_LEAF
    if distance >= WINDOW and random_below(sampler.random, OTHERS) != 0:
        return
    if random_below(sampler.random, sampler.one_in) != 0 or sampler.count == sampler.room:
        return
    if popcount(leaf.position.occupied) >= FEWEST_MEN:
        copy_packed(leaf.position, sampler.positions[sampler.count])
        sampler.count += 1


@kernel
def sample(pos: Position, sampler: Sampler) -> None:
    """Write a position, if it has enough men and there is room."""
    if sampler.count < sampler.room and popcount(pos.occupied) >= FEWEST_MEN:
        pack(pos, sampler.positions[sampler.count])
        sampler.count += 1


deepen_and_sample = entry(
    variant(
        deepen,
        __name__,
        {
            no_leaf: forget_leaf,
            leaf_here: keep_leaf,
            leaf_of_child: take_leaf_of_child,
            node_searched: sample_leaf,
            Worker: SamplingWorker,
        },
    )
)


@entry
def sample_here(worker: SamplingWorker) -> None:
    """Write the thread's position, unless the side to move is in check."""
    pos = worker.position
    if pos.snapshots[pos.ply].checkers == 0:
        sample(pos, worker.sampler)


@entry
def wander(worker: SamplingWorker, plies: int) -> None:
    """Make random legal moves, as long as there are any."""
    pos = worker.position
    for _ in range(plies):
        count = generate(pos, worker.lists, 0, 0, ALL)
        if count == 0:
            return
        make(pos, worker.lists.moves[0, random_below(worker.sampler.random, count)])


@entry
def remove_men(worker: SamplingWorker, how_many: int) -> bool:
    """Remove men except kings, pawns half as often. False if the rest is not legal.

    The position begins anew: without castling rights and history.
    """
    pos = worker.position
    if popcount(pos.occupied) < how_many + FEWEST_MEN:
        return False
    removed = 0
    while removed < how_many:
        square = random_below(worker.sampler.random, 64)
        kind = pos.board[square]
        if kind == EMPTY or kind == KING:
            continue
        if kind == PAWN and random_below(worker.sampler.random, 2) == 0:
            continue
        pos.board[square] = EMPTY
        pos.colours[WHITE] &= ~bit(square)
        pos.colours[BLACK] &= ~bit(square)
        removed += 1
    pos.ply = 0
    now = pos.snapshots[0]
    now.castling = 0
    now.en_passant = NO_SQUARE
    now.halfmove_clock = 0
    now.reversible_plies = 0
    now.move = 0
    now.moved = EMPTY
    now.captured = EMPTY
    refresh(pos)
    return not king_attacked(pos, pos.side ^ 1)
