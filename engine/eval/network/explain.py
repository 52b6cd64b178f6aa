"""Plain Python: the worth of each piece to the network on its square."""

from __future__ import annotations

from engine.board.constants import BLACK, KING, WHITE
from engine.board.fen import piece_letters
from engine.board.position import Position
from engine.eval.network.accumulator import refresh_accumulator, remove_row
from engine.eval.network.inputs import input_row, orientation
from engine.eval.network.memory import Accumulator, Activations, Layers
from engine.eval.network.output import output
from engine.native.bits import lsb, popcount, squares

_RULE = "+-------" * 8 + "+"


def piece_values(pos: Position, layers: Layers) -> dict[int, int]:
    """By square, without the kings: how much the score falls without the piece, White's view."""
    views, activations = (Accumulator(), Accumulator()), Activations()
    own, other = views[pos.side], views[pos.side ^ 1]
    kings = [lsb(pos.pieces[view, KING]) for view in (WHITE, BLACK)]
    oriented = [orientation(view, kings[view]) for view in (WHITE, BLACK)]
    men = popcount(pos.occupied)
    white_view = 1 if pos.side == WHITE else -1

    def score(count: int) -> int:
        return white_view * int(output(layers, own, other, count, activations))

    def add_up() -> None:
        for view in (WHITE, BLACK):
            refresh_accumulator(pos, layers, view, views[view])

    add_up()
    whole = score(men)
    values = {}
    for colour in (WHITE, BLACK):
        for square in squares(pos.colours[colour]):
            kind = int(pos.board[square])
            if kind == KING:
                continue
            for view in (WHITE, BLACK):
                row = int(input_row(oriented[view], view, colour, kind, square))
                remove_row(layers, views[view], row)
            values[square] = whole - score(men - 1)
            add_up()
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
