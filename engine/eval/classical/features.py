"""The list of all features that the evaluation counts, and of the indices of their weights.

One line declares a feature. It returns the index of the first weight, which the kernels use. The
weights are in weights.py under the same name in capitals, each a (middlegame, endgame) pair.
Everything that visits all weights (filling the memory, counting features for tuning, writing
weights.py) uses FEATURES.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple


class Feature(NamedTuple):
    """A named array of weights."""

    name: str
    group: str  # a theme, to show, switch off or freeze as a whole
    shape: tuple[int, ...]  # () for a single weight
    first: int  # index of its first weight; the others follow in C order

    @property
    def indices(self) -> slice:
        return slice(self.first, self.first + prod(self.shape))


FEATURES: dict[str, Feature] = {}  # by name, in the order of their weights


def _feature(group: str, name: str, *shape: int) -> int:
    """Declare a feature after the last one. Returns the index of its first weight."""
    last = next(reversed(FEATURES.values()), None)
    first = last.indices.stop if last else 0
    FEATURES[name] = Feature(name, group, shape, first)
    return first


# "By rank" is always the rank seen by the owner; "by kind" goes from pawn to king.
MATERIAL = _feature("Material", "material", 6)  # by kind
BISHOP_PAIR = _feature("Material", "bishop_pair")
# For each own pawn more than five
KNIGHT_PAWNS = _feature("Material", "knight_pawns")
ROOK_PAWNS = _feature("Material", "rook_pawns")

# By kind and square, on boards mirrored so that a king stands on the files e to h
PIECE_SQUARE = _feature("Piece squares", "piece_square", 6, 64)  # the own king
ENEMY_KING_SQUARE = _feature("Piece squares", "enemy_king_square", 6, 64)  # the enemy's king

TEMPO = _feature("Tempo", "tempo")

# By whether an enemy pawn stands ahead on the file
ISOLATED_PAWN = _feature("Pawns", "isolated_pawn", 2)
BACKWARD_PAWN = _feature("Pawns", "backward_pawn", 2)
DOUBLED_PAWN = _feature("Pawns", "doubled_pawn")
DEFENDED_PAWN = _feature("Pawns", "defended_pawn", 8)  # by rank
PHALANX_PAWN = _feature("Pawns", "phalanx_pawn", 8)  # by rank
CANDIDATE_PAWN = _feature("Pawns", "candidate_pawn", 8)  # by rank
MAJORITY = _feature("Pawns", "majority")  # for each wing with more pawns than the enemy
PAWN_ISLAND = _feature("Pawns", "pawn_island")  # for each group of files

PASSED_PAWN = _feature("Passed pawns", "passed_pawn", 8)  # by rank
PASSED_FILE = _feature("Passed pawns", "passed_file", 4)  # by distance from the edge
PASSED_CONNECTED = _feature("Passed pawns", "passed_connected", 8)  # by rank
PASSED_BLOCKED = _feature("Passed pawns", "passed_blocked", 8)  # by rank
PASSED_SAFE_STEP = _feature("Passed pawns", "passed_safe_step", 8)  # by rank
PASSED_HELPED_STEP = _feature("Passed pawns", "passed_helped_step", 8)  # by rank
PASSED_FREE_PATH = _feature("Passed pawns", "passed_free_path", 8)  # by rank
# By distance of a king to the square before the pawn, for each rank above the third
PASSED_KING_NEAR = _feature("Passed pawns", "passed_king_near", 8)  # the own king
PASSED_KING_FAR = _feature("Passed pawns", "passed_king_far", 8)  # the enemy's
PASSED_ROOK_BEHIND = _feature("Passed pawns", "passed_rook_behind", 2)  # by whose: own, enemy's
PASSED_UNSTOPPABLE = _feature("Passed pawns", "passed_unstoppable")

# By squares reached
KNIGHT_MOBILITY = _feature("Mobility", "knight_mobility", 9)
BISHOP_MOBILITY = _feature("Mobility", "bishop_mobility", 14)
ROOK_MOBILITY = _feature("Mobility", "rook_mobility", 15)
QUEEN_MOBILITY = _feature("Mobility", "queen_mobility", 28)

# By whether a pawn defends it
KNIGHT_OUTPOST = _feature("Pieces", "knight_outpost", 2)
BISHOP_OUTPOST = _feature("Pieces", "bishop_outpost", 2)
KNIGHT_NEAR_OUTPOST = _feature("Pieces", "knight_near_outpost")  # a move away, defended
MINOR_BEHIND_PAWN = _feature("Pieces", "minor_behind_pawn", 2)  # knight, bishop
MINOR_KING_DISTANCE = _feature("Pieces", "minor_king_distance", 2)  # knight, bishop: a king move
BISHOP_PAWNS = _feature("Pieces", "bishop_pawns")  # for each own pawn on squares of its colour
BISHOP_BLOCKED_PAWNS = _feature("Pieces", "bishop_blocked_pawns")  # those that cannot move
BISHOP_LONG_DIAGONAL = _feature("Pieces", "bishop_long_diagonal")
BISHOP_AIMED_PAWNS = _feature("Pieces", "bishop_aimed_pawns")  # enemy pawns on its diagonals
ROOK_OPEN_FILE = _feature("Pieces", "rook_open_file")
ROOK_HALF_OPEN_FILE = _feature("Pieces", "rook_half_open_file")
ROOK_ON_SEVENTH = _feature("Pieces", "rook_on_seventh")
ROOK_TRAPPED = _feature("Pieces", "rook_trapped")
QUEEN_INFILTRATION = _feature("Pieces", "queen_infiltration")

# By kind of the threatened piece
THREAT_BY_PAWN = _feature("Threats", "threat_by_pawn", 6)
THREAT_BY_MINOR = _feature("Threats", "threat_by_minor", 6)
THREAT_BY_ROOK = _feature("Threats", "threat_by_rook", 6)
# For each piece threatened
THREAT_BY_KING = _feature("Threats", "threat_by_king")
THREAT_BY_PUSH = _feature("Threats", "threat_by_push")
HANGING = _feature("Threats", "hanging")
QUEEN_HUNTED = _feature("Threats", "queen_hunted", 2)  # by a knight, by a slider: next move
RESTRICTED = _feature("Threats", "restricted")  # for each square

SPACE = _feature("Space", "space")  # for each 16 pairs of a square and a piece

# By distance of the file from the edge and rank of the pawn nearest the king, 0: none
SHELTER = _feature("King shelter", "shelter", 4, 8)
STORM = _feature("King shelter", "storm", 4, 8)
STORM_BLOCKED = _feature("King shelter", "storm_blocked", 8)  # by rank
PAWNLESS_FLANK = _feature("King shelter", "pawnless_flank")

# The following are summed separately for each side; `attack_score` of king.py scores the sum.
KING_ATTACKERS = _feature("King attack", "king_attackers", 6)  # by number of pieces, 5 and more
KING_ATTACKER = _feature("King attack", "king_attacker", 6)  # by kind
KING_ATTACK = _feature("King attack", "king_attack", 6)  # by kind, each square next to the king
KING_WEAK_SQUARE = _feature("King attack", "king_weak_square")  # for each near the king
KING_FLANK_ATTACK = _feature("King attack", "king_flank_attack", 2)  # each square, once and twice
KING_FLANK_DEFENCE = _feature("King attack", "king_flank_defence")
SAFE_CHECK = _feature("King attack", "safe_check", 6)  # by kind, if there is one
SAFE_CHECKS = _feature("King attack", "safe_checks", 6)  # by kind, if there are more
UNSAFE_CHECK = _feature("King attack", "unsafe_check", 6)  # by kind
KING_PINNED = _feature("King attack", "king_pinned")  # for each piece alone before a slider
KING_KNIGHT = _feature("King attack", "king_knight")  # a knight defends it
KING_NO_QUEEN = _feature("King attack", "king_no_queen")  # the attacker has none
KING_SHELTER = _feature("King attack", "king_shelter", 8)  # by rank of the shelter's pawns
KING_STORM = _feature("King attack", "king_storm", 8)  # by rank of the attacker's pawns

LINEAR_COUNT = KING_ATTACKERS
WEIGHT_COUNT = next(reversed(FEATURES.values())).indices.stop
ATTACK_COUNT = WEIGHT_COUNT - LINEAR_COUNT
