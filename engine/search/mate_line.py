"""Plain Python: the rest of a line that leads to mate.

The line of a search ends where a window closed or a clock stopped it, though the score counts on
to mate. The transposition table still knows most of what follows. It is only read here, so the
search that goes on is the same.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.board.legality import is_legal
from engine.board.makemove import make, unmake
from engine.board.move import NO_MOVE
from engine.board.notation import legal_moves
from engine.board.position import MoveLists, Position
from engine.scores import MATE, MATE_IN_RANGE
from engine.search.tt import (
    EXACT,
    LOWER,
    UPPER,
    TranspositionTable,
    entry_bound,
    entry_move,
    entry_score,
    probe,
)
from engine.tb.memory import Prober
from engine.tb.probing import mate_is_next
from engine.tb.ranking import rank_moves

UNKNOWN = 0  # plies


def extended_to_mate(
    moves: tuple[int, ...],
    score: int,
    pos: Position,
    lists: MoveLists,
    table: TranspositionTable,
    prober: Prober,
    stopped: Callable[[], bool] = lambda: False,
) -> tuple[int, ...]:
    """The line of a mate `score`, with the moves that follow as far as they are known, until
    `stopped`.

    `pos` is the position of its first move; uses the move list of ply 0.
    """
    plies = MATE - abs(score)
    if abs(score) < MATE_IN_RANGE or len(moves) >= plies:
        return moves
    line = list(moves)
    for move in moves:
        make(pos, move)
    while len(line) < plies and not stopped():
        move = _next_move(pos, lists, table, prober, plies - len(line))
        if move == NO_MOVE:
            break
        line.append(move)
        make(pos, move)
    for _ in line:
        unmake(pos)
    return tuple(line)


def _next_move(
    pos: Position, lists: MoveLists, table: TranspositionTable, prober: Prober, plies: int
) -> int:
    """The move on the way to mate in at most `plies`, by the side to move if that is odd; or
    NO_MOVE."""
    if mate_is_next(pos):
        ranked = rank_moves(prober, pos, lists, legal_moves(pos, lists))
        if ranked:
            return ranked[0].move
    stored = int(probe(table, pos.snapshots[pos.ply].key))
    if stored and entry_bound(stored) in (LOWER if plies & 1 else UPPER, EXACT):
        move = int(entry_move(stored))
        known = abs(int(entry_score(stored, 0))) == MATE - plies
        if known and move != NO_MOVE and is_legal(pos, move):
            return move
    # The winner takes the shortest way that is known, the loser the longest.
    best, chosen = UNKNOWN, NO_MOVE
    for move in legal_moves(pos, lists):
        make(pos, move)
        rest = _plies_to_mate(pos, lists, table, plies - 1)
        unmake(pos)
        if rest == UNKNOWN:
            continue
        if plies & 1:
            if best == UNKNOWN or rest < best:
                best, chosen = rest, move
        elif rest > best:
            best, chosen = rest, move
    return chosen


def _plies_to_mate(pos: Position, lists: MoveLists, table: TranspositionTable, most: int) -> int:
    """One more than the plies to a mate that is known, at most `most`; UNKNOWN if none is."""
    now = pos.snapshots[pos.ply]
    if most == 0:
        return 1 if now.checkers and not legal_moves(pos, lists) else UNKNOWN
    if most == 1 and _mate_in_one(pos, lists):
        return 2
    stored = int(probe(table, now.key))
    if stored and entry_bound(stored) in (LOWER if most & 1 else UPPER, EXACT):
        score = int(entry_score(stored, 0))
        plies = MATE - abs(score)
        if plies <= most and (score > 0) == bool(most & 1):
            return plies + 1
    return UNKNOWN


def _mate_in_one(pos: Position, lists: MoveLists) -> bool:
    for move in legal_moves(pos, lists):
        make(pos, move)
        mates = pos.snapshots[pos.ply].checkers and not legal_moves(pos, lists)
        unmake(pos)
        if mates:
            return True
    return False
