"""Scores of the search: centipawns seen by the side to move, with room above for mates."""

from engine.board.constants import MAX_PLY

INFINITE = 32001
MATE = 32000  # being mated at the root; a mate n plies away is MATE - n
MATE_IN_RANGE = MATE - MAX_PLY  # scores from here on are forced mates
TABLEBASE_WIN = 31000  # won by tablebases at the root; n plies away TABLEBASE_WIN - n
TABLEBASE_WIN_IN_RANGE = TABLEBASE_WIN - MAX_PLY  # from here on certain: tables or mates
NO_SCORE = -32002  # no static evaluation: the side to move is in check
DRAW = 0
