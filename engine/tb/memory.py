"""The memory of a thread that probes."""

from __future__ import annotations

from engine.native.memory import Struct, inline, int64, pointer_to
from engine.native.random import Random
from tablebases.memory import Men, TableSet


class Prober(Struct):
    """Which tablebases a thread may use, and its own working memory."""

    tablebases = pointer_to(TableSet)  # to be assigned if `most_men` is not 0
    most_men = int64  # positions with more men are not probed; 0: none are
    least_depth = int64  # remaining depth from which a search probes positions with most_men
    fifty_moves = int64  # 1: the fifty-move rule can draw tablebase wins
    failed = int64  # 1 once a table was missing: what a probe then returns is meaningless
    zeroing = int64  # 1 if the last probe found that a capture or pawn move is best
    men = inline(Men)


class Sample(Struct):
    """Random positions of one material, and statistics of their values."""

    random = inline(Random)
    men = int64
    kinds = int64[8]
    colours = int64[8]
    results = int64[5]  # positions by WDL + 2
    contradictions = int64  # positions whose value does not follow from those after their moves
    incomplete = int64  # positions for which a table was missing
