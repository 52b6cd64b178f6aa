"""Plain Python: the weighted sum as a table of its terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from engine.board.constants import BLACK, WHITE
from engine.board.position import Position
from engine.eval.classical.attack_map import prepare_attacks
from engine.eval.classical.features import TEMPO
from engine.eval.classical.king import king_attack, shelter, shelter_danger
from engine.eval.classical.memory import Classical, PawnEntry
from engine.eval.classical.passed import passed_pawns
from engine.eval.classical.pawns import structure
from engine.eval.classical.pieces import pieces
from engine.eval.classical.scale_factor import FULL_SCALE, scale_factor
from engine.eval.classical.scores import endgame, middlegame
from engine.eval.classical.threats import space, threats
from engine.eval.classical.weighted_sum import material, piece_squares
from engine.eval.scaling import FULL_PHASE, game_phase
from engine.native.structs import Struct

Terms = dict[str, tuple[int, int]]  # by name: packed scores of White and Black, each its own view

IN_WORDS = {  # the theme of a term for people, and what the side has that it favours
    "Material": ("Material", "more material"),
    "Piece squares": ("Placement", "pieces on better squares"),
    "Pawns": ("Pawn structure", "a better pawn structure"),
    "Pieces": ("Activity", "more active pieces"),
    "Passed pawns": ("Passed pawns", "stronger passed pawns"),
    "Threats": ("Threats", "threats against the enemy's pieces"),
    "Space": ("Space", "more space"),
    "King shelter": ("King shelter", "a better sheltered king"),
    "King attack": ("King attack", "an attack on the enemy's king"),
    "Tempo": ("The move", "the move"),
}


class Share(NamedTuple):
    """What a term adds to the weighted sum, in centipawns: middlegame and endgame in one."""

    name: str
    white: float
    black: float

    @property
    def difference(self) -> float:
        return self.white - self.black

    @property
    def title(self) -> str:
        return IN_WORDS[self.name][0]

    @property
    def favour(self) -> str:
        return IN_WORDS[self.name][1]


def terms(pos: Position, evaluator: Classical) -> Terms:
    """The terms in the order of the table. Their sum is the evaluation but for tempo."""
    cached = PawnEntry()  # of its own: `structure` records passed pawns there

    def both(term: Callable[..., int], *known: Struct | int) -> tuple[int, int]:
        white, black = (int(term(pos, evaluator, *known, us)) for us in (WHITE, BLACK))
        return white, black

    prepare_attacks(pos, evaluator)
    cached.shelter_danger[:] = both(shelter_danger)
    return {
        "Material": both(material),
        "Piece squares": both(piece_squares),
        "Pawns": both(structure, cached),
        "Pieces": both(pieces),  # completes the attack maps for the terms that follow
        "Passed pawns": both(passed_pawns, int(cached.passed)),
        "Threats": both(threats),
        "Space": both(space),
        "King shelter": both(shelter),
        "King attack": both(king_attack, cached),
    }


def shares(pos: Position, evaluator: Classical) -> tuple[Share, ...]:
    """The terms, then tempo. Their differences add up to the weighted sum, but for rounding."""
    packed = terms(pos, evaluator)
    tempo = int(evaluator.weights.values[TEMPO])
    packed["Tempo"] = (tempo, 0) if pos.side == WHITE else (0, tempo)
    total = sum(white - black for white, black in packed.values())
    strong = WHITE if endgame(total) > 0 else BLACK
    late = int(scale_factor(pos, strong)) / FULL_SCALE  # how much of the endgame's score counts
    phase = int(game_phase(pos)) / FULL_PHASE

    def tapered(score: int) -> float:
        return middlegame(score) * phase + endgame(score) * late * (1 - phase)

    return tuple(Share(name, *map(tapered, both)) for name, both in packed.items())


def term_table(pos: Position, evaluator: Classical) -> list[str]:
    """In pawns, from White's view: each term for White, for Black, and their difference."""
    rows = ["Term           |    White    |    Black    |    Total    "]
    rows += ["               |   MG    EG  |   MG    EG  |   MG    EG  ", "-" * 57]
    total = 0
    for name, (white, black) in terms(pos, evaluator).items():
        total += white - black
        cells = " | ".join(_cell(packed) for packed in (white, black, white - black))
        rows.append(f"{name:14} | {cells}")
    tempo = int(evaluator.weights.values[TEMPO]) * (1 if pos.side == WHITE else -1)
    rows.append(f"{'Tempo':14} | {'':11} | {'':11} | {_cell(tempo)}")
    return [*rows, "-" * 57, f"{'Total':14} | {'':11} | {'':11} | {_cell(total + tempo)}"]


def _cell(packed: int) -> str:
    return f"{middlegame(packed) / 100:5.2f} {endgame(packed) / 100:5.2f}"
