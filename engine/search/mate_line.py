"""Plain Python: the rest of a line that leads to mate.

The line of a search ends where a window closed or a clock stopped it, though the score counts on
to mate. The transposition table still knows most of what follows. It is only read here, so the
search that goes on is the same.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.board.draws import repetitions
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
    table_key,
)
from engine.tb.memory import Prober
from engine.tb.probing import can_probe, mate_is_next, mate_plies, probe_dtz
from tablebases.decoding import NO_TABLE

UNKNOWN, NEVER = MATE, -1  # plies to mate


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
    `stopped`. They lead to mate when the score says so, or no further.

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
    """A move on the way to mate in `plies`, no more and no less, or NO_MOVE."""
    stored = int(probe(table, table_key(pos.snapshots[pos.ply])))
    remembered, is_known = NO_MOVE, _stored_distance(stored, plies) == plies
    for move in legal_moves(pos, lists):
        make(pos, move)
        rest = _distance(pos, lists, table, prober, plies - 1)
        unmake(pos)
        if rest == plies - 1:
            return move
        if is_known and move == entry_move(stored) and rest > plies - 1:
            remembered = move
    return remembered


def _distance(
    pos: Position, lists: MoveLists, table: TranspositionTable, prober: Prober, expected: int
) -> int:
    """How soon it is known to be mate, in plies: a mate by the side to move if `expected` is odd;
    UNKNOWN; or NEVER."""
    now = pos.snapshots[pos.ply]
    moves = legal_moves(pos, lists)
    if not moves:
        return 0 if now.checkers else NEVER
    if now.halfmove_clock >= 100 or repetitions(pos) >= 2:
        return NEVER
    is_winner = expected & 1 == 1
    if is_winner and any(_mates(pos, lists, move) for move in moves):
        return 1
    if mate_is_next(pos) and can_probe(prober, pos):
        dtz = int(probe_dtz(prober, pos, lists, 0))
        if dtz != NO_TABLE:
            return int(mate_plies(dtz, is_winner)) if (dtz > 0) == is_winner and dtz else NEVER
    return _stored_distance(int(probe(table, table_key(now))), expected)


def _stored_distance(stored: int, expected: int) -> int:
    """As _distance, by an entry of the transposition table."""
    score = int(entry_score(stored, 0))
    is_winner = expected & 1 == 1
    is_known = entry_bound(stored) in (LOWER if is_winner else UPPER, EXACT)
    if is_known and abs(score) >= MATE_IN_RANGE and (score > 0) == is_winner:
        return MATE - abs(score)
    return UNKNOWN


def _mates(pos: Position, lists: MoveLists, move: int) -> bool:
    make(pos, move)
    mates = bool(pos.snapshots[pos.ply].checkers) and not legal_moves(pos, lists)
    unmake(pos)
    return mates
