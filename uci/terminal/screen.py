"""What the terminal can show, writing to it, and the board on it: 27 columns, in Unicode or ASCII,
with or without colours."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

import chess

from uci.output import leave, overwrites

WIDEST = 76  # columns: longer lines are hard to read
PROBE = "♔♟·"  # what a terminal must be able to show for a board in Unicode

# Escape sequences, by what they are for.
BOLD, RED, GREEN, YELLOW, CYAN = "1", "31", "32", "33", "36"

FIGURES = {"k": "♚", "q": "♛", "r": "♜", "b": "♝", "n": "♞", "p": "♟"}
# Numbers of escape sequences for 256 and 16 colours: squares (light, dark, those of the last move,
# the king in check) and pieces.
_MANY = {"light": "48;5;108", "dark": "48;5;65", "last": "48;5;136", "check": "48;5;167",
         "white": "38;5;231;1", "black": "38;5;16"}  # fmt: skip
_FEW = {"light": "46", "dark": "42", "last": "43", "check": "41", "white": "97;1", "black": "30"}


@dataclass(frozen=True)
class Abilities:
    """Of a terminal."""

    unicode: bool
    colours: int  # 0, 16 or 256
    overwrites: bool = False  # a line can be replaced


def abilities_of(stream: TextIO, environment: Mapping[str, str] = os.environ) -> Abilities:
    """What to use unless the user wants something else. NO_COLOR turns colours off."""
    return Abilities(
        unicode=_shows_unicode(stream, environment),
        colours=_colours(stream, environment),
        overwrites=overwrites(stream, environment),
    )


def _shows_unicode(stream: TextIO, environment: Mapping[str, str]) -> bool:
    # The old console of Windows has no chess pieces in its fonts.
    if sys.platform == "win32" and "WT_SESSION" not in environment:
        return False
    try:
        PROBE.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _colours(stream: TextIO, environment: Mapping[str, str]) -> int:
    kind = environment.get("TERM", "")
    if not overwrites(stream, environment) or environment.get("NO_COLOR"):
        return 0
    if sys.platform == "win32":
        os.system("")  # makes the console obey escape sequences
        return 256 if "WT_SESSION" in environment else 16
    if not kind:
        return 0
    many = "256" in kind or environment.get("COLORTERM", "") in ("truecolor", "24bit")
    return 256 if many else 16


class Screen:
    """Writes to the terminal, whole lines, wrapped to its width."""

    def __init__(self, stream: TextIO, abilities: Abilities) -> None:
        self._stream = stream
        self.abilities = abilities
        self._passing = 0  # columns of a line that is going to be overwritten

    @property
    def width(self) -> int:
        return min(max(shutil.get_terminal_size().columns, 2), WIDEST)

    def say(self, text: str = "", style: str = "") -> None:
        """A paragraph, wrapped; lines that begin with a blank keep their indentation."""
        self.end_passing()
        for line in text.split("\n"):
            indent = " " * (len(line) - len(line.lstrip()))
            parts = textwrap.wrap(
                line,
                self.width - 1,
                subsequent_indent=indent,
                break_long_words=False,  # the name of a file can be copied
                break_on_hyphens=False,
            )
            for part in parts or [""]:
                self._write(self.painted(part, style) + "\n")

    def say_item(self, name: str, text: str, indent: int) -> None:
        """A name and what it means, beside or, if it is long, below it."""
        first = f"{name:<{indent}}" if len(name) < indent else name + "\n" + " " * indent
        lines = textwrap.wrap(text, max(self.width - 1 - indent, 12))
        self._write(first + ("\n" + " " * indent).join(lines) + "\n")

    def show(self, lines: list[str]) -> None:
        """Lines that are already laid out."""
        self.end_passing()
        self._write("\n".join(lines) + "\n")

    def pass_by(self, text: str) -> None:
        """A line that the next one replaces; nothing where that is not possible."""
        if not self.abilities.overwrites:
            return
        text = text[: self.width - 1]
        self._write("\r" + text.ljust(self._passing))
        self._passing = len(text)

    def end_passing(self) -> None:
        if self._passing:
            self._write("\r" + " " * self._passing + "\r")
            self._passing = 0

    def painted(self, text: str, style: str) -> str:
        """`text` in a style, a sequence of numbers separated by `;`."""
        return f"\033[{style}m{text}\033[0m" if style and self.abilities.colours else text

    def _write(self, text: str) -> None:
        """Ends the process if nobody sees it; the game was saved after the last move."""
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            leave(1)


# --- The board -----------------------------------------------------------------------------------


def board_lines(board: chess.Board, from_white: bool, screen: Screen) -> list[str]:
    """The diagram, with the side of the person below. Brackets or a colour mark where the last
    move went, and colour also where it came from."""
    ranks = range(7, -1, -1) if from_white else range(8)
    files = range(8) if from_white else range(7, -1, -1)
    lines = []
    for rank in ranks:
        cells = [_cell(board, chess.square(file, rank), screen) for file in files]
        lines.append(f" {rank + 1} " + "".join(cells))
    lines.append("   " + "".join(f" {chess.FILE_NAMES[file]} " for file in files))
    return lines


def captured(board: chess.Board, side: chess.Color) -> str:
    """The men of the side that the other has taken, as letters: `Q R P P`. A promoted man that was
    taken counts as its pawn."""
    root, lost = board.root(), []
    spare = 0  # more men of a kind than at the beginning were pawns
    for kind in reversed(chess.PIECE_TYPES):
        missing = len(root.pieces(kind, side)) - len(board.pieces(kind, side))
        if kind == chess.PAWN:
            missing -= spare
        spare += max(0, -missing)
        lost += [chess.piece_symbol(kind).upper()] * max(0, missing)
    return " ".join(lost)


def _cell(board: chess.Board, square: chess.Square, screen: Screen) -> str:
    piece = board.piece_at(square)
    last = board.peek() if board.move_stack else None
    if screen.abilities.colours:
        return _painted_cell(board, square, piece, last, screen)
    if piece is None:
        shown = "·" if screen.abilities.unicode else "."
    else:
        shown = piece.symbol()  # outlined and filled figures change places on dark terminals
    return f"[{shown}]" if last is not None and square == last.to_square else f" {shown} "


def _painted_cell(
    board: chess.Board,
    square: chess.Square,
    piece: chess.Piece | None,
    last: chess.Move | None,
    screen: Screen,
) -> str:
    paint = _MANY if screen.abilities.colours == 256 else _FEW
    if piece is not None and piece.piece_type == chess.KING and _is_in_check(board, piece.color):
        ground = "check"
    elif last is not None and square in (last.from_square, last.to_square):
        ground = "last"
    else:
        ground = "light" if chess.BB_SQUARES[square] & chess.BB_LIGHT_SQUARES else "dark"
    if piece is None:
        return screen.painted("   ", paint[ground])
    # The filled figures for both sides: their colour tells them apart.
    shown = FIGURES[piece.symbol().lower()] if screen.abilities.unicode else piece.symbol()
    side = paint["white" if piece.color == chess.WHITE else "black"]
    return screen.painted(f" {shown} ", f"{paint[ground]};{side}")


def _is_in_check(board: chess.Board, side: chess.Color) -> bool:
    return board.turn == side and bool(board.is_check())
