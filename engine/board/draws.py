"""Draws by the rules: repetition, fifty moves, insufficient material."""

from __future__ import annotations

from engine.board.constants import BISHOP, DARK_SQUARES, KNIGHT, PAWN, QUEEN, ROOK
from engine.board.position import Position
from engine.native.bits import popcount
from engine.native.jit import entry


@entry
def repetitions(pos: Position) -> int:
    """How often the current position occurred earlier, as far as snapshots go back."""
    count = 0
    now = pos.snapshots[pos.ply]
    first = max(0, pos.ply - now.reversible_plies)
    for ply in range(pos.ply - 4, first - 1, -2):
        if pos.snapshots[ply].key == now.key:
            count += 1
    return count


@entry
def is_repetition(pos: Position, search_ply: int) -> bool:
    """Is this a draw by repetition, `search_ply` plies after the root?

    A repetition within the search is a draw at once: the side that went back can do so again. A
    repetition of a position of the game must be the third occurrence.
    """
    now = pos.snapshots[pos.ply]
    first = max(0, pos.ply - now.reversible_plies)
    seen = False
    for ply in range(pos.ply - 4, first - 1, -2):
        if pos.snapshots[ply].key == now.key:
            if seen or pos.ply - ply < search_ply:
                return True
            seen = True
    return False


@entry
def insufficient_material(pos: Position) -> bool:
    """Can neither side ever give mate?

    Bare kings, one minor piece, or bishops that all stand on squares of one colour.
    """
    pieces = pos.pieces
    mating = pieces[0, PAWN] | pieces[1, PAWN] | pieces[0, ROOK] | pieces[1, ROOK]
    if mating | pieces[0, QUEEN] | pieces[1, QUEEN]:
        return False
    bishops = pieces[0, BISHOP] | pieces[1, BISHOP]
    knights = pieces[0, KNIGHT] | pieces[1, KNIGHT]
    if knights:
        return popcount(knights | bishops) == 1
    return bishops & DARK_SQUARES == 0 or bishops & ~DARK_SQUARES == 0
