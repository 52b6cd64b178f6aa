"""Probing positions: the table's value, corrected by captures and pawn moves.

Tables are small because they hold an arbitrary value where a capture is at least as good, and they
ignore en passant. DTZ tables do the same where a pawn move is best, and have only one side to move.
So a probe tries captures first, and for DTZ pawn moves and sometimes all moves. The method is that
of Ronald de Man's and Stockfish's probing code.

All kernels use the move lists from `ply` on, at most MOST_PLIES of them.
"""

from __future__ import annotations

from engine.board.constants import BISHOP, KNIGHT, NO_SQUARE, PAWN
from engine.board.draws import repetitions
from engine.board.makemove import make, unmake
from engine.board.move import CAPTURE, from_square
from engine.board.movegen import ALL, NOISY, generate
from engine.board.position import MoveLists, Position
from engine.native.bits import popcount
from engine.native.jit import entry, kernel
from engine.tb.memory import Prober
from tablebases.decoding import NO_TABLE, OTHER_SIDE, probe_dtz_table, probe_wdl_table

WIN, CURSED_WIN, DRAW, BLESSED_LOSS, LOSS = 2, 1, 0, -1, -2
MOST_PLIES = 8  # of captures below a probe
CURSED_DTZ = 100  # added to the DTZ of cursed wins
_FAR = 1 << 20


@entry
def can_probe(prober: Prober, pos: Position) -> bool:
    """Whether there are tables with this many men. They have no positions with castling rights."""
    men = popcount(pos.occupied)
    return men <= prober.most_men and pos.snapshots[pos.ply].castling == 0


@entry
def probe_wdl(prober: Prober, pos: Position, lists: MoveLists, ply: int) -> int:
    """WIN to LOSS for the side to move, or NO_TABLE. Right if the halfmove clock is 0."""
    prober.failed = 0
    value = best_of(prober, pos, lists, ply, LOSS, WIN, False)
    return NO_TABLE if prober.failed else value


@entry
def probe_dtz(prober: Prober, pos: Position, lists: MoveLists, ply: int) -> int:
    """Plies to the next capture or pawn move, positive if the side to move wins, or NO_TABLE.

    0: a draw. Beyond CURSED_DTZ: won or lost, but for the fifty-move rule. -1: also if it is mate
    already. May be one ply too small, never where that would change the result.
    """
    prober.failed = 0
    value = distance(prober, pos, lists, ply)
    return NO_TABLE if prober.failed else value


@kernel
def best_of(
    prober: Prober,
    pos: Position,
    lists: MoveLists,
    ply: int,
    alpha: int,
    beta: int,
    with_pawn_moves: bool,
) -> int:
    """WDL: the best of the table's value and of all captures, or captures and pawn moves.

    Sets `zeroing` if such a move decides: it wins, or there are no others.
    """
    # If en passant is the only move, the table takes the position for stalemate.
    now = pos.snapshots[pos.ply]
    which = ALL if with_pawn_moves or now.en_passant != NO_SQUARE else NOISY
    count = generate(pos, lists, ply, 0, which)
    best = LOSS
    tried = 0
    for index in range(count):
        move = lists.moves[ply, index]
        if move & CAPTURE == 0 and not (with_pawn_moves and pos.board[from_square(move)] == PAWN):
            continue
        tried += 1
        make(pos, move)
        value = -best_of(prober, pos, lists, ply + 1, -beta, -max(alpha, best), False)
        unmake(pos)
        if prober.failed:
            return DRAW
        if value > best:
            best = value
            if best >= beta:
                prober.zeroing = 1
                return best
    if which == ALL and tried == count and tried > 0:
        prober.zeroing = 1
        return best
    stored = stored_wdl(prober, pos)
    prober.zeroing = int(best >= stored and best > DRAW)
    return max(best, stored)


@kernel
def stored_wdl(prober: Prober, pos: Position) -> int:
    show_men(prober, pos)
    value = probe_wdl_table(prober.tablebases, prober.men)
    if value == NO_TABLE:
        prober.failed = 1
        return DRAW
    return value


@kernel
def show_men(prober: Prober, pos: Position) -> None:
    """Copy the part of a position that tables need."""
    men = prober.men
    for colour in range(2):
        for kind in range(6):
            men.pieces[colour, kind] = pos.pieces[colour, kind]
    men.side = pos.side


@kernel
def before_zeroing(wdl: int) -> int:
    """The DTZ of a position with this WDL in which a capture or pawn move is best."""
    if wdl == WIN or wdl == LOSS:
        return wdl // 2
    return wdl * (CURSED_DTZ + 1)


