"""Plain Python: puts the numbers of weights.py where the kernels read them."""

from __future__ import annotations

from engine.board.constants import BLACK, EMPTY, KING, PAWN, WHITE
from engine.board.position import Tables
from engine.eval import weights as numbers
from engine.eval.memory import Evaluator, PawnMasks, Weights
from engine.eval.packed import pack
from engine.eval.pawns import fill_masks

KIND_NAMES = ("pawn", "knight", "bishop", "rook", "queen", "king")


def fill_piece_values(tables: Tables) -> None:
    """Material, place, phase and exchange values of pieces, which `make` and SEE need."""
    tables.phase[:] = (*numbers.PHASE, 0)
    tables.exchange_value[:] = (*numbers.EXCHANGE_VALUE, 0)
    tables.exchange_value[EMPTY] = 0
    for kind in range(PAWN, KING + 1):
        rows = numbers.PIECE_SQUARE[KIND_NAMES[kind]]
        for square in range(64):
            place = rows[7 - (square >> 3)][square & 7]
            material = numbers.MATERIAL[kind]
            value = pack(material[0] + place[0], material[1] + place[1])
            tables.piece_square[WHITE, kind, square] = value
            tables.piece_square[BLACK, kind, square ^ 56] = -value


def new_weights() -> Weights:
    """Every member of Weights has its numbers in weights.py under the same name in capitals."""
    weights = Weights()
    for name in Weights.fields:
        values = getattr(numbers, name.upper())
        if name == "mobility":
            for kind, pairs in ((KIND_NAMES.index(n), p) for n, p in values.items()):
                weights.mobility[kind, : len(pairs)] = [pack(*pair) for pair in pairs]
        elif isinstance(values[0], tuple):
            getattr(weights, name)[:] = [pack(*pair) for pair in values]
        else:
            setattr(weights, name, pack(*values))
    return weights


def new_masks() -> PawnMasks:
    masks = PawnMasks()
    fill_masks(masks)
    return masks


def connect(evaluator: Evaluator, weights: Weights, masks: PawnMasks) -> None:
    """A zeroed pawn cache is valid: key 0 is no pawns at all, which score 0."""
    evaluator.weights = weights
    evaluator.masks = masks
