"""What endgame tables know, as a score of the search."""

from __future__ import annotations

from engine.board.constants import MAX_PLY
from engine.native.bits import popcount
from engine.native.jit import kernel
from engine.scores import DRAW, MATE, MATE_IN_RANGE, NO_SCORE, TABLEBASE_WIN
from engine.search.state import SearchThread
from engine.search.tt import EXACT, LOWER, UPPER
from engine.tb.probing import (
    LOSS,
    MOST_PLIES,
    WIN,
    can_probe,
    mate_is_next,
    mate_plies,
    probe_dtz,
    probe_wdl,
)
from tablebases.decoding import NO_TABLE


@kernel
def table_score(thread: SearchThread, depth: int, ply: int) -> int:
    """Score by the tables, or NO_SCORE. Only after a capture or pawn move, for the tables' results
    hold for a halfmove clock of 0. Uses the move lists from `ply` on.

    A win is worth less the later it comes; its real score may be higher, up to a mate. A few
    endings can only end in mate, whose distance is known.
    """
    pos = thread.position
    prober = thread.prober
    now = pos.snapshots[pos.ply]
    if now.halfmove_clock != 0 or ply >= MAX_PLY - MOST_PLIES or not can_probe(prober, pos):
        return NO_SCORE
    if depth < prober.least_depth and popcount(pos.occupied) == prober.most_men:
        return NO_SCORE
    wdl = probe_wdl(prober, pos, thread.lists, ply)
    if wdl == NO_TABLE:
        return NO_SCORE
    thread.table_hits += 1
    if abs(wdl) == WIN and mate_is_next(pos):
        dtz = probe_dtz(prober, pos, thread.lists, ply)
        if dtz != NO_TABLE:
            distance = ply + mate_plies(dtz, wdl == WIN)
            return MATE - distance if wdl == WIN else distance - MATE
    if prober.fifty_moves == 0:
        wdl *= 2  # what the rule would draw is won or lost
    if wdl >= WIN:
        return TABLEBASE_WIN - ply
    if wdl <= LOSS:
        return ply - TABLEBASE_WIN
    return DRAW + wdl  # a cursed win is hardly better than a draw


@kernel
def table_bound(score: int) -> int:
    """What a score of `table_score` is a bound of."""
    if abs(score) >= MATE_IN_RANGE:
        return EXACT
    if score > DRAW + 1:
        return LOWER
    return UPPER if score < DRAW - 1 else EXACT
