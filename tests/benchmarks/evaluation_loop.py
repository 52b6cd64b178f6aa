"""A loop around the evaluation, compiled with it, so that no call from Python is measured."""

from __future__ import annotations

from engine.board.position import Position
from engine.eval.evaluate import Evaluator, evaluate
from engine.native.jit import entry
from engine.native.structs import Struct, pointer_to, pointer_to_array


class Work(Struct):
    evaluator = pointer_to(Evaluator)
    positions = pointer_to_array(Position)


@entry
def evaluate_often(work: Work, rounds: int, count: int) -> int:
    """The sum is returned, so that nothing can be left out."""
    total = 0
    for _ in range(rounds):
        for number in range(count):
            total += evaluate(work.positions[number], work.evaluator)
    return total
