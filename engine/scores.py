"""The scale of scores: centipawns for the side to move; above them tablebase wins and mates."""

from engine.board.constants import MAX_PLY

INFINITE = 32001
MATE = 32000  # being mated at the root; a mate n plies away is MATE - n
MATE_IN_RANGE = MATE - MAX_PLY  # scores from here on are forced mates
TABLEBASE_WIN = 31000  # a tablebase win at the root; n plies away TABLEBASE_WIN - n
# Scores from here on are certain: tablebases or mates.
TABLEBASE_WIN_IN_RANGE = TABLEBASE_WIN - MAX_PLY
NO_SCORE = -32002  # no static evaluation, because the side to move is in check; unknown position
DRAW = 0
