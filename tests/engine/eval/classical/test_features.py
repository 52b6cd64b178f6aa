"""What each feature counts, on positions in which it can be counted by hand.

White's number minus Black's; whatever the weights, so that a new fit changes nothing here.
"""

from __future__ import annotations

import numpy as np
import pytest

from engine.board.attack_tables import new_position
from engine.board.fen import set_fen
from engine.eval.classical.features import ATTACK_COUNT, FEATURES, WEIGHT_COUNT
from engine.eval.classical.loading import new_weights
from engine.search.shared import Shared
from tuning.data.packed import POSITION, PackedPosition, pack
from tuning.fitting.trace import Features, extract

Counts = dict[tuple[str, int], int]  # by name and index within the feature

PAWN, KNIGHT, BISHOP, ROOK, QUEEN = range(5)
OPEN, FACED = 0, 1  # is an enemy pawn ahead on the file?

CASES: dict[str, Counts] = {
    # White: a doubled pawn on a and f, all isolated; Black: only f7 is, for a7 and b7 are together.
    "4k3/pp3p2/8/2P5/8/P4P2/P4P2/4K3 w - - 0 1": {
        ("material", PAWN): 2,
        ("isolated_pawn", OPEN): 1,  # c5
        ("isolated_pawn", FACED): 4 - 1,
        ("doubled_pawn", 0): 2,
        ("phalanx_pawn", 1): -2,
        ("majority", 0): 2,  # three against two, and two against one
        ("pawn_island", 0): 3 - 2,
        ("passed_pawn", 4): 0,  # b7 guards the way of c5
        ("tempo", 0): 1,
    },
    # A mirrored position: all that is left is who is to move.
    "r1bq1rk1/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 1": {
        ("tempo", 0): 1,
        ("material", PAWN): 0,
        ("isolated_pawn", FACED): 0,
        ("knight_mobility", 5): 0,
        ("minor_behind_pawn", 0): 0,
        ("space", 0): 0,
    },
    # Both of White's rooks stand on open files; of Black's, one behind its pawn.
    "2r2rk1/5ppp/8/8/8/8/5PPP/3RR1K1 w - - 0 1": {
        ("rook_open_file", 0): 2 - 1,
        ("rook_half_open_file", 0): 0,
        ("material", ROOK): 0,
    },
    # Two passed pawns attack a knight in the centre, which nothing defends.
    "4k3/8/8/3n4/2P1P3/5B2/8/4K3 w - - 0 1": {
        ("threat_by_pawn", KNIGHT): 1,
        ("hanging", 0): 1,
        ("knight_mobility", 8): -1,
        ("bishop_mobility", 7): 1,
        ("bishop_pawns", 0): 2,
        ("knight_pawns", 0): 5,  # Black has none, five less than five
        ("isolated_pawn", OPEN): 2,
        ("passed_pawn", 3): 2,
        ("passed_file", 2): 1,
        ("passed_file", 3): 1,
        ("passed_safe_step", 3): 2,
        ("pawn_island", 0): 2,
        ("bishop_pair", 0): 0,
    },
    # Three pieces around a king behind its pawns.
    "6k1/5ppp/7Q/6N1/8/3B4/8/6K1 b - - 0 1": {
        ("white king_attackers", 3): 1,
        ("white king_attacker", KNIGHT): 1,
        ("white king_attacker", BISHOP): 1,
        ("white king_attacker", QUEEN): 1,
        ("white king_no_queen", 0): 0,
        ("black king_attackers", 0): 1,
        ("black king_no_queen", 0): 1,
        ("threat_by_minor", PAWN): 2,  # f7, h7
        ("threat_by_pawn", QUEEN): -1,
        ("bishop_aimed_pawns", 0): 1,
        ("passed_pawn", 1): -3,
        ("passed_connected", 1): -3,
        ("phalanx_pawn", 1): -3,
        ("tempo", 0): -1,
    },
    # A defended knight that no pawn can drive away, and both bishops.
    "4k3/5p2/8/3NP3/2P5/8/8/2B1KB2 w - - 0 1": {
        ("bishop_pair", 0): 1,
        ("knight_outpost", 1): 1,
        ("knight_pawns", 0): -3,
        ("passed_pawn", 3): 1,  # c4; f7 guards the way of e5
        ("passed_free_path", 3): 0 + 1,
        ("majority", 0): 1,
        ("isolated_pawn", OPEN): 2 - 1,
    },
    # Passed pawns that defend each other.
    "4k3/8/1p6/1P1P4/4P3/2P5/8/4K3 w - - 0 1": {
        ("defended_pawn", 4): 1,
        ("passed_connected", 3): 1,
        ("passed_connected", 4): 1,
        ("passed_file", 3): 2,
        ("isolated_pawn", FACED): -1,
    },
    # A knight before a passed pawn; rooks behind it and on the seventh rank.
    "6k1/3R4/3n4/3P4/8/8/6PP/3r2K1 w - - 0 1": {
        ("passed_blocked", 4): 1,
        ("passed_rook_behind", 1): 1,  # the enemy's
        ("rook_half_open_file", 0): -1,
        ("rook_on_seventh", 0): 1,
        ("threat_by_rook", KNIGHT): 1,
        ("threat_by_rook", PAWN): -1,
        ("hanging", 0): -1,  # d5
        ("minor_behind_pawn", KNIGHT - 1): -1,
        ("rook_pawns", 0): 3,
    },
    # The rook cannot leave the corner for its own king; the bishop has the long diagonal.
    "6k1/5ppp/8/8/8/8/1B3PPP/5KR1 w - - 0 1": {
        ("rook_trapped", 0): 1,
        ("rook_mobility", 1): 1,
        ("bishop_long_diagonal", 0): 1,
        ("bishop_aimed_pawns", 0): 1,
        ("bishop_pawns", 0): 2,
        ("rook_pawns", 0): -2,
    },
    "4k3/8/8/8/4n3/8/8/2R1K3 w - - 0 1": {
        ("rook_open_file", 0): 1,
        ("knight_outpost", 0): -1,
        ("knight_mobility", 8): -1,
        ("rook_mobility", 10): 1,
    },
    # White's king has no pawn of either side near it.
    "1k6/ppp5/8/8/8/8/PPP5/6K1 w - - 0 1": {("pawnless_flank", 0): 1},
    # a2 becomes a passed pawn once b7 and b2 are exchanged.
    "4k3/1p6/8/8/8/8/PP6/4K3 w - - 0 1": {
        ("candidate_pawn", 1): 1,
        ("isolated_pawn", FACED): -1,
        ("phalanx_pawn", 1): 2,
        ("majority", 0): 1,
    },
    # Black's king lacks the pawn before it; storms come from the second ranks.
    "6k1/5p1p/8/8/8/8/5PPP/6K1 w - - 0 1": {
        ("shelter", 8 * 1 + 1): 1,
        ("shelter", 8 * 1 + 0): -1,
        ("shelter", 8 * 2 + 1): 0,
        ("shelter", 8 * 0 + 1): 0,
        ("storm", 8 * 1 + 0): 1,
        ("storm", 8 * 1 + 6): -1,
        ("storm", 8 * 2 + 6): 0,
        ("storm_blocked", 2): 0,
    },
    # Pawns that block each other: White's on its fifth rank, Black's on its third.
    "6k1/8/6p1/6P1/8/8/8/6K1 w - - 0 1": {
        ("shelter", 8 * 1 + 4): 1,
        ("shelter", 8 * 1 + 2): -1,
        ("storm_blocked", 5): 1,
        ("storm_blocked", 3): -1,
        ("storm", 8 * 1 + 5): 0,
    },
}
# Of 64, for White and for Black, if that side is better.
SCALES = {
    "4k3/pp3p2/8/2P5/8/P4P2/P4P2/4K3 w - - 0 1": (64, 64),
    "4k3/8/8/3n4/2P1P3/5B2/8/4K3 w - - 0 1": (56, 0),  # two pawns; a knight alone wins nothing
    "6k1/5ppp/7Q/6N1/8/3B4/8/6K1 b - - 0 1": (40, 64),
    "6k1/3R4/3n4/3P4/8/8/6PP/3r2K1 w - - 0 1": (64, 16),  # a knight more, and no pawn
    "4k3/8/8/8/4n3/8/8/2R1K3 w - - 0 1": (6, 0),
    "4k3/p7/8/8/8/3B4/P7/4K3 w - - 0 1": (48, 48),
    "2b1k3/pp6/8/8/8/4B3/PP6/4K3 w - - 0 1": (28, 28),  # bishops of opposite colours
}
FENS = list(dict.fromkeys((*CASES, *SCALES)))


