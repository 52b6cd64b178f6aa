"""The encodings of the board.

Square: a1 = 0, b1 = 1, ..., h8 = 63.  Colour: 0 or 1.  Piece kind: 0 to 5, 6 for an empty square.
Castling rights: one bit each, in the order of the four `*_SHORT`/`*_LONG` constants.
"""

from engine.native.bits import signed

WHITE, BLACK = 0, 1
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING, EMPTY = range(7)
NO_SQUARE = 64

RANK_1 = 0xFF
RANK_2 = RANK_1 << 8
RANK_3 = RANK_1 << 16
RANK_6 = RANK_1 << 40
RANK_7 = RANK_1 << 48
RANK_8 = signed(RANK_1 << 56)
FILE_A = 0x0101010101010101
FILE_B = FILE_A << 1
FILE_G = FILE_A << 6
FILE_H = signed(FILE_A << 7)
DARK_SQUARES = signed(0xAA55AA55AA55AA55)  # a1 is dark

MAX_PLY = 240  # deepest ply of a search
MAX_MEN = 32  # of a position: any pieces, on either side
# Of one position. In games the record is 218, but MAX_MEN men can be 31 against one. A queen has
# 27 moves at most, a knight 8, a pawn about to promote 12, and at most 8 queens reach a square. So
# 10 queens, 12 knights, 8 pawns and the king, with 33 squares to go to, have 466 at most.
MAX_MOVES = 480
MAX_HISTORY = 512  # reversible plies of the game that are remembered for repetitions
