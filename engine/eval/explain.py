"""Plain Python: the evaluation in words and numbers."""

from __future__ import annotations

from engine.board.constants import WHITE
from engine.board.position import Position
from engine.eval.classical.explain import term_table
from engine.eval.classical.weighted_sum import weighted_sum
from engine.eval.evaluate import evaluate
from engine.eval.known_endings import UNKNOWN, known_result
from engine.eval.material import game_phase
from engine.eval.memory import Evaluator
from engine.eval.network.explain import piece_table
from engine.eval.network.output import network_score


def explain(pos: Position, evaluator: Evaluator) -> str:
    """The terms of the weighted sum, the worth of each piece to the network, and which of the two
    evaluates the position."""
    white_view = 1 if pos.side == WHITE else -1
    rows = [*term_table(pos, evaluator.classical), ""]
    rows.append(f"Weighted sum: {_pawns(weighted_sum(pos, evaluator.classical))}")
    layers = evaluator.network.layers
    if layers.output_scale:
        rows += ["", *piece_table(pos, layers), ""]
        score = white_view * int(network_score(pos, evaluator.network))
        rows.append(f"Network: {_pawns(score)}")
    rows.append("")
    if int(known_result(pos, evaluator.kpk)) != UNKNOWN:
        rows.append("Evaluation used: neither, the result of this ending is known")
    else:
        rows.append(f"Evaluation used: {'network' if layers.in_use else 'weighted sum'}")
    rows.append(f"Phase {int(game_phase(pos))} of 24 (24: middlegame, 0: endgame)")
    if pos.snapshots[pos.ply].checkers:
        rows.append("The side to move is in check: the search does not evaluate such positions.")
    score = white_view * int(evaluate(pos, evaluator))
    rows.append(f"Final evaluation: {_pawns(score)}")
    return "\n".join(rows)


def _pawns(centipawns: int) -> str:
    return f"{centipawns / 100:+.2f} (White's view)"
