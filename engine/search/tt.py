"""The transposition table: results of searched positions, shared by all threads.

No locks: an entry is two words, and the first is the key xor the second. If two threads write
at once, the words do not match and the entry belongs to no position
(Hyatt and Mann, "A lockless transposition table implementation for parallel search", 2002).

An entry's data word:

    63 .. 59     58      57 56   55 .. 48   47 .. 32      31 .. 16   15 .. 0
    generation   PV?     bound   depth      static eval   score      move
"""

from __future__ import annotations

from engine.board.position import Snapshot
from engine.native.bits import prefetch, shl, shr
from engine.native.jit import entry, kernel
from engine.native.structs import Struct, array_of, atomic, int64, pointer_to_array
from engine.scores import DRAW, MATE_IN_RANGE, TABLEBASE_WIN_IN_RANGE

CLUSTER_SIZE = 4
GENERATIONS = 32
CLOCK_IN_KEY = 90  # plies on the halfmove clock from which it decides what a position is worth

UPPER, LOWER, EXACT = 1, 2, 3  # how a score bounds the value of its position; 0: there is none
# Depths of entries that are not from the main search: a static evaluation alone, and quiescence
# without checks. At depth 0 it looks at checks too.
STATIC_DEPTH, CAPTURES_DEPTH = -2, -1


class Entry(Struct):
    check = atomic(int64)  # key xor data
    data = atomic(int64)  # 0: empty


class Cluster(Struct):
    """The entries of one cache line: a position may be in any of them."""

    entries = array_of(Entry, CLUSTER_SIZE)


class TranspositionTable(Struct):
    clusters = pointer_to_array(Cluster)
    cluster_count = int64  # at most 2^32
    generation = int64  # of the current search, 0 to 31


# --- Reading an entry's data ------------------------------------------------------------------


@kernel
def entry_move(data: int) -> int:
    return data & 0xFFFF


@kernel
def entry_score(data: int, ply: int) -> int:
    """Certain wins count plies from the position in the table, but from the root in the search."""
    score = shl(data, 32) >> 48
    if score >= TABLEBASE_WIN_IN_RANGE:
        return score - ply
    if score <= -TABLEBASE_WIN_IN_RANGE:
        return score + ply
    return score


@kernel
def entry_static_eval(data: int) -> int:
    return shl(data, 16) >> 48


@kernel
def entry_depth(data: int) -> int:
    """Of no entry: STATIC_DEPTH."""
    return ((data >> 48) & 0xFF) + STATIC_DEPTH


@kernel
def entry_bound(data: int) -> int:
    return (data >> 56) & 3


@kernel
def entry_was_pv(data: int) -> bool:
    return (data >> 58) & 1 != 0


@kernel
def entry_generation(data: int) -> int:
    return shr(data, 59)


@kernel
def bound_of(score: int, alpha: int, beta: int) -> int:
    """How a score bounds the value of its position after a search from `alpha` to `beta`."""
    if score >= beta:
        return LOWER
    return EXACT if score > alpha else UPPER


@kernel
def is_decisive(bound: int, score: int, alpha: int, beta: int) -> bool:
    """Does a score with this bound decide a search from `alpha` to `beta`?"""
    return (
        bound == EXACT or (bound == LOWER and score >= beta) or (bound == UPPER and score <= alpha)
    )


# --- Probing and storing ----------------------------------------------------------------------


@kernel
def table_key(now: Snapshot) -> int:
    """The key of a position in the table. Near the fifty-move rule it differs for each value of the
    halfmove clock, because a win may come too late at one and not at another."""
    clock = now.halfmove_clock
    # Into the upper bits, which choose the cluster.
    return now.key if clock < CLOCK_IN_KEY else now.key ^ shl(clock, 57)


@kernel
def cluster_of(table: TranspositionTable, key: int) -> Cluster:
    # The upper half of the key, scaled to the number of clusters: any number will do.
    return table.clusters[shr(shr(key, 32) * table.cluster_count, 32)]


@kernel
def prefetch_cluster(table: TranspositionTable, key: int) -> None:
    prefetch(cluster_of(table, key))


@entry
def probe(table: TranspositionTable, key: int) -> int:
    """The data stored for a position, or 0."""
    cluster = cluster_of(table, key)
    for slot in range(CLUSTER_SIZE):
        stored = cluster.entries[slot]
        data = stored.data
        if stored.check ^ data == key and data != 0:
            return data
    return 0


@entry
def store(
    table: TranspositionTable,
    key: int,
    ply: int,
    move: int,
    score: int,
    static_eval: int,
    depth: int,
    bound: int,
    was_pv: bool,
) -> None:
    """Store a result. Replaces the same position, or else the least valuable of the cluster."""
    cluster = cluster_of(table, key)
    chosen = cluster.entries[0]
    worth = 1 << 30
    for slot in range(CLUSTER_SIZE):
        stored = cluster.entries[slot]
        data = stored.data
        if stored.check ^ data == key or data == 0:
            chosen = stored
            break
        age = (table.generation - entry_generation(data)) & (GENERATIONS - 1)
        value = entry_depth(data) - 4 * age
        if value < worth:
            worth = value
            chosen = stored

    old = chosen.data
    if chosen.check ^ old == key and old != 0:
        if move == 0:
            move = entry_move(old)
        # Keep a much deeper result of this search rather than a shallow bound.
        is_current = entry_generation(old) == table.generation
        is_exact = bound == EXACT and depth > 0
        if not is_exact and is_current and depth + 4 < entry_depth(old):
            return
    if score >= TABLEBASE_WIN_IN_RANGE:
        score += ply
    elif score <= -TABLEBASE_WIN_IN_RANGE:
        score -= ply
    data = move | shl(score & 0xFFFF, 16) | shl(static_eval & 0xFFFF, 32)
    data |= shl(depth - STATIC_DEPTH, 48) | shl(bound, 56) | shl(was_pv, 58)
    data |= shl(table.generation, 59)
    chosen.check = key ^ data
    chosen.data = data


@entry
def clear(table: TranspositionTable, first: int, end: int) -> None:
    """Empty the clusters from `first` up to `end`; also makes the system provide the memory."""
    for index in range(first, end):
        cluster = table.clusters[index]
        for slot in range(CLUSTER_SIZE):
            cluster.entries[slot].check = 0
            cluster.entries[slot].data = 0


@entry
def used_per_mille(table: TranspositionTable) -> int:
    """How much of the table the current search fills, from a sample of 1000 entries."""
    clusters = min(table.cluster_count, 1000 // CLUSTER_SIZE)
    used = 0
    for index in range(clusters):
        for slot in range(CLUSTER_SIZE):
            data = table.clusters[index].entries[slot].data
            if data != 0 and entry_generation(data) == table.generation:
                used += 1
    return used * 1000 // (clusters * CLUSTER_SIZE)


@kernel
def tablebase_bound(score: int) -> int:
    """The bound of a tablebase score: a win or a loss may turn out to be a mate."""
    if abs(score) >= MATE_IN_RANGE:
        return EXACT
    if score > DRAW + 1:
        return LOWER
    return UPPER if score < DRAW - 1 else EXACT
