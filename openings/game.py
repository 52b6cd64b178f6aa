"""The game so far, as the book sees it: keys of its positions and the name of its opening."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import chess
import chess.polyglot

NAMES_FILE = Path(__file__).with_name("eco.tsv")
_STANDARD_ROOKS = chess.BB_A1 | chess.BB_H1 | chess.BB_A8 | chess.BB_H8


class Opening(NamedTuple):
    code: str  # A00 to E99
    name: str

    def __str__(self) -> str:
        return f"{self.code} {self.name}"


def read_names(path: Path = NAMES_FILE) -> dict[int, Opening]:
    """By the Polyglot key of the position; `wadjet-tune book --eco-output` writes the file."""
    names = {}
    with path.open(encoding="utf-8") as file:
        for row in file:
            if not row.startswith("#"):
                key, code, name = row.rstrip("\n").split("\t")
                names[int(key, 16)] = Opening(code, name)
    return names


def write_names(path: Path, names: dict[int, Opening], origin: str) -> None:
    """Writes the table, a line each, sorted by code and name; `origin` goes into its head."""
    rows = sorted((opening.code, opening.name, key) for key, opening in names.items())
    lines = [f"# {origin}", "# key of the position\tECO code\tname"]
    lines += [f"{key:016x}\t{code}\t{name}" for code, name, key in rows]
    unfinished = path.with_name(path.name + ".part")
    unfinished.write_text("\n".join(lines) + "\n", encoding="utf-8")
    unfinished.replace(path)


class NamedGame:
    """Follows a game move by move; a GUI sends the whole game each time."""

    def __init__(self) -> None:
        self._names = read_names()
        self._fen: str | None = None
        self._moves: tuple[str, ...] = ()
        self._board = chess.Board()
        self.opening: Opening | None = None  # the last one that had a name ...
        self.named_ply = 0  # ... and after how many moves

    def follow(self, fen: str | None, moves: Sequence[str]) -> int | None:
        """The Polyglot key of the position after `moves` (UCI notation) from `fen`.

        None where books do not apply: if python-chess does not understand the position, and in
        positions of Chess960 that differ from those of normal chess, because Polyglot keys do
        not distinguish them. An empty `fen` is the start position.
        """
        moves = tuple(moves)
        fen = fen or chess.STARTING_FEN
        known = len(self._moves)
        try:
            if fen != self._fen or moves[:known] != self._moves:
                self._fen, self._moves, known = None, (), 0  # until the rest is known to be good
                self.opening, self.named_ply = None, 0
                # chess960 also understands castling rights of normal positions
                self._board = chess.Board(fen, chess960=True)
                self._name_position()
            for move in moves[known:]:
                self._board.push_uci(move)
                self._name_position()
        except ValueError:
            self._fen = None
            return None
        self._fen, self._moves = fen, moves
        return chess.polyglot.zobrist_hash(self._board) if castles_as_usual(self._board) else None

    def key_after(self, move: str) -> int:
        """The key if a legal move (UCI notation) were played now."""
        self._board.push_uci(move)
        key = chess.polyglot.zobrist_hash(self._board)
        self._board.pop()
        return key

    def _name_position(self) -> None:
        if castles_as_usual(self._board):
            key = chess.polyglot.zobrist_hash(self._board)
            if key in self._names:
                self.opening = self._names[key]
                self.named_ply = len(self._board.move_stack)


def board_of(fen: str) -> chess.Board:
    """The position of a FEN, in Chess960 if a castling right asks for it. ValueError if broken."""
    board = chess.Board(fen, chess960=True)
    board.chess960 = not castles_as_usual(board)
    return board


def castles_as_usual(board: chess.Board) -> bool:
    """Does each castling right belong to a king on the e-file and a rook in the corner?"""
    rights = board.clean_castling_rights()
    kings = board.kings & ((chess.BB_E1 if rights & chess.BB_RANK_1 else 0)
                           | (chess.BB_E8 if rights & chess.BB_RANK_8 else 0))  # fmt: skip
    ranks = bool(rights & chess.BB_RANK_1) + bool(rights & chess.BB_RANK_8)
    return rights & ~_STANDARD_ROOKS == 0 and kings.bit_count() == ranks
