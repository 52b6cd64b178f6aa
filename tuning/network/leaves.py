"""Positions to learn from: the leaves that decide searches, and positions with men displaced.

In alpha-beta every score is the evaluation of one leaf. The leaf whose evaluation a node returns is
where an error of the network becomes a move. Games alone do not contain such positions, because
their material is mostly even and nothing hangs.
"""

from __future__ import annotations

from engine.board.attacks import king_attacked
from engine.board.constants import BLACK, EMPTY, KING, MAX_PLY, NO_SQUARE, PAWN, WHITE
from engine.board.makemove import move_piece, refresh, remove
from engine.board.position import Position
from engine.native.bits import bit, popcount
from engine.native.jit import entry, kernel
from engine.native.random import Random, random_below
from engine.native.structs import Struct, array_of, inline, int64, pointer_to_array
from engine.search.deepening import deepen
from engine.search.hooks import leaf_here, leaf_of_child, no_leaf, node_searched
from engine.search.state import Worker
from tuning.data.packed import PackedPosition, copy_packed, pack, unpack
from tuning.variants import variant

FEWEST_MEN = 4
LEAST_DEPTH = 3  # plies, of the nodes whose leaves are written
WINDOW = 60  # centipawns
OTHERS = 20
TWO_MEN_IN = 3  # one displaced position in N differs by two men, the others by one
REMOVED_IN = 6  # one man in N is taken off instead, unless it is a king
MOST_TRIES = 60  # until enough men are displaced
NO_LEAF, NEW_LEAF, SEEN_LEAF = 0, 1, 2


class Sampler(Struct):
    one_in = int64  # one deciding leaf in N of a search is written; 0: none
    random = inline(Random)
    positions = pointer_to_array(PackedPosition)
    count = int64  # of positions written
    room = int64
    bases = pointer_to_array(PackedPosition)
    base_count = int64


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
def sample_displaced(worker: SamplingWorker, tries: int) -> None:
    """Write positions that differ from bases, drawn at random, by one or two men on other squares,
    if they are legal and not in check, until there have been so many tries."""
    pos, sampler = worker.position, worker.sampler
    for _ in range(tries):
        unpack(pos, sampler.bases[random_below(sampler.random, sampler.base_count)])
        how_many = 2 if random_below(sampler.random, TWO_MEN_IN) == 0 else 1
        if displace_men(pos, sampler.random, how_many) and pos.snapshots[0].checkers == 0:
            sample(pos, sampler)


@kernel
def displace_men(pos: Position, random: Random, how_many: int) -> bool:
    """Put men on other squares: pawns and kings beside their own, half of the pieces anywhere. Some
    are taken off instead. False if the rest is not legal.

    The position must begin without castling rights and history, as `unpack` leaves it.
    """
    left, removes = how_many, random_below(random, REMOVED_IN) == 0
    for _ in range(MOST_TRIES):
        square = random_below(random, 64)
        kind = pos.board[square]
        if kind == EMPTY or (removes and kind == KING):
            continue
        colour = WHITE if pos.colours[WHITE] & bit(square) else BLACK
        if removes:
            remove(pos, colour, kind, square)
        else:
            to = random_below(random, 64)
            if kind == PAWN or kind == KING or random_below(random, 2) == 0:
                to = beside(random, square)
            if to == NO_SQUARE or pos.board[to] != EMPTY:
                continue
            if kind == PAWN and (to < 8 or to >= 56):
                continue
            move_piece(pos, colour, kind, square, to)
        left -= 1
        if left == 0:
            break
        removes = random_below(random, REMOVED_IN) == 0
    refresh(pos)
    return left == 0 and not king_attacked(pos, pos.side ^ 1)


@kernel
def beside(random: Random, square: int) -> int:
    """A square that a king could reach, or the same, or NO_SQUARE."""
    file = (square & 7) + random_below(random, 3) - 1
    rank = (square >> 3) + random_below(random, 3) - 1
    if file < 0 or file > 7 or rank < 0 or rank > 7:
        return NO_SQUARE
    return 8 * rank + file
