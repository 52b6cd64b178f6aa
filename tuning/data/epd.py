"""EPD: a position a line, followed by operations such as `bm Qg6; id "WAC.001";`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import chess

from tuning.data.lines import open_text

# A name and its operand, which may hold a semicolon if it is quoted.
_OPERATION = re.compile(r'\s*([A-Za-z][A-Za-z0-9_\-]*)((?:[^";]|"[^"]*"?)*);?')
# Impossible in a game, but every engine can search it.
_HARMLESS = (
    chess.STATUS_BAD_CASTLING_RIGHTS
    | chess.STATUS_INVALID_EP_SQUARE
    | chess.STATUS_IMPOSSIBLE_CHECK
    | chess.STATUS_TOO_MANY_CHECKERS
)
_MATE = re.compile(r"#(-?\d+)$")


@dataclass(frozen=True)
class Epd:
    """One line. Operands are text, without quotes around them."""

    board: chess.Board
    operations: dict[str, str]
    line: int

    @property
    def name(self) -> str:
        return self.operations.get("id") or f"line {self.line}"

    def moves(self, operation: str) -> list[chess.Move]:
        """The operand's moves, in SAN or in UCI notation. ValueError if one is illegal."""
        return [_move(self.board, text) for text in self.operations.get(operation, "").split()]

    @property
    def mate(self) -> int | None:
        """In how many moves the side to move mates, or is mated if negative: `dm 3`, `bm #3`."""
        if "dm" in self.operations:
            return int(self.operations["dm"])
        found = _MATE.match(self.operations.get("bm", ""))
        return int(found[1]) if found else None


def _move(board: chess.Board, text: str) -> chess.Move:
    try:
        return board.parse_san(text.rstrip("!?"))
    except ValueError:
        try:
            return board.parse_uci(text)
        except ValueError:
            raise ValueError(f"{text!r} is not a legal move in {board.fen()}") from None


def parse(text: str, line: int) -> Epd:
    """Read one line. The message of a ValueError names the fault, but not the file."""
    fields = text.split(maxsplit=4)
    if len(fields) < 4:
        raise ValueError("a position needs four fields")
    rest = fields[4] if len(fields) > 4 else ""
    clocks = re.match(r"(\d+)\s+(\d+)\s*(?:;|$|(?=[A-Za-z]))", rest)  # a FEN
    if clocks:
        rest = rest[clocks.end() :]
    board = chess.Board(" ".join([*fields[:4], *(clocks.groups() if clocks else ("0", "1"))]))
    if board.status() & ~_HARMLESS:
        raise ValueError(f"an impossible position: {board.status() & ~_HARMLESS!r}")
    operations = {}
    for name, operand in _OPERATION.findall(rest):
        operand = operand.strip()
        if len(operand) > 1 and operand[0] == operand[-1] == '"':
            operand = operand[1:-1]
        operations[name] = operand
    return Epd(board, operations, line)


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """The numbered lines of a file, compressed or not, without empty lines and # comments."""
    with open_text(path) as file:
        for number, text in enumerate(file, 1):
            text = text.strip()
            if text and not text.startswith("#"):
                yield number, text
