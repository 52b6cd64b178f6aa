"""Plain Python: a position as text."""

from __future__ import annotations

from engine.board.fen import piece_letters, to_fen
from engine.board.notation import square_name
from engine.board.position import Position
from engine.native.bits import squares

_RULE = " +---+---+---+---+---+---+---+---+"


def board_text(pos: Position) -> str:
    """Diagram, FEN, Zobrist key and checkers."""
    letters = piece_letters(pos)
    lines = [_RULE]
    for rank in range(7, -1, -1):
        cells = [letter or " " for letter in letters[8 * rank : 8 * rank + 8]]
        lines += [f" | {' | '.join(cells)} | {rank + 1}", _RULE]
    lines += ["   " + "   ".join("abcdefgh"), ""]
    now = pos.snapshots[pos.ply]
    checkers = " ".join(square_name(square) for square in squares(now.checkers))
    key = int(now.key) & (1 << 64) - 1
    lines += [f"Fen: {to_fen(pos)}", f"Key: {key:016X}", f"Checkers: {checkers}".rstrip()]
    return "\n".join(lines)


def flipped_fen(pos: Position) -> str:
    """FEN of the mirrored position: White's pieces become Black's and the other way round."""
    board, side, castling, en_passant, *clocks = to_fen(pos).split()
    rows = [row.swapcase() for row in reversed(board.split("/"))]
    if en_passant != "-":
        en_passant = en_passant[0] + str(9 - int(en_passant[1]))
    castling = "".join(sorted(castling.swapcase()))
    side = "b" if side == "w" else "w"
    return " ".join(["/".join(rows), side, castling, en_passant, *clocks])
