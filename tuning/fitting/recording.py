"""The weighted sum with a `weigh` that records the features. Used by trace.py."""

from __future__ import annotations

from engine.board.constants import BLACK, WHITE
from engine.board.position import Position
from engine.eval.classical.features import ATTACK_COUNT, LINEAR_COUNT, WEIGHT_COUNT
from engine.eval.classical.memory import Classical
from engine.eval.classical.pawns import forget_pawns
from engine.eval.classical.scale_factor import scale_factor
from engine.eval.classical.scores import weigh
from engine.eval.classical.weighted_sum import weighted_sum
from engine.eval.known_endings import UNKNOWN, known_result
from engine.eval.kpk import KpkBitbase
from engine.eval.scaling import fifty_move_scale, game_phase, scale_by_fifty_moves
from engine.native.jit import entry, kernel
from engine.native.structs import (
    Struct,
    inline,
    int16,
    int32,
    int64,
    pointer_to,
    pointer_to_array,
)
from tuning.data.packed import PackedPosition, unpack
from tuning.variants import variant

COLUMN_COUNT = WEIGHT_COUNT + ATTACK_COUNT
ROOM = 1 << 20  # entries traced at a time


class Row(Struct):
    """The results for one position besides its counts."""

    entries = int32  # how many counts are not 0
    score = int32  # the evaluation in centipawns, White's view
    phase = int16  # 24 in the middlegame, 0 with pawns only
    scale_white = int16  # of FULL_SCALE, if White's endgame score is the better one
    scale_black = int16
    fifty_move_scale = int16  # of FULL_FIFTY_MOVE_SCALE
    known = int16  # 1: a known ending


class FeatureCount(Struct):
    """One count that is not 0."""

    column = int16
    count = int16


class Recorder(Classical):
    """What one thread needs for the weighted sum, and what it counts."""

    counts = int64[2, WEIGHT_COUNT]  # [colour, weight]


@kernel
def weigh_and_record(evaluator: Recorder, us: int, weight: int, count: int) -> int:
    """As `weigh`, and counts the feature."""
    evaluator.counts[us, weight] += count
    return weigh(evaluator, us, weight, count)


weighted_sum_and_record = variant(
    weighted_sum, __name__, {weigh: weigh_and_record, Classical: Recorder}
)


class Tracer(Struct):
    """What one thread needs."""

    position = inline(Position)
    kpk = pointer_to(KpkBitbase)
    evaluator = inline(Recorder)
    positions = pointer_to_array(PackedPosition)
    rows = pointer_to_array(Row)
    entries = pointer_to_array(FeatureCount)
    entry_count = int64


@entry
def trace_positions(tracer: Tracer, first: int, end: int) -> int:
    """Trace positions from `first` to before `end`, while there is room for their entries.

    Entries are written from 0 on. Returns the number of the first position that is left.
    """
    tracer.entry_count = 0
    for number in range(first, end):
        if tracer.entry_count + COLUMN_COUNT > ROOM:
            return number
        unpack(tracer.position, tracer.positions[number])
        trace_position(tracer, tracer.rows[number])
    return end


@kernel
def trace_position(tracer: Tracer, row: Row) -> None:
    pos = tracer.position
    evaluator = tracer.evaluator
    forget_pawns(pos, evaluator)  # what comes from the cache is not counted
    score = known_result(pos, tracer.kpk)
    row.known = score != UNKNOWN
    if score == UNKNOWN:
        score = weighted_sum_and_record(pos, evaluator)
    row.score = scale_by_fifty_moves(pos, score)
    row.phase = game_phase(pos)
    row.scale_white = scale_factor(pos, WHITE)
    row.scale_black = scale_factor(pos, BLACK)
    row.fifty_move_scale = fifty_move_scale(pos)
    before = tracer.entry_count
    counts = evaluator.counts
    for weight in range(LINEAR_COUNT):
        count = counts[WHITE, weight] - counts[BLACK, weight]
        if count != 0:
            add_entry(tracer, weight, count)
    for us in range(2):
        for weight in range(LINEAR_COUNT, WEIGHT_COUNT):
            if counts[us, weight] != 0:
                add_entry(tracer, weight + us * ATTACK_COUNT, counts[us, weight])
        for weight in range(WEIGHT_COUNT):
            counts[us, weight] = 0
    row.entries = tracer.entry_count - before


@kernel
def add_entry(tracer: Tracer, column: int, count: int) -> None:
    added = tracer.entries[tracer.entry_count]
    added.column = column
    added.count = count
    tracer.entry_count += 1
