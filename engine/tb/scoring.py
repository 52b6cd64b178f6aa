"""Tablebase results as scores of the search."""

from __future__ import annotations

from engine.board.constants import KING, MAX_PLY
from engine.board.movegen import ALL, NOISY, generate
from engine.board.position import MoveLists, Position
from engine.board.see import see_at_least
from engine.native.bits import popcount
from engine.native.jit import entry, kernel
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

SACRIFICED_WIN = 800  # what a win that costs material is worth at least


@kernel
def tablebase_score(prober: Prober, pos: Position, lists: MoveLists, depth: int, ply: int) -> int:
    """Score by the tablebases, or NO_SCORE. Uses the move lists from `ply` on.

    Probes only after a capture or pawn move, because the tablebases assume a halfmove clock of 0.
    A later win scores less; its real score may be higher, up to a mate. A few endings can only end
    in mate, so their distance to mate is known. But a side that is far ahead must not give its men
    away in order to reach the tablebases: how good such a win is the search itself finds out.
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
    if abs(wdl) == WIN and costs_material(prober, pos, lists, ply, wdl == WIN):
        return SACRIFICED_WIN if wdl == WIN else -SACRIFICED_WIN
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


@kernel
def costs_material(
    prober: Prober, pos: Position, lists: MoveLists, ply: int, is_winner: bool
) -> bool:
    """Has the winner lost more than it took since the root, or is it about to? `is_winner`: is the
    side to move?"""
    winner = pos.side if is_winner else pos.side ^ 1
    loser = winner ^ 1
    lost_men = prober.root_men[winner] - men(pos, winner)
    if lost_men > prober.root_men[loser] - men(pos, loser):
        return True
    # A promotion makes up for nothing.
    lost = max(0, prober.root_material[winner] - material(pos, winner))
    surplus = max(0, prober.root_material[loser] - material(pos, loser)) - lost
    if surplus < 0 or is_winner:
        return surplus < 0
    for index in range(generate(pos, lists, ply, 0, NOISY)):
        if see_at_least(pos, lists.moves[ply, index], surplus + 1):
            return True
    return False


@entry
def note_root(prober: Prober, root: Position) -> None:
    """Note what each side has at the root of the search."""
    for side in range(2):
        prober.root_men[side] = men(root, side)
        prober.root_material[side] = material(root, side)


@kernel
def men(pos: Position, side: int) -> int:
    """Without the king."""
    return popcount(pos.colours[side]) - 1


@kernel
def material(pos: Position, side: int) -> int:
    """What the men of a side are worth in exchanges."""
    total = 0
    for kind in range(KING):
        total += pos.tables.see_value[kind] * popcount(pos.pieces[side, kind])
    return total
