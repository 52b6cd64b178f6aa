"""Plain Python: the evaluation in words and numbers."""

from __future__ import annotations

from engine.board.constants import WHITE
from engine.board.position import Position
from engine.eval.classical.explain import term_table
from engine.eval.evaluate import evaluate
from engine.eval.known_endings import UNKNOWN, known_result
from engine.eval.material import game_phase
from engine.eval.memory import Evaluator


def explain(pos: Position, evaluator: Evaluator) -> str:
    """The terms of the weighted sum, and what becomes of them."""
    rows = [*term_table(pos, evaluator.classical), ""]
    if int(known_result(pos, evaluator.kpk)) != UNKNOWN:
        rows.append("The result of this ending is known, and the terms do not count.")
    score = int(evaluate(pos, evaluator)) * (1 if pos.side == WHITE else -1)
    rows.append(f"Phase {int(game_phase(pos))} of 24 (24: middlegame, 0: endgame)")
    if pos.snapshots[pos.ply].checkers:
        rows.append("The side to move is in check: the search does not evaluate such positions.")
    rows.append(f"Final evaluation: {score / 100:+.2f} (White's view)")
    return "\n".join(rows)
