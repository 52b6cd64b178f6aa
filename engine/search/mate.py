"""The mate search: can the side to move force mate in N moves?

Unlike the normal search it prunes nothing: it tries every move of the attacker, quiet moves too,
and every reply. So it finds composed mates with quiet keys, and finds the shortest first. It tries
mate in 1, 2, 3 ... moves and stores its proofs in the transposition table, under keys of its own.
"""

from __future__ import annotations

from engine.board.checks import find_check_squares, gives_check
from engine.board.constants import MAX_PLY
from engine.board.draws import repetitions
from engine.board.makemove import unmake
from engine.board.move import NO_MOVE, is_quiet
from engine.board.movegen import ALL, generate
from engine.board.position import Position
from engine.board.see import move_gain
from engine.native.jit import entry, kernel
from engine.search.node import make_and_count
from engine.search.ordering import pick_best, set_score
from engine.search.root_moves import NOT_AT_ROOT, find_root_move
from engine.search.state import Worker
from engine.search.tt import LOWER, UPPER, entry_bound, entry_depth, entry_move, probe, store

# They separate the entries from those of the normal search, and from each other: the side to move
# may attack in one search and defend in the next.
ATTACK_KEY = 0x5D0C3A7E91B24F68
DEFENCE_KEY = 0x3B9F62D4C7508E1A
MOST_MOVES = MAX_PLY // 2 - 1  # to mate, for which the stack has room
CHECK_SCORE = 1 << 16


@entry
def mates_in(worker: Worker, moves: int, ply: int) -> bool:
    """Can the side to move force mate in `moves` moves of its own, or fewer?

    `moves` is 1 to MOST_MOVES. At ply 0 only the moves in `worker.root_moves` are tried.
    Meaningless once `worker.stop` is set.
    """
    pos = worker.position
    now = pos.snapshots[pos.ply]
    if ply > 0 and ends_in_draw(pos):
        return False
    key = now.key ^ ATTACK_KEY
    # A proof about all moves is not valid for the allowed moves of the root; and near the
    # fifty-move rule a mate can come too late.
    remembered = ply > 0 and now.halfmove_clock + 2 * moves <= 100
    stored = probe(worker.tt, key) if remembered else 0
    first = NO_MOVE
    if stored:
        if entry_bound(stored) == LOWER and entry_depth(stored) <= moves:
            return True
        if entry_bound(stored) == UPPER and entry_depth(stored) >= moves:
            return False
        first = entry_move(stored)
    count = attacking_moves(worker, moves, ply, first)
    for index in range(count):
        move = pick_best(worker, ply, index, count)
        make_and_count(worker, move)
        mated = is_mated_in(worker, moves, ply + 1)
        unmake(pos)
        if worker.stop:
            return False
        if mated:
            if remembered:
                store(worker.tt, key, 0, move, 0, 0, moves, LOWER, False)
            return True
    if remembered:
        store(worker.tt, key, 0, NO_MOVE, 0, 0, moves, UPPER, False)
    return False


@entry
def is_mated_in(worker: Worker, moves: int, ply: int) -> bool:
    """The attacker has just made one of its `moves`: is the side to move mated within them?"""
    pos = worker.position
    lists = worker.lists
    now = pos.snapshots[pos.ply]
    count = generate(pos, lists, ply, 0, ALL)
    if count == 0:
        return now.checkers != 0
    if moves == 1 or ends_in_draw(pos):
        return False
    key = now.key ^ DEFENCE_KEY
    stored = probe(worker.tt, key)
    refutation = entry_move(stored) if stored else NO_MOVE
    for index in range(count):
        move = lists.moves[ply, index]
        score = 0 if is_quiet(move) else 1 + move_gain(pos, move)
        set_score(worker, ply, index, CHECK_SCORE if move == refutation else score)
    for index in range(count):
        move = pick_best(worker, ply, index, count)
        make_and_count(worker, move)
        mates = mates_in(worker, moves - 1, ply + 1)
        unmake(pos)
        if worker.stop:
            return False
        if not mates:
            store(worker.tt, key, 0, move, 0, 0, moves, UPPER, False)
            return False
    return True


@kernel
def ends_in_draw(pos: Position) -> bool:
    """By the fifty-move rule, or because it is the third time? Not for a position that is mate."""
    now = pos.snapshots[pos.ply]
    return now.halfmove_clock >= 100 or (now.reversible_plies >= 8 and repetitions(pos) >= 2)


@kernel
def attacking_moves(worker: Worker, moves: int, ply: int, first: int) -> int:
    """List and score the attacker's moves at `ply`: `first`, then checks, then by the number of
    replies, fewest first. The last move before mate must be a check."""
    pos = worker.position
    lists = worker.lists
    count = generate(pos, lists, ply, 0, ALL)
    picker = worker.stack[ply].picker
    find_check_squares(pos, picker.checks)
    kept = 0
    for index in range(count):
        move = lists.moves[ply, index]
        if ply == 0 and find_root_move(worker, move) == NOT_AT_ROOT:
            continue
        score = CHECK_SCORE if gives_check(pos, picker.checks, move) else 0
        if moves == 1:
            if score == 0 and is_quiet(move):
                continue
        else:
            make_and_count(worker, move)
            score -= generate(pos, lists, ply + 1, 0, ALL)
            unmake(pos)
        if move == first:
            score = 2 * CHECK_SCORE
        lists.moves[ply, kept] = move
        set_score(worker, ply, kept, score)
        kept += 1
    return kept
