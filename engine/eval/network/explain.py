"""Plain Python: the worth of each piece to the network on its square."""

from __future__ import annotations

from engine.board.attack_tables import new_position
from engine.board.constants import BLACK, EMPTY, KING, WHITE
from engine.board.fen import piece_letters
from engine.board.position import Position
from engine.eval.network.accumulator import refresh_accumulator
from engine.eval.network.memory import Accumulator, Activations, AttackedPieces, Layers
from engine.eval.network.output import score_of_sums
from engine.native.bits import bit, squares

_RULE = "+-------" * 8 + "+"


def piece_values(pos: Position, layers: Layers) -> dict[int, int]:
    """By square, without the kings: how much the score falls without the piece, White's view."""
    views, attacked, activations = (Accumulator(), Accumulator()), AttackedPieces(), Activations()
    own, other = views[pos.side], views[pos.side ^ 1]
    white_view = 1 if pos.side == WHITE else -1
    without = new_position(pos.tables)

    def score(here: Position) -> int:
        for view in (WHITE, BLACK):
            refresh_accumulator(here, layers, view, views[view])
        return white_view * int(score_of_sums(here, layers, own, other, attacked, activations))

    whole = score(pos)
    values = {}
    for colour in (WHITE, BLACK):
        for square in squares(pos.colours[colour]):
            kind = int(pos.board[square])
            if kind == KING:
                continue
            without.copy_from(pos)
            without.board[square] = EMPTY
            without.pieces[colour, kind] &= ~bit(square)
            without.colours[colour] &= ~bit(square)
            without.occupied &= ~bit(square)
            values[square] = whole - score(without)
    return values


def piece_table(pos: Position, values: dict[int, int]) -> list[str]:
    """The board with the pieces and their values in pawns, White's view."""
    rows = ["Worth of each piece to the network: how much the score falls without it", _RULE]
    letters = piece_letters(pos)
    for rank in range(7, -1, -1):
        here = range(8 * rank, 8 * rank + 8)
        numbers = (f"{values[s] / 100:+.2f}" if s in values else "" for s in here)
        rows.append("".join(f"|   {letters[s] or ' '}   " for s in here) + "|")
        rows.append("".join(f"|{number:^7}" for number in numbers) + "|")
        rows.append(_RULE)
    return rows
