"""The candidate moves of one position as a table."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence

import chess

from uci.analysis.notation import san_line
from uci.analysis.positions import Line, Place

HEADS = ("", "Move", "Score", "White", "Draw", "Black", "Depth")
LEAST_LINE_WIDTH = 16


def table(place: Place, lines: Sequence[Line]) -> list[str]:
    """A row for each line: number, move, score and chances from White's view, depth, and as much of
    the line as the terminal has room for."""
    board = chess.Board(place.fen, chess960=place.chess960)
    rows = []
    for number, line in enumerate(lines, 1):
        chances = [f"{share / 10:.0f}%" for share in line.chances]
        move = board.san(board.parse_uci(line.moves[0]))
        cells = (f"{number}.", move, line.score_text(), *chances, str(line.depth))
        rows.append((cells, san_line(board, line.moves)))
    widths = [max(len(cells[at]) for cells, _ in [*rows, (HEADS, "")]) for at in range(len(HEADS))]
    room = shutil.get_terminal_size((100, 24)).columns - sum(widths) - 2 * len(widths)
    return [
        f"{_row(HEADS, widths)}  Line",
        *(f"{_row(cells, widths)}  {_cut(text, room)}" for cells, text in rows),
    ]


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Moves to the left, numbers to the right."""
    return "  ".join(
        cell.ljust(width) if at == 1 else cell.rjust(width)
        for at, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )


def _cut(text: str, room: int) -> str:
    """Whole moves only."""
    room = max(room, LEAST_LINE_WIDTH)
    if len(text) <= room:
        return text
    whole = text[: room + 1].rpartition(" ")[0]
    return re.sub(r" \d+\.$", "", whole)  # a number without its move