@kernel
def distance(prober: Prober, pos: Position, lists: MoveLists, ply: int) -> int:
    """See probe_dtz; sets `failed` instead of returning NO_TABLE."""
    wdl = best_of(prober, pos, lists, ply, LOSS, WIN, True)
    if prober.failed or wdl == DRAW:
        return DRAW
    if prober.zeroing:
        return before_zeroing(wdl)
    show_men(prober, pos)
    plies = probe_dtz_table(prober.tablebases, prober.men, wdl)
    if plies == NO_TABLE:
        prober.failed = 1
        return DRAW
    if plies != OTHER_SIDE:
        if wdl == CURSED_WIN or wdl == BLESSED_LOSS:
            plies += CURSED_DTZ
        return plies if wdl > DRAW else -plies
    return distance_by_moves(prober, pos, lists, ply, wdl)


@kernel
def distance_by_moves(prober: Prober, pos: Position, lists: MoveLists, ply: int, wdl: int) -> int:
    """DTZ from the tables for the other side to move: the best over all moves.

    The winner takes the shortest way, the loser the longest. Losses are negative, so both are the
    minimum over all distances with the sign of `wdl`.
    """
    best = _FAR
    count = generate(pos, lists, ply, 0, ALL)
    for index in range(count):
        make(pos, lists.moves[ply, index])
        plies = distance_after_move(prober, pos, lists, ply + 1)
        unmake(pos)
        if prober.failed:
            return DRAW
        if (plies > 0) == (wdl > 0) and plies != 0:
            best = min(best, plies)
    return -1 if best == _FAR else best


@kernel
def distance_after_move(prober: Prober, pos: Position, lists: MoveLists, ply: int) -> int:
    """DTZ for the side that has just moved, counted from before its move."""
    now = pos.snapshots[pos.ply]
    if now.halfmove_clock == 0:
        return before_zeroing(-best_of(prober, pos, lists, ply, LOSS, WIN, False))
    plies = -distance(prober, pos, lists, ply)
    if plies == 1 and now.checkers and generate(pos, lists, ply, 0, ALL) == 0:
        return 1  # mate
    if plies > 0:
        return plies + 1
    return plies - 1 if plies < 0 else 0


# --- Mate -----------------------------------------------------------------------------------------


@entry
def mate_is_next(pos: Position) -> bool:
    """Whether only mate can end these positions for the loser, so that DTZ leads to mate.

    True for a bare king against a queen, a rook, two bishops, or bishop and knight: there are no
    pawns, and a piece lost is a draw.
    """
    pieces = pos.pieces
    if (pieces[0, PAWN] | pieces[1, PAWN]) != 0:
        return False
    if popcount(pos.colours[0]) > 1 and popcount(pos.colours[1]) > 1:
        return False
    men = popcount(pos.occupied)
    knights = popcount(pieces[0, KNIGHT] | pieces[1, KNIGHT])
    bishops = popcount(pieces[0, BISHOP] | pieces[1, BISHOP])
    if men == 3:
        return knights + bishops == 0
    return men == 4 and bishops >= 1 and knights + bishops == 2


@entry
def mate_plies(dtz: int, winning: bool) -> int:
    """Plies to mate where `mate_is_next`; `winning`: the side to move. DTZ may be one too small,
    but the winner mates with its own move."""
    plies = abs(dtz)
    return plies + int((plies & 1 == 1) != winning)


# --- At the root ----------------------------------------------------------------------------------


@entry
def has_repeated(pos: Position) -> bool:
    """Has any position occurred twice since the last capture or pawn move?"""
    first = max(0, pos.ply - pos.snapshots[pos.ply].reversible_plies)
    for later in range(first + 4, pos.ply + 1):
        for earlier in range(later - 4, first - 1, -2):
            if pos.snapshots[earlier].key == pos.snapshots[later].key:
                return True
    return False


@entry
def move_dtz(prober: Prober, pos: Position, lists: MoveLists, move: int) -> int:
    """DTZ of the position if the side to move plays `move`; 0 if a position then occurs for the
    third time, or can after a reply to a winning move; NO_TABLE."""
    prober.failed = 0
    make(pos, move)
    plies = 0
    if repetitions(pos) < 2:
        plies = distance_after_move(prober, pos, lists, 0)
        if plies > 0 and reply_repeats(pos, lists):
            plies = 0
    unmake(pos)
    return NO_TABLE if prober.failed else plies


@kernel
def reply_repeats(pos: Position, lists: MoveLists) -> bool:
    """Can the side to move reach a position for the third time?"""
    if pos.snapshots[pos.ply].reversible_plies < 7:
        return False
    for index in range(generate(pos, lists, 0, 0, ALL)):
        make(pos, lists.moves[0, index])
        third = repetitions(pos) >= 2
        unmake(pos)
        if third:
            return True
    return False


@entry
def move_wdl(prober: Prober, pos: Position, lists: MoveLists, move: int) -> int:
    """WIN to LOSS for the side to move if it plays `move`, as if the clock were 0; NO_TABLE."""
    prober.failed = 0
    make(pos, move)
    value = DRAW
    if repetitions(pos) < 2:
        value = -best_of(prober, pos, lists, 0, LOSS, WIN, False)
    unmake(pos)
    return NO_TABLE if prober.failed else value
