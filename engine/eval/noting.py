"""The evaluation once more, with a `weigh` that notes what it weighs. Its use is in trace.py."""

from __future__ import annotations

from engine.board.constants import BLACK, WHITE
from engine.board.packing import PackedPosition, unpack
from engine.board.position import Position
from engine.eval.endgames import UNKNOWN, known_result
from engine.eval.evaluate import FULL_PHASE, evaluate
from engine.eval.features import ATTACK_COUNT, LINEAR_COUNT, WEIGHT_COUNT
from engine.eval.memory import Evaluator, Trace
from engine.eval.pawns import forget_pawns
from engine.eval.place import material, place
from engine.eval.scaling import fade, scale_factor
from engine.eval.weigh import weigh, weigh_and_note
from engine.native.jit import entry, kernel
from engine.native.memory import Struct, inline, int16, int32, int64, pointer_to_array
from engine.native.variants import variant

evaluate_and_note = variant(evaluate, __name__, {weigh: weigh_and_note})
material_and_note = variant(material, __name__, {weigh: weigh_and_note})
place_and_note = variant(place, __name__, {weigh: weigh_and_note})

COLUMN_COUNT = WEIGHT_COUNT + ATTACK_COUNT
ROOM = 1 << 20  # entries traced at a time


class Row(Struct):
    """What is known of one position besides its counts."""

    entries = int32  # how many counts are not 0
    score = int32  # the evaluation in centipawns, White's view
    phase = int16  # 24 in the middlegame, 0 with pawns only
    scale_white = int16  # of FULL_SCALE, if White's endgame score is the better one
    scale_black = int16
    fade = int16  # of FULL_FADE
    known = int16  # 1: exact knowledge


class Entry(Struct):
    """One count that is not 0."""

    column = int16
    count = int16


class Tracer(Struct):
    """What one thread needs."""

    position = inline(Position)
    evaluator = inline(Evaluator)
    trace = inline(Trace)
    positions = pointer_to_array(PackedPosition)
    rows = pointer_to_array(Row)
    entries = pointer_to_array(Entry)
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
    score = evaluate_and_note(pos, evaluator)
    for us in range(2):
        material_and_note(pos, evaluator, us)
        place_and_note(pos, evaluator, us)
    row.score = score if pos.side == WHITE else -score
    row.phase = min(FULL_PHASE, pos.snapshots[pos.ply].phase)
    row.scale_white = scale_factor(pos, WHITE)
    row.scale_black = scale_factor(pos, BLACK)
    row.fade = fade(pos)
    row.known = known_result(pos, evaluator) != UNKNOWN
    before = tracer.entry_count
    counts = tracer.trace.counts
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
