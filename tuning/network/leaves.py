"""Searches from which samples are taken to learn from: of the given position, and of ones near it.

Games alone do not contain what a search sees, because their material is mostly even and nothing
hangs. Nearly half of the positions that a search evaluates are in the middle of an exchange.
"""

from __future__ import annotations

from engine.board.attacks import king_attacked
from engine.board.constants import BLACK, EMPTY, KING, NO_SQUARE, PAWN, WHITE
from engine.board.makemove import make, refresh
from engine.board.movegen import ALL, generate
from engine.board.position import Position
from engine.native.bits import bit, popcount
from engine.native.jit import entry, kernel
from engine.native.random import Random, random_below
from engine.native.structs import Struct, inline, int64, pointer_to_array
from engine.search.deepening import deepen
from engine.search.hooks import leaf_here
from engine.search.state import SearchThread
from tuning.data.packed import PackedPosition, pack
from tuning.variants import variant

FEWEST_MEN = 4
WINDOW = 60  # centipawns
OTHERS = 20


class Sampler(Struct):
    one_in = int64  # of so many leaves of a search one is written; 0: none
    random = inline(Random)
    positions = pointer_to_array(PackedPosition)
    count = int64  # of positions written
    room = int64


class SamplingThread(SearchThread):
    sampler = inline(Sampler)


@kernel
def sample_leaf(thread: SamplingThread, ply: int, depth: int, distance: int) -> None:
    """Write one in `one_in` of the positions that quiescence evaluates, at random.

    Within WINDOW a small error of the evaluation changes what the search does; of the positions
    farther from alpha only one in OTHERS counts.
    """
    sampler = thread.sampler
    if sampler.one_in == 0 or depth > 0:
        return
    if distance >= WINDOW and random_below(sampler.random, OTHERS) != 0:
        return
    if random_below(sampler.random, sampler.one_in) == 0:
        sample(thread.position, sampler)


@kernel
def sample(pos: Position, sampler: Sampler) -> None:
    """Write a position, if it has enough men and there is room."""
    if sampler.count < sampler.room and popcount(pos.occupied) >= FEWEST_MEN:
        pack(pos, sampler.positions[sampler.count])
        sampler.count += 1


deepen_and_sample = entry(
    variant(deepen, __name__, {leaf_here: sample_leaf, SearchThread: SamplingThread})
)


@entry
def sample_here(thread: SamplingThread) -> None:
    """Write the thread's position, unless the side to move is in check."""
    pos = thread.position
    if pos.snapshots[pos.ply].checkers == 0:
        sample(pos, thread.sampler)


@entry
def wander(thread: SamplingThread, plies: int) -> None:
    """Make random legal moves, as long as there are any."""
    pos = thread.position
    for _ in range(plies):
        count = generate(pos, thread.lists, 0, 0, ALL)
        if count == 0:
            return
        make(pos, thread.lists.moves[0, random_below(thread.sampler.random, count)])


@entry
def remove_men(thread: SamplingThread, how_many: int) -> bool:
    """Remove men except kings, pawns half as often. False if the rest is not legal.

    The position begins anew: without castling rights and history.
    """
    pos = thread.position
    if popcount(pos.occupied) < how_many + FEWEST_MEN:
        return False
    removed = 0
    while removed < how_many:
        square = random_below(thread.sampler.random, 64)
        kind = pos.board[square]
        if kind == EMPTY or kind == KING:
            continue
        if kind == PAWN and random_below(thread.sampler.random, 2) == 0:
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
