"""Random positions of a material: their results, and whether tables contradict themselves.

The value of a position follows from the values after its moves, so no reference is needed to check
tables.
"""

from __future__ import annotations

from engine.board.attacks import king_attacked
from engine.board.constants import EMPTY, NO_SQUARE, PAWN
from engine.board.makemove import make, refresh, unmake
from engine.board.movegen import ALL, generate
from engine.board.position import MoveLists, Position
from engine.native.bits import bit, squares
from engine.native.jit import entry, kernel
from engine.native.random import Random, random_below
from engine.native.structs import Struct, inline, int64
from engine.tb.memory import Prober
from engine.tb.probing import (
    CURSED_DTZ,
    DRAW,
    LOSS,
    distance_after_move,
    probe_dtz,
    probe_wdl,
)
from tablebases.decoding import NO_TABLE
from tablebases.material import KIND_OF, sides


class Sample(Struct):
    """Random positions of one material, and statistics of their values."""

    random = inline(Random)
    men = int64
    kinds = int64[8]
    colours = int64[8]
    results = int64[5]  # positions by WDL + 2
    incomplete = int64  # positions for which a table was missing


def new_sample(name: str, seed: int) -> Sample:
    """For random positions of a material; each seed from 0 on gives different ones."""
    sample = Sample()
    sample.random.state = seed * 0x9E3779B97F4A7C1 % (1 << 62) + 0x2545F4914F6CDD1D
    men = [(letter, colour) for colour, side in enumerate(sides(name)) for letter in side]
    sample.men = len(men)
    for index, (letter, colour) in enumerate(men):
        sample.kinds[index] = KIND_OF[letter]
        sample.colours[index] = colour
    return sample


@entry
def check_sample(
    sample: Sample, prober: Prober, pos: Position, lists: MoveLists, count: int, with_dtz: bool
) -> int:
    """Compare `count` random positions with the positions after their moves.

    Stops, with the position in `pos`, and returns 1 at the first contradiction; 0 if none.
    """
    for _ in range(count):
        place_at_random(sample, pos)
        value = probe_wdl(prober, pos, lists, 0)
        expected = wdl_by_moves(prober, pos, lists)
        if value == NO_TABLE or prober.failed:
            sample.incomplete += 1
            continue
        sample.results[value + 2] += 1
        # The fifty-move rule may lie between a position and the next one.
        if (value > 0) != (expected > 0) or (value < 0) != (expected < 0):
            return 1
        if with_dtz and not dtz_fits(prober, pos, lists, value):
            return 1
    return 0


@kernel
def wdl_by_moves(prober: Prober, pos: Position, lists: MoveLists) -> int:
    """The best WDL after any move; sets `failed` if one is missing."""
    count = generate(pos, lists, 0, 0, ALL)
    if count == 0:
        prober.failed = 0
        return LOSS if pos.snapshots[pos.ply].checkers else DRAW
    best = LOSS
    for index in range(count):
        make(pos, lists.moves[0, index])
        value = probe_wdl(prober, pos, lists, 1)
        unmake(pos)
        if prober.failed:
            return DRAW
        best = max(best, -value)
    return best


@kernel
def dtz_fits(prober: Prober, pos: Position, lists: MoveLists, wdl: int) -> bool:
    """Does the DTZ fit the WDL, and the DTZ after the best move but for rounding?"""
    plies = probe_dtz(prober, pos, lists, 0)
    if prober.failed:
        return True  # there may be no DTZ table
    if (plies > 0) != (wdl > 0) or (plies < 0) != (wdl < 0):
        return False
    if (abs(plies) > CURSED_DTZ) != (abs(wdl) == 1):
        return False
    count = generate(pos, lists, 0, 0, ALL)
    if wdl == DRAW or count == 0:
        return True
    best = 0
    for index in range(count):
        make(pos, lists.moves[0, index])
        after = distance_after_move(prober, pos, lists, 1)
        unmake(pos)
        if prober.failed:
            return True
        if (after > 0) == (wdl > 0) and after != 0 and (best == 0 or after < best):
            best = after
    return abs(best - plies) <= 1 or abs(abs(best - plies) - CURSED_DTZ) <= 1


# --- Random positions -----------------------------------------------------------------------------


@entry
def place_at_random(sample: Sample, pos: Position) -> None:
    """A random legal position with the sample's men, either colour having either side, with the
    right to capture en passant where a pawn may just have passed one."""
    while True:
        exchange = random_below(sample.random, 2)
        for square in range(64):
            pos.board[square] = EMPTY
        pos.colours[0] = 0
        pos.colours[1] = 0
        occupied = 0
        for index in range(sample.men):
            kind = sample.kinds[index]
            while True:
                if kind == PAWN:
                    square = 8 + random_below(sample.random, 48)
                else:
                    square = random_below(sample.random, 64)
                if occupied & bit(square) == 0:
                    break
            occupied |= bit(square)
            pos.board[square] = kind
            pos.colours[sample.colours[index] ^ exchange] |= bit(square)
        pos.side = random_below(sample.random, 2)
        pos.ply = 0
        now = pos.snapshots[0]
        now.castling = 0
        now.halfmove_clock = 0
        now.reversible_plies = 0
        now.en_passant = passed_square(pos)
        refresh(pos)
        if not king_attacked(pos, pos.side ^ 1):
            break


@kernel
def passed_square(pos: Position) -> int:
    """A square that a pawn of the side that has moved may just have passed, or NO_SQUARE."""
    back = 8 if pos.side else -8
    fourth = 3 if pos.side else 4
    for square in squares(pos.colours[pos.side ^ 1]):
        if pos.board[square] == PAWN and square >> 3 == fourth:
            if pos.board[square - back] == EMPTY and pos.board[square - 2 * back] == EMPTY:
                return square - back
    return NO_SQUARE
