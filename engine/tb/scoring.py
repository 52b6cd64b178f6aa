"""Tablebase results as scores of the search."""

from __future__ import annotations

from engine.board.constants import MAX_PLY
from engine.board.movegen import ALL, generate
from engine.board.position import MoveLists, Position
from engine.native.bits import popcount
from engine.native.jit import kernel
from engine.scores import DRAW, MATE, NO_SCORE, TABLEBASE_WIN
from engine.tb.memory import Prober
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
def tablebase_score(prober: Prober, pos: Position, lists: MoveLists, depth: int, ply: int) -> int:
    """Score by the tablebases, or NO_SCORE. Uses the move lists from `ply` on.

    Probes only after a capture or pawn move, because the tablebases assume a halfmove clock of 0.
    A later win scores less; its real score may be higher, up to a mate. A few endings can only end
    in mate, so their distance to mate is known.
    """
    now = pos.snapshots[pos.ply]
    if now.halfmove_clock != 0 or ply >= MAX_PLY - MOST_PLIES or not can_probe(prober, pos):
        return NO_SCORE
    if depth < prober.least_depth and popcount(pos.occupied) == prober.most_men:
        return NO_SCORE
    wdl = probe_wdl(prober, pos, lists, ply)
    if wdl == NO_TABLE:
        return NO_SCORE
    if wdl == LOSS and now.checkers != 0 and generate(pos, lists, ply, 0, ALL) == 0:
        return ply - MATE
    if abs(wdl) == WIN and mate_is_next(pos):
        dtz = probe_dtz(prober, pos, lists, ply)
        if dtz != NO_TABLE:
            distance = ply + mate_plies(dtz, wdl == WIN)
            return MATE - distance if wdl == WIN else distance - MATE
    if prober.fifty_moves == 0:
        wdl *= 2  # without the rule, cursed wins and blessed losses count in full
    if wdl >= WIN:
        return TABLEBASE_WIN - ply
    if wdl <= LOSS:
        return ply - TABLEBASE_WIN
    return DRAW + wdl  # a cursed win is hardly better than a draw
