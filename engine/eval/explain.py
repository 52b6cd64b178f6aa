"""Plain Python: the evaluation as a table of its terms."""

from __future__ import annotations

from collections.abc import Callable

from engine.board.constants import BLACK, WHITE
from engine.board.position import Position
from engine.eval.attackmap import prepare_attacks
from engine.eval.endgames import UNKNOWN, known_result
from engine.eval.evaluate import evaluate
from engine.eval.features import TEMPO
from engine.eval.king import king_attack, shelter, shelter_danger
from engine.eval.memory import Evaluator, PawnEntry
from engine.eval.packed import endgame, middlegame
from engine.eval.passed import passed_pawns
from engine.eval.pawns import structure
from engine.eval.pieces import pieces
from engine.eval.place import material, place
from engine.eval.threats import space, threats
from engine.native.memory import Struct

Terms = dict[str, tuple[int, int]]  # by name: packed scores of White and Black, each its own view


def terms(pos: Position, evaluator: Evaluator) -> Terms:
    """The terms in the order of the table. Their sum is the evaluation but for tempo."""
    cached = PawnEntry()  # of its own: `structure` notes passed pawns there

    def both(term: Callable[..., int], *known: Struct | int) -> tuple[int, int]:
        white, black = (int(term(pos, evaluator, *known, us)) for us in (WHITE, BLACK))
        return white, black

    prepare_attacks(pos, evaluator)
    cached.shelter_danger[:] = both(shelter_danger)
    return {
        "Material": both(material),
        "Piece squares": both(place),
        "Pawns": both(structure, cached),
        "Pieces": both(pieces),  # completes the attack maps for the terms that follow
        "Passed pawns": both(passed_pawns, int(cached.passed)),
        "Threats": both(threats),
        "Space": both(space),
        "King shelter": both(shelter),
        "King attack": both(king_attack, cached),
    }


def explain(pos: Position, evaluator: Evaluator) -> str:
    """A table in pawns, from White's view: each term for White, for Black, and their difference."""
    rows = ["Term           |    White    |    Black    |    Total    "]
    rows += ["               |   MG    EG  |   MG    EG  |   MG    EG  ", "-" * 57]
    total = 0
    for name, (white, black) in terms(pos, evaluator).items():
        total += white - black
        cells = " | ".join(_cell(packed) for packed in (white, black, white - black))
        rows.append(f"{name:14} | {cells}")
    tempo = int(evaluator.weights.values[TEMPO]) * (1 if pos.side == WHITE else -1)
    rows.append(f"{'Tempo':14} | {'':11} | {'':11} | {_cell(tempo)}")
    rows += ["-" * 57, f"{'Total':14} | {'':11} | {'':11} | {_cell(total + tempo)}", ""]
    if int(known_result(pos, evaluator)) != UNKNOWN:
        rows.append("The result of this ending is known, and the terms do not count.")
    score = int(evaluate(pos, evaluator)) * (1 if pos.side == WHITE else -1)
    phase = int(pos.snapshots[pos.ply].phase)
    rows.append(f"Phase {phase} of 24 (24: middlegame, 0: endgame)")
    if pos.snapshots[pos.ply].checkers:
        rows.append("The side to move is in check: the search would not ask for this evaluation.")
    rows.append(f"Final evaluation: {score / 100:+.2f} (White's view)")
    return "\n".join(rows)


def _cell(packed: int) -> str:
    return f"{middlegame(packed) / 100:5.2f} {endgame(packed) / 100:5.2f}"
