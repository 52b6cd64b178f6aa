"""Plain Python: the moves of a position, ranked by tablebases, best first.

The move of the highest rank keeps a win, in the fewest plies to each capture or pawn move, and
defends a lost position longest:

    rank            meaning, for the side to move
    above 1000      wins; 2000 less the DTZ, so the shortest way first
    1 to 1000       won but for the fifty-move rule; UNSURE: perhaps just in time
    0               draw
    -1 to -1000     lost but for the fifty-move rule
    below -1000     loses; the longest way first
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from engine.board.draws import repetitions
from engine.board.makemove import make, unmake
from engine.board.notation import legal_moves
from engine.board.position import MoveLists, Position
from engine.tb.memory import Prober
from engine.tb.probing import (
    BLESSED_LOSS,
    CURSED_WIN,
    DRAW,
    LOSS,
    WIN,
    can_probe,
    mate_is_next,
    mate_plies,
    move_dtz,
    move_wdl,
)
from tablebases.decoding import NO_TABLE

SURE, FIFTY_MOVES = 2000, 1000  # ranks, see above
SURELY_IN_TIME = 99  # plies on the halfmove clock: DTZ may be one ply too small
MATE_IN_TIME = 100  # mate takes precedence over the fifty-move rule
UNSURE = FIFTY_MOVES - SURELY_IN_TIME - 1
LONGEST_LINE = 200  # plies


class RankedMove(NamedTuple):
    move: int
    rank: int
    wdl: int  # for the side to move, the halfmove clock considered
    dtz: int | None  # plies, counting the move; None if there is no DTZ table


def rank_moves(
    prober: Prober, pos: Position, lists: MoveLists, moves: list[int], fifty_moves: bool = True
) -> list[RankedMove] | None:
    """The legal moves `moves`, best first; None if the tablebases do not know them all.

    `fifty_moves`: whether the fifty-move rule can draw.
    """
    if not can_probe(prober, pos):
        return None
    clock = int(pos.snapshots[pos.ply].halfmove_clock)
    ends_in_mate = bool(mate_is_next(pos))
    ranked = []
    for move in moves:
        dtz = int(move_dtz(prober, pos, lists, move))
        if dtz == NO_TABLE:
            break
        ranked.append(_by_dtz(move, dtz, clock, fifty_moves, ends_in_mate))
    else:
        return sorted(ranked, key=lambda entry: -entry.rank)

    ranked = []
    for move in moves:
        wdl = int(move_wdl(prober, pos, lists, move))
        if wdl == NO_TABLE:
            return None
        ranked.append(_by_wdl(move, wdl, fifty_moves))
    return sorted(ranked, key=lambda entry: -entry.rank)


def _by_dtz(move: int, dtz: int, clock: int, fifty_moves: bool, ends_in_mate: bool) -> RankedMove:
    if dtz == 0:
        return RankedMove(move, 0, DRAW, 0)
    plies, latest, sign = abs(dtz), SURELY_IN_TIME, 1 if dtz > 0 else -1
    if ends_in_mate:
        plies, latest = int(mate_plies(dtz, dtz > 0)), MATE_IN_TIME
    if not fifty_moves or plies == 1 or plies + clock <= latest:
        return RankedMove(move, sign * max(FIFTY_MOVES + 1, SURE - plies), sign * WIN, dtz)
    return RankedMove(move, sign * max(1, FIFTY_MOVES - plies - clock), sign * CURSED_WIN, dtz)


def _by_wdl(move: int, wdl: int, fifty_moves: bool) -> RankedMove:
    if not fifty_moves and wdl in (CURSED_WIN, BLESSED_LOSS):
        wdl = WIN if wdl > 0 else LOSS
    rank = {WIN: SURE - 1, CURSED_WIN: 1, DRAW: 0, BLESSED_LOSS: -1, LOSS: 1 - SURE}[wdl]
    return RankedMove(move, rank, wdl, None)


def best_line(
    prober: Prober,
    pos: Position,
    lists: MoveLists,
    move: int,
    fifty_moves: bool = True,
    stopped: Callable[[], bool] = lambda: False,
) -> tuple[int, ...]:
    """`move`, then best play by the tablebases, until mate, a draw by the fifty-move rule or by
    repetition, LONGEST_LINE or `stopped`."""
    line = [move]
    make(pos, move)
    while len(line) < LONGEST_LINE and not stopped():
        if fifty_moves and pos.snapshots[pos.ply].halfmove_clock >= 100:
            break
        if repetitions(pos) >= 2:
            break
        ranked = rank_moves(prober, pos, lists, legal_moves(pos, lists), fifty_moves)
        if not ranked or ranked[0].rank == 0:
            break
        line.append(ranked[0].move)
        make(pos, ranked[0].move)
    for _ in line:
        unmake(pos)
    return tuple(line)
