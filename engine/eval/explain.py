"""Plain Python: the evaluation as a table of its terms."""

from __future__ import annotations

from collections.abc import Callable

from engine.board.constants import BLACK, WHITE
from engine.board.position import Position
from engine.eval.evaluate import evaluate, prepare_both
from engine.eval.features import TEMPO
from engine.eval.king import king_attack, shelter
from engine.eval.memory import Evaluator, PawnEntry
from engine.eval.mobility import piece_activity
from engine.eval.packed import endgame, middlegame
from engine.eval.pawns import passed_pawns, structure
from engine.eval.place import material, place

Term = Callable[[int], int]  # colour -> packed score from that colour's view


def terms(pos: Position, evaluator: Evaluator) -> dict[str, Term]:
    """The terms by name, in the order of the table. Their sum is the evaluation but for tempo."""
    prepare_both(pos, evaluator)
    cached = PawnEntry()  # `structure` notes passed pawns here
    pawn_scores = [int(structure(pos, evaluator, cached, us)) for us in (WHITE, BLACK)]
    passed = int(cached.passed)
    return {
        "Material": lambda us: int(material(pos, evaluator, us)),
        "Piece squares": lambda us: int(place(pos, evaluator, us)),
        "Pawns": lambda us: pawn_scores[us],
        "Passed pawns": lambda us: int(passed_pawns(pos, evaluator, passed, us)),
        "Pieces": lambda us: int(piece_activity(pos, evaluator, us)),
        "King attack": lambda us: int(king_attack(evaluator, us)),
        "King shelter": lambda us: int(shelter(pos, evaluator, us)),
    }


def explain(pos: Position, evaluator: Evaluator) -> str:
    """A table in pawns, from White's view: each term for White, for Black, and their difference."""
    rows = ["Term           |    White    |    Black    |    Total    "]
    rows += ["               |   MG    EG  |   MG    EG  |   MG    EG  ", "-" * 57]
    total = 0
    for name, term in terms(pos, evaluator).items():
        white, black = term(WHITE), term(BLACK)
        total += white - black
        cells = " | ".join(_cell(packed) for packed in (white, black, white - black))
        rows.append(f"{name:14} | {cells}")
    tempo = int(evaluator.weights.values[TEMPO]) * (1 if pos.side == WHITE else -1)
    rows.append(f"{'Tempo':14} | {'':11} | {'':11} | {_cell(tempo)}")
    rows += ["-" * 57, f"{'Total':14} | {'':11} | {'':11} | {_cell(total + tempo)}", ""]
    score = int(evaluate(pos, evaluator)) * (1 if pos.side == WHITE else -1)
    phase = int(pos.snapshots[pos.ply].phase)
    rows.append(f"Phase {phase} of 24 (24: middlegame, 0: endgame)")
    if pos.snapshots[pos.ply].checkers:
        rows.append("The side to move is in check: the search would not ask for this evaluation.")
    rows.append(f"Final evaluation: {score / 100:+.2f} (White's view)")
    return "\n".join(rows)


def _cell(packed: int) -> str:
    return f"{middlegame(packed) / 100:5.2f} {endgame(packed) / 100:5.2f}"
