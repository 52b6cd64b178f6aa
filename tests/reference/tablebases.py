"""Plain Python: tables as python-chess reads them, to compare ours with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import chess
import chess.syzygy

from engine.board.attack_tables import new_position
from engine.board.constants import NO_SQUARE
from engine.board.fen import set_fen
from engine.board.position import AttackTables, MoveLists, Position
from engine.tb.access import pieces_of
from engine.tb.memory import Prober
from engine.tb.probing import probe_dtz, probe_wdl
from tablebases.commands.sampling import new_sample, place_at_random
from tablebases.folders import Tablebase
from tablebases.material import sides


class Bench:
    """Tables of some folders, opened by us and by python-chess, and a position to probe."""

    def __init__(self, folders: Sequence[Path], tables: AttackTables) -> None:
        self.ours = Tablebase(folders)
        self.theirs = chess.syzygy.Tablebase()
        for folder in folders:
            self.theirs.add_directory(str(folder))
        self.prober = Prober()
        self.prober.tablebases = self.ours.memory
        self.prober.most_men = self.ours.most_men
        self.position = new_position(tables)
        self.lists = MoveLists()

    def prepare(self, *names: str) -> list[str]:
        """Open the tables of these materials, and what they lead to."""
        return [problem for name in names for problem in self.ours.prepare(*sides(name))]

    def set_up(self, fen: str) -> None:
        set_fen(self.position, fen)
        assert self.ours.prepare(*pieces_of(self.position)) == []

    def probe(self, with_dtz: bool = True) -> tuple[int, ...]:
        """WDL and DTZ of the position."""
        arguments = (self.prober, self.position, self.lists, 0)
        wdl = int(probe_wdl(*arguments))
        return (wdl, int(probe_dtz(*arguments))) if with_dtz else (wdl,)

    def their_probe(self, with_dtz: bool = True) -> tuple[int, ...]:
        board = python_chess_board(self.position)
        wdl = self.theirs.probe_wdl(board)
        return (wdl, self.theirs.probe_dtz(board)) if with_dtz else (wdl,)

    def compare(self, name: str, seed: int, count: int) -> list[str]:
        """Probe random positions of a material; returns those whose values differ."""
        sample = new_sample(name, seed)
        assert self.prepare(name) == []
        with_dtz = name in self.ours.found.dtz
        different = []
        for _ in range(count):
            place_at_random(sample, self.position)
            ours, theirs = self.probe(with_dtz), self.their_probe(with_dtz)
            if ours != theirs:
                fen = python_chess_board(self.position).fen()
                different.append(f"{name}: {fen}: {ours}, but python-chess says {theirs}")
        return different


def python_chess_board(pos: Position) -> chess.Board:
    """The same position without castling rights; quicker than through a FEN."""
    board = chess.Board(None)
    both = [(int(white) | int(black)) % (1 << 64) for white, black in zip(*pos.pieces, strict=True)]
    board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings = both
    black, white = (int(pos.colours[colour]) % (1 << 64) for colour in (1, 0))
    board.occupied_co = [black, white]
    board.occupied = black | white
    board.turn = bool(pos.side == 0)
    now = pos.snapshots[pos.ply]
    board.ep_square = None if now.en_passant == NO_SQUARE else int(now.en_passant)
    return board
