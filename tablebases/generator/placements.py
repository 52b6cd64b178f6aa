"""The memory of the retrograde analysis, and how a placement of men becomes an index.

A space holds every placement of one material, legal or not, for both sides to move. The men have
slots: the white king is 0, then come the pawns, then the black king, then all others. A placement
is one word with the square of slot i in byte i. The board is reflected so that the white king
stands on files a to d, and without pawns also on ranks 1 to 4. No placement is its own reflection,
so each move between spaces' entries is one move of chess, which the counting of moves relies on.

An index is, from its high end: the pawns (48 squares each), the side to move, the white king (5
bits, 4 without pawns), and the other men in the order of their slots, 6 bits each.

The plies of a placement are its state while its material is solved:

0          nothing yet, and in the end: a draw
n > 0      a win in n plies: until the next capture, pawn move or mate, as in DTZ
-n - 1     a loss in n plies; 0 is being mated
others     the special cases below

What wins or loses only if no draw is claimed after fifty moves takes more than 100 plies. A
capture or pawn move into such a position counts as 101, so that the order of plies remains the
order of preference: the winner takes the least, the loser the most.
"""

from __future__ import annotations

from engine.native.jit import kernel
from engine.native.structs import (
    Struct,
    array_of,
    inline,
    int8,
    int64,
    pointer_to,
    pointer_to_array,
)
from tablebases.tables import Byte, Half

MAX_MEN = 5  # what the space of a material can reasonably hold

# Kinds of men, as in the files.
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = 1, 2, 3, 4, 5, 6

# Reflections of all squares of a placement at once.
LEFT_RIGHT = 0x0707070707070707
UP_DOWN = 0x3838383838383838

ILLEGAL_OUTCOME = 64  # the side that has moved is in check, or men share a square

FIFTY_MOVES = 100  # plies
# Special cases of plies
ILLEGAL = -32000
STALEMATE = 32000
# If all other moves lose too, this is a loss in 101 plies or more.
BLESSED_CAPTURE = 32001


class Geometry(Struct):
    """Where men go to on an empty board."""

    king = int64[64]
    knight = int64[64]
    pawn = int64[2, 64]  # [colour, square], captures
    ray = int64[8, 64]  # [direction, square]; the first four directions lead to higher squares


class Space(Struct):
    """What the index of a material looks like."""

    men = int64
    pawns = int64
    side_shift = int64  # of the bit that is the side to move; above it are the pawns
    shift = int64[8]  # [slot], of all but pawns and the white king
    kind = int8[8]  # [slot]
    colour = int8[8]  # [slot], 0 White


class Transition(Struct):
    """From a material to that after a capture, a promotion, or both."""

    space = pointer_to(Space)
    outcomes = pointer_to_array(Byte)  # -2, -1, 0, 1, 2 as in WDL, or ILLEGAL_OUTCOME
    sources = int64[8]  # [slot there] -> slot here
    exchanged = int64  # 1 if White there is Black here


class Solver(Struct):
    """All that is known while a material is solved. Written by the kernels: plies, counts."""

    geometry = pointer_to(Geometry)
    space = inline(Space)
    plies = pointer_to_array(Half)  # see above
    counts = pointer_to_array(Byte)  # see retrograde.py
    transitions = array_of(Transition, 6 * 8 * 8)  # [transition_number(...)]
    longest = int64  # how many plies the longest line found so far takes


@kernel
def transition_number(promotion: int, slot: int, captured: int) -> int:
    """Of the kind that the pawn in `slot` promotes to (0, 0: it does not), and the slot captured
    (0: none)."""
    return (promotion * 8 + slot) * 8 + captured


@kernel
def square_of(placement: int, slot: int) -> int:
    return placement >> (8 * slot) & 63


@kernel
def moved(placement: int, slot: int, to: int) -> int:
    """The placement with the man in `slot` on another square."""
    return placement ^ (square_of(placement, slot) ^ to) << (8 * slot)


@kernel
def index_of(space: Space, placement: int, side: int) -> int:
    """Where a placement with `side` to move is in its space."""
    if placement & 4:
        placement ^= LEFT_RIGHT
    if space.pawns == 0 and placement & 32:
        placement ^= UP_DOWN
    pawns = 0
    for slot in range(1, space.pawns + 1):
        pawns = pawns * 48 + square_of(placement, slot) - 8
    index = (pawns << 1 | side) << (5 if space.pawns else 4)
    index |= (placement & 56) >> 1 | placement & 3
    for slot in range(space.pawns + 1, space.men):
        index = index << 6 | square_of(placement, slot)
    return index


@kernel
def placement_at(space: Space, index: int) -> int:
    """The placement at an index, without the side to move."""
    king = index >> space.shift[space.pawns + 1] + 6
    king &= 31 if space.pawns else 15
    placement = (king & 28) << 1 | king & 3
    for slot in range(space.pawns + 1, space.men):
        placement |= (index >> space.shift[slot] & 63) << (8 * slot)
    pawns = index >> space.side_shift + 1
    for i in range(space.pawns):
        placement |= (pawns % 48 + 8) << (8 * (space.pawns - i))
        pawns //= 48
    return placement


@kernel
def side_at(space: Space, index: int) -> int:
    return index >> space.side_shift & 1


@kernel
def index_after(space: Space, index: int, placement: int, slot: int, to: int) -> int:
    """The index after a man other than a pawn has moved, with the other side to move."""
    if slot == 0:
        return index_of(space, moved(placement, 0, to), side_at(space, index) ^ 1)
    index += (to - square_of(placement, slot)) << space.shift[slot]
    return index ^ 1 << space.side_shift


@kernel
def wdl_of_plies(plies: int) -> int:
    """-2, -1, 0, 1, 2 or ILLEGAL_OUTCOME."""
    if plies == ILLEGAL:
        return ILLEGAL_OUTCOME
    if plies == 0 or plies >= STALEMATE:
        return 0
    if plies > 0:
        return 2 if plies <= FIFTY_MOVES else 1
    return -2 if -plies - 1 <= FIFTY_MOVES else -1
