"""Can the side to move repeat an earlier position in one move?

If the key of an earlier position differs from the current one by exactly what a single reversible
move changes, that move leads back. A cuckoo hash table holds all such differences.

Marcel van Kervinck, "The Design and Implementation of the Rookie 2.0 Chess Playing Program",
2002, pages 21 to 26.
"""

from __future__ import annotations

from engine.board.attacks import piece_attacks
from engine.board.constants import EMPTY, KING, KNIGHT
from engine.board.position import CYCLE_SIZE, AttackTables, Position
from engine.native.bits import bit, shr, squares
from engine.native.jit import entry, kernel


@kernel
def first_place(key: int) -> int:
    return key & (CYCLE_SIZE - 1)


@kernel
def second_place(key: int) -> int:
    return shr(key, 16) & (CYCLE_SIZE - 1)


@entry
def fill_cycles(tables: AttackTables) -> int:
    """Needs attacks and keys. Returns the number of reversible moves, there and back as one."""
    for index in range(CYCLE_SIZE):
        tables.cycle_keys[index] = 0
    count = 0
    for colour in range(2):
        for kind in range(KNIGHT, KING + 1):
            keys = tables.piece_keys
            for start in range(64):
                for target in squares(piece_attacks(tables, kind, start, 0)):
                    if target > start:
                        key = keys[colour, kind, start] ^ keys[colour, kind, target]
                        insert_cycle(tables, key ^ tables.side_key, start | target << 6)
                        count += 1
    return count


@kernel
def insert_cycle(tables: AttackTables, key: int, move: int) -> None:
    """Put a move into one of its two places; a displaced move goes to its other place."""
    place = first_place(key)
    while True:
        other_key = tables.cycle_keys[place]
        other_move = tables.cycle_moves[place]
        tables.cycle_keys[place] = key
        tables.cycle_moves[place] = move
        if other_key == 0:
            return
        key = other_key
        move = other_move
        place = second_place(key) if place == first_place(key) else first_place(key)


@entry
def can_repeat(pos: Position, search_ply: int) -> bool:
    """Has the side to move a move that draws by repetition as `is_repetition` counts it?"""
    tables = pos.tables
    now = pos.snapshots[pos.ply]
    first = max(0, pos.ply - now.reversible_plies)
    for ply in range(pos.ply - 3, first - 1, -2):
        key = now.key ^ pos.snapshots[ply].key
        place = first_place(key)
        if tables.cycle_keys[place] != key:
            place = second_place(key)
            if tables.cycle_keys[place] != key:
                continue
        start = tables.cycle_moves[place] & 63
        target = tables.cycle_moves[place] >> 6
        if tables.between[start, target] & pos.occupied:
            continue
        if pos.ply - ply < search_ply:
            return True
        # A position of the game, not of the search: it must be a move of ours, and the third time.
        if pos.board[start] == EMPTY:
            start = target
        if pos.colours[pos.side] & bit(start) and stood_before(pos, ply):
            return True
    return False


@kernel
def stood_before(pos: Position, ply: int) -> bool:
    """Did the position at `ply` occur earlier?"""
    then = pos.snapshots[ply]
    first = max(0, ply - then.reversible_plies)
    for earlier in range(ply - 4, first - 1, -2):
        if pos.snapshots[earlier].key == then.key:
            return True
    return False