def features_of(shared: Shared, fens: list[str]) -> Features:
    pos = new_position(shared.tables)
    positions = np.zeros(len(fens), POSITION)
    for number, fen in enumerate(fens):
        set_fen(pos, fen)
        pack(pos, PackedPosition(positions[number : number + 1].view(np.uint8)))
    return extract(positions, new_weights())


@pytest.fixture(scope="module")
def features(shared: Shared) -> Features:
    return features_of(shared, FENS)


def counts_of(features: Features, fen: str) -> Counts:
    start, end = features.starts[FENS.index(fen) :][:2]
    counts: Counts = {}
    for column, count in zip(features.columns[start:end], features.counts[start:end], strict=True):
        index, whose = int(column), ""
        for name, feature in FEATURES.items():
            if feature.indices.start >= WEIGHT_COUNT - ATTACK_COUNT:  # of each side apart
                whose = "black " if column >= WEIGHT_COUNT else "white "
                index = int(column) - (ATTACK_COUNT if column >= WEIGHT_COUNT else 0)
            if feature.indices.start <= index < feature.indices.stop:
                counts[whose + name, index - feature.indices.start] = int(count)
    return counts


@pytest.mark.parametrize("fen", CASES)
def test_what_is_counted(features: Features, fen: str) -> None:
    found = counts_of(features, fen)
    assert {key: found.get(key, 0) for key in CASES[fen]} == CASES[fen]


@pytest.mark.parametrize("fen", SCALES)
def test_what_an_endgame_is_worth(features: Features, fen: str) -> None:
    row = features.rows[FENS.index(fen)]
    assert (int(row["scale_white"]), int(row["scale_black"])) == SCALES[fen]
