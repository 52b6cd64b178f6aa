"""Positions as a search sees them, for labels: random moves, missing men, leaves of a search.

Games alone do not contain them, because their material is mostly even. Only quiet positions are
kept: the side to move is not in check and wins nothing by an exchange.
"""

from __future__ import annotations

from engine.board.attacks import king_attacked
from engine.board.constants import BLACK, EMPTY, KING, NO_SQUARE, PAWN, WHITE
from engine.board.makemove import make, refresh, unmake
from engine.board.movegen import ALL, NOISY, generate
from engine.board.packing import PackedPosition, pack
from engine.board.random import Random, random_below
from engine.board.see import see_at_least
from engine.native.bits import bit, popcount
from engine.native.jit import entry, kernel
from engine.native.memory import Struct, inline, int64, pointer_to_array
from engine.search.state import SearchThread
from engine.search.tt import probe

DEEPEST = 24  # plies below the root of a search
STOPS = 10  # one descent in so many ends at each ply
NEIGHBOURS = 2  # positions a random move away, of each position found
FEWEST_MEN = 4


class Sampler(Struct):
    random = inline(Random)
    positions = pointer_to_array(PackedPosition)
    count = int64  # of positions written
    room = int64


@entry
def sample_here(thread: SearchThread, sampler: Sampler) -> None:
    """Write the thread's position, if it is quiet and there is room."""
    pos = thread.position
    if sampler.count == sampler.room or popcount(pos.occupied) < FEWEST_MEN:
        return
    if pos.snapshots[pos.ply].checkers != 0:
        return
    count = generate(pos, thread.lists, 0, 0, NOISY)
    for index in range(count):
        if see_at_least(pos, thread.lists.moves[0, index], 1):
            return
    pack(pos, sampler.positions[sampler.count])
    sampler.count += 1


@entry
def wander(thread: SearchThread, sampler: Sampler, plies: int) -> None:
    """Make random legal moves, as long as there are any."""
    pos = thread.position
    for _ in range(plies):
        count = generate(pos, thread.lists, 0, 0, ALL)
        if count == 0:
            return
        make(pos, thread.lists.moves[0, random_below(sampler.random, count)])


@entry
def remove_men(thread: SearchThread, sampler: Sampler, how_many: int) -> bool:
    """Remove men except kings, pawns half as often. False if the rest is not legal.

    The position begins anew: without castling rights and history.
    """
    pos = thread.position
    if popcount(pos.occupied) < how_many + FEWEST_MEN:
        return False
    removed = 0
    while removed < how_many:
        square = random_below(sampler.random, 64)
        kind = pos.board[square]
        if kind == EMPTY or kind == KING:
            continue
        if kind == PAWN and random_below(sampler.random, 2) == 0:
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


@entry
def sample_visited(thread: SearchThread, sampler: Sampler, descents: int) -> None:
    """Descend at random through positions that the last search stored, and write the last one."""
    pos = thread.position
    for _ in range(descents):
        plies = 0
        while plies < DEEPEST:
            if plies > 0 and random_below(sampler.random, STOPS) == 0:
                break
            move = random_stored_move(thread, sampler)
            if move == 0:
                break
            make(pos, move)
            plies += 1
        if plies > 0:
            sample_here(thread, sampler)
            for _ in range(NEIGHBOURS):
                count = generate(pos, thread.lists, 0, 0, ALL)
                if count > 0:
                    make(pos, thread.lists.moves[0, random_below(sampler.random, count)])
                    sample_here(thread, sampler)
                    unmake(pos)
        for _ in range(plies):
            unmake(pos)


@kernel
def random_stored_move(thread: SearchThread, sampler: Sampler) -> int:
    """A legal move to a position that the search has stored, 0 if there is none."""
    pos = thread.position
    count = generate(pos, thread.lists, 0, 0, ALL)
    found = 0
    chosen = 0
    for index in range(count):
        move = thread.lists.moves[0, index]
        make(pos, move)
        known = probe(thread.tt, pos.snapshots[pos.ply].key)
        unmake(pos)
        if known:
            found += 1
            if random_below(sampler.random, found) == 0:
                chosen = move
    return chosen
