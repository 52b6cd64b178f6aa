"""The memory of a thread that probes."""

from __future__ import annotations

from engine.native.structs import Struct, inline, int64, pointer_to
from tablebases.tables import Men, TableSet


class Prober(Struct):
    """Which tablebases a thread may use, and its own working memory."""

    tablebases = pointer_to(TableSet)  # to be assigned if `most_men` is not 0
    most_men = int64  # positions with more men are not probed; 0: none are
    least_depth = int64  # remaining depth from which a search probes positions with most_men
    fifty_moves = int64  # 1: the fifty-move rule can draw tablebase wins
    root_men = int64[2]  # of each side at the root of the search, without the king
    root_material = int64[2]  # and what they are worth in exchanges
    failed = int64  # 1 once a table was missing: what a probe then returns is meaningless
    zeroing = int64  # 1 if the last probe found that a capture or pawn move is best
    men = inline(Men)
