"""The state of a placement while its material is solved, in one small number.

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
from tablebases.generator.memory import ILLEGAL_OUTCOME

FIFTY_MOVES = 100  # plies
ILLEGAL = -32000
STALEMATE = 32000
# If all other moves lose too, this is a loss in 101 plies or more.
BLESSED_CAPTURE = 32001


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
